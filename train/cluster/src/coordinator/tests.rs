//! What is stored, what is rejected, and that nothing is believed.

use std::path::Path;

use selfplay_env::{Outcome, Side};
use selfplay_registry::Games;
use selfplay_shipped::shipped_games;
use selfplay_train::{GameEnd, PlyRecord, SearchTarget, ShardHeader};

use super::*;
use crate::packing::pack;

/// The games of the second task.
const SECOND: std::ops::Range<u32> = 8..16;

fn config() -> RunConfig {
    let text = "game = \"tictactoe\"\nseed = 5\ngenerations = 2\n[selfplay]\ngames_per_generation = 20\n";
    RunConfig::parse(text, &Games::new(&shipped_games())).unwrap()
}

/// A coordinator that waits for the games of generation 1.
fn coordinator(folder: &Path) -> Coordinator {
    let config = config();
    let game = Games::new(&shipped_games()).find("tictactoe").unwrap();
    let coordinator = Coordinator::new(game, config.clone(), folder);
    coordinator.admit("admitted".into());
    let ledger = GameLedger::open(&folder.join("shard"), game, config.seed, 1, &config.selfplay).unwrap();
    let network = NetworkName { generation: 0, object: "network".into() };
    let tasks = coordinator.open_generation(1, ledger, &[network], None);
    assert_eq!(tasks.len(), 3);
    coordinator
}

/// Actions of each game that was stored since this was asked last.
fn stored(coordinator: &Coordinator) -> Vec<usize> {
    coordinator.wait_for(1, Duration::ZERO).unwrap().0
}

fn games(numbers: std::ops::Range<u32>) -> Vec<GameRecord> {
    let target = SearchTarget { policy: vec![(4, 1)], win: 0.5, loss: 0.25, proven: None, surprise: 0.1 };
    let plies = [0, 3, 1, 4, 2].map(|action| PlyRecord { action, target: None }).to_vec();
    let end = GameEnd::by_rules(Outcome::Win(Side::First));
    let mut games: Vec<GameRecord> =
        numbers.map(|n| GameRecord { plies: plies.clone(), end, ..GameRecord::new(n) }).collect();
    games[0].plies[0].target = Some(target);
    games
}

/// What a worker sends.
fn whole(bytes: &[u8]) -> CompleteResult<()> {
    let packed = pack(bytes);
    let part = Part {
        worker: "w".into(),
        admission: "admitted".into(),
        key: TaskKey::GameRange { generation: 1, first: SECOND.start, count: 8 },
        objects: vec!["network".into()],
        digest: digest(bytes),
        cost: Cost { seconds: 1.0, cpu_seconds: 0.9, lookups: 4, hits: 1 },
        length: packed.len() as u32,
        index: 0,
        count: 1,
        bytes: Vec::new(),
    };
    CompleteResult { part, packed, tickets: vec![] }
}

fn shard(games: &[GameRecord]) -> Vec<u8> {
    shard_bytes(&ShardHeader::new(Games::new(&shipped_games()).find("tictactoe").unwrap(), 5, 1), games)
}

fn changed(change: impl FnOnce(&mut Vec<GameRecord>)) -> Vec<u8> {
    let mut games = games(SECOND);
    change(&mut games);
    shard(&games)
}

#[test]
fn games_are_stored_once_and_compared_when_they_come_again() {
    let folder = tempfile::tempdir().unwrap();
    let coordinator = coordinator(folder.path());
    let good = whole(&shard(&games(SECOND)));
    let key = good.part.key;
    assert_eq!(coordinator.status(&key, &good.part.digest), ResultStatus::Pending);
    assert_eq!(coordinator.take(&good, None), ResultStatus::Stored);
    assert_eq!(stored(&coordinator), [5; 8]);
    assert_eq!(coordinator.take(&good, None), ResultStatus::Stored, "the same again");
    assert_eq!(coordinator.status(&key, &good.part.digest), ResultStatus::Stored);
    assert!(stored(&coordinator).is_empty(), "it counts once");
    let other = whole(&changed(|games| games[0].simulations = 9));
    let status = coordinator.take(&other, None);
    assert!(
        matches!(&status, ResultStatus::Refused { reason } if reason.contains("differs from the stored result of w")),
        "{status:?}"
    );
    assert_eq!(coordinator.to_publish(Republish::All).len(), 2);
    // What was stored before this process is known as well.
    let ledger = coordinator.state().generations.remove(&1).unwrap().ledger;
    drop(ledger);
    let again = {
        let game = coordinator.game;
        let ledger = GameLedger::open(&folder.path().join("shard"), game, 5, 1, &config().selfplay).unwrap();
        let again = Coordinator::new(game, config(), folder.path());
        again.admit("admitted".into());
        let tasks = again.open_generation(1, ledger, &[], None);
        assert_eq!(tasks.len(), 2);
        again
    };
    assert_eq!(stored(&again), [5; 8], "the games that were found");
    assert_eq!(again.take(&good, None), ResultStatus::Stored);
}

