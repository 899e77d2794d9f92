//! Tournaments against tables made by hand.

use std::path::Path;

use selfplay_arena::{
    CrossTable, MatchConfig, MatchSetting, Pairing, Participant, Round, TournamentConfig, TournamentFormat,
    TournamentReport, play_tournament,
};
use selfplay_env::Typed;
use selfplay_pente::Pente;
use selfplay_players::{Decision, EvalError, MoveRequest, Player};

use crate::Log;

type Board = Pente<9>;

/// Resigns at its move number `stamina`: the greater stamina wins, of equals the second player.
struct Resigning {
    name: &'static str,
    stamina: usize,
}

impl Player for Resigning {
    fn name(&self) -> String {
        self.name.into()
    }

    fn new_game(&mut self, _table: usize, _seed: u64) {}

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        if seat.history.len() / 2 + 1 == self.stamina {
            let (player, reason) = (self.name.into(), "resigns".into());
            return Err(EvalError::PlayerFailed { player, table: seat.table, reason });
        }
        let mut legal = Vec::new();
        seat.position.legal_actions(&mut legal);
        Ok(Decision::new(legal[0]))
    }
}

fn participants(field: &[(&'static str, usize)]) -> Vec<Participant<'static>> {
    let participant = |&(name, stamina): &(&'static str, usize)| {
        Participant::new(move || Ok(Box::new(Resigning { name, stamina }))).unwrap()
    };
    field.iter().map(participant).collect()
}

fn config(format: TournamentFormat, pairs: usize, seed: u64) -> TournamentConfig {
    TournamentConfig { format, pairing: MatchConfig { pairs, seed, opening_plies: 0, ..MatchConfig::default() } }
}

fn play(
    field: &[(&'static str, usize)],
    config: &TournamentConfig,
    cores: usize,
    path: Option<&Path>,
) -> TournamentReport {
    let setting = MatchSetting { cores, ..MatchSetting::default() };
    play_tournament(&Typed::<Board>::IT, &participants(field), config, &setting, path, &mut Log::default()).unwrap()
}

fn pairing(players: [usize; 2], wins: u32, draws: u32, losses: u32) -> Pairing {
    Pairing { players, wins, draws, losses, forfeits: [losses, wins] }
}

const FIELD: [(&str, usize); 4] = [("ann", 2), ("bob", 3), ("cleo", 1), ("dan", 2)];

#[test]
fn a_round_robin_of_double_games() {
    let report = play(&FIELD, &config(TournamentFormat::RoundRobin, 1, 0), 1, None);
    let round = |pairings: [Pairing; 2]| Round { pairings: pairings.to_vec(), byes: vec![] };
    let rounds = [
        round([pairing([0, 3], 1, 0, 1), pairing([1, 2], 2, 0, 0)]),
        round([pairing([0, 1], 0, 0, 2), pairing([2, 3], 0, 0, 2)]),
        round([pairing([0, 2], 2, 0, 0), pairing([1, 3], 2, 0, 0)]),
    ];
    assert_eq!(report.rounds, rounds);
    assert_eq!((report.games, report.winners()), (12, vec!["bob"]));
    let expected = [
        "  #  player  points      SB    won  drawn   lost     1     2     3     4",
        "  1  bob        6.0   12.00      6      0      0     *   2.0   2.0   2.0",
        "  2  ann        3.0    3.00      3      0      3   0.0     *   1.0   2.0",
        "  2  dan        3.0    3.00      3      0      3   0.0   1.0     *   2.0",
        "  4  cleo       0.0    0.00      0      0      6   0.0   0.0   0.0     *",
    ];
    let text = report.text();
    assert_eq!(text.lines().take(5).collect::<Vec<_>>(), expected);
    assert!(text.contains("cleo forfeited 6 games"), "{text}");
    // Of two equals the first player resigns in both games, at the same point.
    assert!(text.contains("8.3 % of the games are duplicates within their pairing"), "{text}");
}

#[test]
fn sonneborn_and_berger_break_ties() {
    let pairings = vec![
        pairing([0, 1], 2, 0, 0),
        pairing([0, 2], 0, 0, 2),
        pairing([0, 3], 1, 0, 1),
        pairing([1, 2], 2, 0, 0),
        pairing([3, 1], 0, 2, 0),
        pairing([2, 3], 0, 0, 2),
    ];
    let rounds = [Round { pairings, byes: vec![] }];
    let table = CrossTable::new(4, &rounds);
    let standings = table.standings(&rounds, None);
    let rows: Vec<_> = standings.iter().map(|s| (s.place, s.player, s.points, s.sonneborn_berger)).collect();
    assert_eq!(rows, [(1, 3, 4.0, 10.0), (2, 0, 3.0, 10.0), (3, 1, 3.0, 8.0), (4, 2, 2.0, 6.0)]);
    let ann = &standings[1];
    assert_eq!((ann.wins, ann.draws, ann.losses, ann.forfeits), (3, 0, 3, 3));
    assert_eq!((table.points_against(3, 1), table.points_against(1, 3)), (Some(1.0), Some(1.0)));
    assert_eq!(table.points_against(1, 1), None);
}

#[test]
fn in_a_gauntlet_the_first_meets_all_others() {
    let report = play(&FIELD, &config(TournamentFormat::Gauntlet, 2, 0), 2, None);
    let pairings: Vec<Pairing> = report.rounds.into_iter().flat_map(|round| round.pairings).collect();
    assert_eq!(pairings, [pairing([0, 1], 0, 0, 4), pairing([0, 2], 4, 0, 0), pairing([0, 3], 2, 0, 2)]);
    assert_eq!(report.games, 12);
}

#[test]
fn more_than_half_of_the_games_lost_is_out() {
    let loser = |wins, draws, losses| pairing([4, 7], wins, draws, losses).loser_of_most();
    assert_eq!([loser(1, 0, 1), loser(0, 2, 0), loser(0, 1, 1), loser(1, 1, 0), loser(2, 0, 2)], [None; 5]);
    assert_eq!([loser(0, 0, 2), loser(1, 0, 3), loser(0, 1, 3)], [Some(4); 3]);
    assert_eq!([loser(2, 0, 0), loser(3, 1, 0)], [Some(7); 2]);
}

#[test]
fn an_elimination_keeps_whoever_does_not_lose_most() {
    let field = [("a", 3), ("b", 5), ("c", 1), ("d", 4), ("e", 2)];
    for seed in 0..10 {
        let report = play(&field, &config(TournamentFormat::Elimination, 1, seed), 2, None);
        assert_eq!((report.winners(), report.rounds.len(), report.games), (vec!["b"], 3, 8));
        let losers = report.standings.iter().filter(|standing| standing.eliminated_in.is_some());
        assert_eq!(losers.count(), 4);
        let places: Vec<usize> = report.standings.iter().map(|standing| standing.place).collect();
        assert_eq!(places, [1, 2, 3, 4, 4], "the last round leaves one, the one before one, the first two");
        for pairing in report.rounds.iter().flat_map(|round| &round.pairings) {
            let [a, b] = pairing.players;
            assert_eq!(pairing.loser_of_most(), Some(if field[a].1 < field[b].1 { a } else { b }));
        }
        assert!(report.text().contains("round 3\n"), "{}", report.text());
    }
}

#[test]
fn an_elimination_may_have_several_winners() {
    let equals = [("a", 4), ("b", 4), ("c", 4), ("d", 4)];
    let report = play(&equals, &config(TournamentFormat::Elimination, 1, 3), 1, None);
    assert_eq!((report.winners().len(), report.rounds.len(), report.games), (4, 3, 12));
    assert!(report.standings.iter().all(|standing| (standing.place, standing.eliminated_in) == (1, None)));
    let two_strong = [("a", 4), ("b", 1), ("c", 4), ("d", 1), ("e", 2)];
    for seed in 0..10 {
        let report = play(&two_strong, &config(TournamentFormat::Elimination, 2, seed), 3, None);
        let mut winners = report.winners();
        winners.sort_unstable();
        assert_eq!(winners, ["a", "c"]);
    }
}

#[test]
fn an_interrupted_tournament_ends_like_an_unbroken_one() {
    let folder = tempfile::tempdir().unwrap();
    for format in [TournamentFormat::RoundRobin, TournamentFormat::Gauntlet, TournamentFormat::Elimination] {
        let config = config(format, 2, 1);
        let path = folder.path().join(format!("{format:?}.jsonl"));
        let report = play(&FIELD, &config, 1, Some(&path));
        assert_eq!(report, play(&FIELD, &config, 3, None), "a file changes nothing, nor do cores");
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 1 + report.games);
        let mut end = 0;
        for line in text.split_inclusive('\n') {
            for cut in [end + line.len() / 2, end + line.len()] {
                std::fs::write(&path, &text[..cut]).unwrap();
                assert_eq!(play(&FIELD, &config, 2, Some(&path)), report);
                assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            }
            end += line.len();
        }
        let surplus = text.lines().nth(1).unwrap().replace("\"match\":0", "\"match\":99");
        std::fs::write(&path, format!("{text}{surplus}\n{}\n", surplus.replace("game\":0", "game\":1"))).unwrap();
        let setting = MatchSetting::default();
        let error = play_tournament(
            &Typed::<Board>::IT,
            &participants(&FIELD),
            &config,
            &setting,
            Some(&path),
            &mut Log::default(),
        );
        assert!(error.unwrap_err().to_string().contains("line "));
    }
}

#[test]
fn wrong_fields_are_refused() {
    let refused = |field: &[(&'static str, usize)]| {
        let config = TournamentConfig::default();
        let setting = MatchSetting::default();
        play_tournament(&Typed::<Board>::IT, &participants(field), &config, &setting, None, &mut Log::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(refused(&[("ann", 1)]), "tournament of ann: expected at least two players");
    assert_eq!(refused(&[("ann", 1), ("ann", 2)]), "tournament of ann, ann: expected each player once");
    assert_eq!(TournamentConfig::default().pairing.pairs, 1);
}
