//! `playdata.txt`: the moves of the game so far, in the game's notation, for the next move of the same game.
//!
//! The file may be missing, torn, of another game or of another program. It counts only if its moves, played by the
//! rules, and one answer of the opponent lead to the very position that is to be played.

use std::path::Path;

use selfplay_env::game_text::{format_line, play_line};
use selfplay_env::{Action, Game};

use crate::files::{read_small, replace_file};

const NAME: &str = "playdata.txt";
/// First word of the file and its version.
const MARK: &str = "selfplay-game 1";
/// More than the longest game takes.
const MAX_BYTES: u64 = 64 * 1024;

/// The moves that led to `position`, by the notes in `folder`; `None` if they are of no use here.
pub(super) fn recall<G: Game>(folder: &Path, position: &G) -> Option<Vec<Action>> {
    if *position == G::initial() {
        return Some(Vec::new());
    }
    let text = read_small(&folder.join(NAME), MAX_BYTES).ok();
    let actions = match text.as_deref().and_then(|text| text.strip_prefix(MARK)) {
        Some(line) => line.split_whitespace().collect(),
        // Without notes, this may be our first move, the second of the game.
        None => Vec::new(),
    };
    let (noted, mut history) = play_line::<G>(&actions).ok()?;
    if noted == *position {
        return Some(history);
    }
    let mut answers = Vec::new();
    noted.legal_actions(&mut answers);
    let answer = answers.into_iter().find(|&answer| {
        let mut after = noted.clone();
        after.play(answer);
        after == *position
    })?;
    history.push(answer);
    Some(history)
}

/// Notes the moves of the game, the present one included. Notes that cannot be written are no loss.
pub(super) fn note<G: Game>(folder: &Path, history: &[Action]) {
    let _ = replace_file(&folder.join(NAME), &format!("{MARK}\n{}\n", format_line::<G>(history)));
}

#[cfg(test)]
mod tests {
    use std::fs;

    use selfplay_pente::Pente;

    use super::*;

    fn after(line: &str) -> (Pente<19>, Vec<Action>) {
        play_line(&line.split_whitespace().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn notes_lead_on_and_everything_else_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let recall = |position: &Pente<19>| recall(folder.path(), position);
        let (start, (one, one_history), (two, two_history)) = (Pente::initial(), after("10K"), after("10K 11L"));
        assert_eq!(recall(&start), Some(vec![]));
        assert_eq!(recall(&one), Some(one_history.clone()));
        assert_eq!(recall(&two), None, "there are no notes");
        note::<Pente<19>>(folder.path(), &one_history);
        assert_eq!(recall(&two), Some(two_history.clone()));
        assert_eq!(recall(&one), Some(one_history));
        let (elsewhere, _) = after("10K 12K 10N 1A 2A");
        assert_eq!(recall(&elsewhere), None);
        let path = folder.path().join(NAME);
        for junk in
            ["", "selfplay-game 1\n10K 1", "selfplay-game 1\n10K 10K", "pickled", "selfplay-game 1\n\u{0}\u{7f}"]
        {
            fs::write(&path, junk).unwrap();
            assert_eq!(recall(&two), None, "{junk}");
            assert_eq!(recall(&start), Some(vec![]));
        }
        fs::write(&path, [0xff; 100_000]).unwrap();
        assert_eq!(recall(&two), None);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(recall(&two), None);
        note::<Pente<19>>(folder.path(), &two_history);
    }
}
