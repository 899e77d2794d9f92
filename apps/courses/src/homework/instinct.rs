//! A move without any search, for when there is no time: what wins, else what answers, else what the hints like best.

use selfplay_env::{Action, ImmediateWin, Position};

/// A legal move in `position`, found in a fraction of a millisecond; `None` if the game is over.
///
/// It wins at once where the game can tell, answers a threat to win at once where there is an answer, and otherwise has
/// the greatest [hint](selfplay_env::Tactics::hints), the first of equally good ones.
pub fn by_instinct(position: &dyn Position) -> Option<Action> {
    let mut actions = Vec::new();
    position.legal_actions(&mut actions);
    if actions.is_empty() {
        return None;
    }
    if let ImmediateWin::By(action) = position.immediate_win() {
        return Some(action);
    }
    let mut hints = Vec::new();
    position.hints(&actions, &mut hints);
    let best = hints.iter().max().copied();
    actions.iter().zip(&hints).find(|&(_, &hint)| Some(hint) == best).map(|(&action, _)| action)
}

#[cfg(test)]
mod tests {
    use selfplay_env::Game;
    use selfplay_env::game_text::play_line;
    use selfplay_pente::Pente;

    use super::by_instinct;

    fn after(line: &str) -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (position, _) = play_line::<Pente<19>>(&words).unwrap();
        Pente::<19>::action_name(by_instinct(&position).unwrap())
    }

    #[test]
    fn it_opens_wins_and_answers() {
        assert_eq!(after(""), "10K");
        // White has four in a row from 10K to 10N; first White to move, then Black.
        let four = "10K 1A 10N 1C 10L 2F 10M 19T";
        assert!(["10J", "10O"].contains(&after(four).as_str()), "{}", after(four));
        let answer = after("10K 1A 10N 1C 10L 2F 10M");
        assert!(["10J", "10O"].contains(&answer.as_str()), "{answer}");
        // The pair 11L and 12M is captured against 10K.
        assert_eq!(after("10K 11L 1A 12M"), "13N");
    }
}
