//! The Pente judge with small shell scripts and with the agents it knows itself.

use std::fs;
use std::path::Path;

use selfplay_courses::pente_referee::{
    EndReason, PenteAgent, PenteRefereeConfig, PenteRefereeError, ScoreSheet, referee_pente,
};
use selfplay_env::game_text::replay_line;
use selfplay_pente::Pente;
use tempfile::TempDir;

/// White plays 10K and then up the first column, Black up the last; notes keep the count, and the log every beginning.
const COLUMN: &str = r#"
count=$(cat playdata.txt 2>/dev/null || echo 0)
read -r color < input.txt
[ "$count" = 0 ] && echo "$color" >> log
case "$color$count" in
    WHITE0) echo 10K > output.txt ;;
    WHITE*) echo "${count}A" > output.txt ;;
    BLACK*) echo "$((count + 1))T" > output.txt ;;
esac
echo $((count + 1)) > playdata.txt
"#;

fn script(folder: &Path, name: &str, text: &str) -> String {
    fs::write(folder.join(name), text).unwrap();
    format!("sh '{}'", folder.join(name).display())
}

fn played(folder: &TempDir, config: PenteRefereeConfig, mut agents: [PenteAgent; 2]) -> ScoreSheet {
    let config = PenteRefereeConfig { folder: folder.path().join("judge"), grace_ms: 20_000, ..config };
    let mut seen = 0;
    let sheet = referee_pente(&config, &mut agents, &mut |_| seen += 1).unwrap();
    assert_eq!(seen, sheet.games.len());
    sheet
}

#[test]
fn programs_play_with_their_notes_kept_for_one_game() {
    let folder = tempfile::tempdir().unwrap();
    let agent = |name: &str| {
        let calibrate = script(folder.path(), "calibrate.sh", "echo $$ >> calibration.txt");
        let command = script(folder.path(), name, COLUMN);
        PenteAgent::program(&command, Some(&calibrate)).unwrap()
    };
    let config = PenteRefereeConfig { games: 4, ..PenteRefereeConfig::default() };
    let sheet = played(&folder, config, [agent("one.sh"), agent("two.sh")]);
    // Black has five in the last column before White has in the first.
    assert_eq!(
        sheet.games.iter().map(|game| (game.white, game.winner)).collect::<Vec<_>>(),
        [(0, Some(1)), (1, Some(0))].repeat(2)
    );
    for game in &sheet.games {
        assert_eq!((game.text().as_str(), &game.reason), ("10K 1T 1A 2T 2A 3T 3A 4T 4A 5T = 2", &EndReason::Rules));
        assert!(game.cpu_time.iter().all(|time| !time.is_zero()));
    }
    assert_eq!((sheet.score(0), sheet.is_out(0)), ([2, 0, 2], false));
    let judge = folder.path().join("judge");
    for (agent, colors) in [("a", "WHITE\nBLACK\nWHITE\nBLACK\n"), ("b", "BLACK\nWHITE\nBLACK\nWHITE\n")] {
        assert_eq!(fs::read_to_string(judge.join(agent).join("log")).unwrap(), colors);
        assert_eq!(fs::read_to_string(judge.join(agent).join("calibration.txt")).unwrap().lines().count(), 1, "once");
    }
    let games = fs::read_to_string(judge.join("games.txt")).unwrap();
    let played: Vec<&str> = games.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(played.len(), 4);
    played.iter().for_each(|line| replay_line::<Pente<19>>(line).unwrap());
    let text = sheet.text();
    assert!(text.contains("A: 2 won, 0 drawn, 2 lost (0 by time, 0 without a legal move), "), "{text}");
}

#[test]
fn whoever_does_not_move_or_uses_up_its_time_loses() {
    let folder = tempfile::tempdir().unwrap();
    let good = || PenteAgent::parse("pente-random").unwrap();
    let against = |text: &str| {
        let bad = PenteAgent::program(&script(folder.path(), "bad.sh", text), None).unwrap();
        let config = PenteRefereeConfig { games: 2, budget_ms: 2_000, ..PenteRefereeConfig::default() };
        let sheet = played(&folder, config, [good(), bad]);
        assert_eq!((sheet.score(0), sheet.is_out(1)), ([2, 0, 0], true), "{}", sheet.text());
        sheet
    };
    let reason = |sheet: &ScoreSheet| match &sheet.games[0].reason {
        EndReason::NoMove(reason) => reason.clone(),
        other => panic!("{other:?}"),
    };
    let crash = against("echo broken >&2; exit 3");
    assert!(reason(&crash).starts_with("exited with status 3 and left no output.txt to read"), "{}", reason(&crash));
    assert!(reason(&crash).ends_with("its last words: broken"), "{}", reason(&crash));
    assert_eq!(crash.faults(1), [0, 2]);
    assert!(
        reason(&against("echo 10K > output.txt")).starts_with("wrote `10K` into output.txt: the intersection is taken")
    );
    assert!(reason(&against("echo K10 > output.txt")).contains("`K10` is not an action of pente"));
    let busy = "i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done; echo 1A > output.txt";
    let slow = PenteAgent::program(&script(folder.path(), "slow.sh", busy), None).unwrap();
    let sheet = played(
        &folder,
        PenteRefereeConfig { games: 2, budget_ms: 20, ..PenteRefereeConfig::default() },
        [slow, good()],
    );
    assert_eq!((sheet.score(1), sheet.faults(0)), ([2, 0, 0], [2, 0]), "{}", sheet.text());
    assert!(sheet.games[0].actions.is_empty() && sheet.games[1].actions.len() == 1);
}

#[test]
fn the_reference_agents_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let agents = ["pente-minimax:depth=1", "pente-random"].map(|text| PenteAgent::parse(text).unwrap());
    let config = PenteRefereeConfig { games: 10, a_white_in_ten: 6, ..PenteRefereeConfig::default() };
    let sheet = played(&folder, config.clone(), agents);
    assert_eq!(sheet.games.iter().filter(|game| game.white == 0).count(), 6);
    assert!(sheet.score(0)[0] >= 9, "{}", sheet.text());
    // The same seed, the same games.
    let agents = ["pente-minimax:depth=1", "pente-random"].map(|text| PenteAgent::parse(text).unwrap());
    let again = played(&folder, config, agents);
    let texts = |sheet: &ScoreSheet| sheet.games.iter().map(|game| game.text()).collect::<Vec<_>>();
    assert_eq!(texts(&sheet), texts(&again));
    assert_ne!(texts(&sheet)[0], texts(&sheet)[1]);
}

#[test]
fn what_cannot_be_judged_is_said() {
    let folder = tempfile::tempdir().unwrap();
    assert!(PenteAgent::parse("no-such-program-anywhere").is_err());
    assert!(PenteAgent::parse("pente-minimax:depth=99").is_err());
    let calibrate = script(folder.path(), "calibrate.sh", "echo no disk >&2; exit 1");
    let command = script(folder.path(), "agent.sh", COLUMN);
    let mut agents =
        [PenteAgent::parse("pente-random").unwrap(), PenteAgent::program(&command, Some(&calibrate)).unwrap()];
    let config = PenteRefereeConfig { folder: folder.path().join("judge"), ..PenteRefereeConfig::default() };
    let error = referee_pente(&config, &mut agents, &mut |_| {}).unwrap_err();
    assert!(
        matches!(&error, PenteRefereeError::NotReady { source, .. } if source.to_string().ends_with("no disk")),
        "{error}"
    );
    let config = PenteRefereeConfig { games: 0, ..config };
    let error = referee_pente(&config, &mut agents, &mut |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "`games` is 0: expected 1 to 100,000 games");
}