#[test]
fn nothing_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let coordinator = coordinator(folder.path());
    let good = shard(&games(SECOND));
    let with = |change: fn(&mut CompleteResult<()>)| {
        let mut sent = whole(&good);
        change(&mut sent);
        sent
    };
    let header = ShardHeader { run_seed: 6, ..ShardHeader::new(coordinator.game, 5, 1) };
    let damaged = |place: usize| {
        let mut bytes = good.clone();
        bytes[place] ^= 1;
        whole(&bytes)
    };
    let cases = [
        (with(|sent| sent.part.admission = "not".into()), "arithmetic probe"),
        (with(|sent| sent.part.objects = vec!["other".into()]), "another network"),
        (with(|sent| sent.part.objects.clear()), "another network"),
        (with(|sent| sent.packed.truncate(9)), "invalid compression"),
        (with(|sent| sent.part.digest = digest(b"other")), "checksum mismatch with the message's hash"),
        (with(|sent| sent.part.cost.cpu_seconds = f64::NAN), "invalid cost"),
        (with(|sent| sent.part.cost.seconds = f64::INFINITY), "invalid cost"),
        (with(|sent| sent.part.cost.hits = sent.part.cost.lookups + 1), "invalid cost"),
        (whole(&changed(|games| games[3].simulations = u64::MAX)), "more simulations than"),
        // 15 KB that stand for 250 million plies without targets.
        (whole(&bomb(500)), "checksum mismatch, or not a games file"),
        (whole(&bomb(250_000_000)), "longer than"),
        (damaged(good.len() - 1), "checksum mismatch, or not a games file"),
        (damaged(3), "checksum mismatch, or not a games file"),
        (whole(&good[..good.len() - 4]), "checksum mismatch, or not a games file"),
        (whole(b""), "checksum mismatch, or not a games file"),
        (whole(&shard_bytes(&header, &games(SECOND))), "expected tictactoe"),
        (whole(&shard(&games(0..8))), "not those of the task"),
        (whole(&shard(&games(SECOND)[..1])), "not those of the task"),
        (whole(&changed(|games| games[0].plies[1].action = 0)), "does not agree with the rules"),
        (whole(&changed(|games| games[0].plies[1].action = 900)), "does not agree with the rules"),
        (whole(&changed(|games| games[1].end = GameEnd::by_rules(Outcome::Draw))), "does not agree with the rules"),
        (whole(&changed(|games| target(games).win = f32::NAN)), "does not agree with the rules"),
        (whole(&changed(|games| target(games).loss = 0.9)), "does not agree with the rules"),
        (whole(&changed(|games| target(games).surprise = f32::INFINITY)), "does not agree with the rules"),
        (whole(&changed(|games| target(games).proven = Some(2))), "does not agree with the rules"),
        (whole(&changed(|games| target(games).policy.clear())), "does not agree with the rules"),
    ];
    let count = cases.len();
    for (sent, expected) in cases {
        let status = coordinator.take(&sent, None);
        assert!(
            matches!(&status, ResultStatus::Refused { reason } if reason.contains(expected)),
            "{expected}: {status:?}"
        );
        assert_eq!(
            coordinator.to_publish(Republish::Late).len(),
            usize::from(sent.part.key == whole(&good).part.key),
            "asked again"
        );
    }
    let reasons = std::fs::read_to_string(folder.path().join("quarantine/reasons.jsonl")).unwrap();
    assert_eq!(reasons.lines().count(), count);
    assert!(stored(&coordinator).is_empty());
    let elsewhere = with(|sent| sent.part.key = TaskKey::GameRange { generation: 7, first: 0, count: 8 });
    assert_eq!(coordinator.take(&elsewhere, None), ResultStatus::Unwanted);
    assert_eq!(coordinator.take(&whole(&good), None), ResultStatus::Stored, "after all of that");
}

/// A shard whose first record claims so many plies, each the action 0 without a target.
fn bomb(plies: u32) -> Vec<u8> {
    let record = GameRecord { plies: vec![PlyRecord { action: 0, target: None }], ..GameRecord::new(SECOND.start) };
    let game = shard(&[record]);
    let (front, payload) = game.split_at(shard(&[]).len());
    // The record's number, the length of its list as a varint, the plies, and the rest.
    let payload = &payload[8..];
    let (mut varint, mut left) = (Vec::new(), plies);
    while left >= 0x80 {
        varint.push(left as u8 | 0x80);
        left >>= 7;
    }
    varint.push(left as u8);
    let list = vec![0; 2 * plies as usize];
    let long = [&payload[..1], &varint, &list, &payload[4..]].concat();
    let frame = [&(long.len() as u32).to_le_bytes()[..], &crc32fast::hash(&long).to_le_bytes(), &long].concat();
    [front, &frame].concat()
}

#[test]
fn incredible_costs_are_cut_to_what_the_task_allows() {
    let folder = tempfile::tempdir().unwrap();
    let coordinator = coordinator(folder.path());
    let state = WorkerState { worker: "w".into(), threads: 2, ..WorkerState::default() };
    coordinator.worker_reported(state);
    let mut sent = whole(&shard(&games(SECOND)));
    sent.part.cost = Cost { seconds: 1e308, cpu_seconds: 1e308, lookups: u64::MAX, hits: u64::MAX };
    assert_eq!(coordinator.take(&sent, None), ResultStatus::Stored);
    let state = coordinator.state();
    let open = &state.generations[&1];
    assert!(open.cpu_seconds_elsewhere <= 2.0 * 60.0, "{}", open.cpu_seconds_elsewhere);
    // Eight games of five plies.
    assert_eq!((open.cache.lookups, open.cache.hits), (160, 160));
}

fn target(games: &mut [GameRecord]) -> &mut SearchTarget {
    games[0].plies[0].target.as_mut().unwrap()
}
