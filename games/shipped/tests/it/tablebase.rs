//! Tables of small games: made, killed, damaged, and compared with what plain searches find.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use selfplay_env::position_index::{PositionIndex, Turn};
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Rules, rules};
use selfplay_pylos::Pylos;
use selfplay_tablebase::{Tablebase, TablebaseConfig, TurnValue, build_tablebase};
use selfplay_tictactoe::TicTacToe;

fn config() -> TablebaseConfig {
    TablebaseConfig { memory_mib: 16, threads: 2, turns: true, save_every: Duration::from_secs(60) }
}

fn small_pyramid() -> &'static dyn PositionIndex {
    let variants = rules::<Pylos>().position_index().unwrap().variants();
    variants.into_iter().find(|variant| variant.name() == "three-levels").unwrap()
}

fn make(rules: &dyn Rules, position_index: &dyn PositionIndex, path: &Path, config: &TablebaseConfig) {
    build_tablebase(rules.id(), position_index, path, config, &mut |_| ()).unwrap();
}

/// Every value by the definition: round after round over all numbers, until nothing changes.
fn by_definition(position_index: &dyn PositionIndex) -> BTreeMap<u64, TurnValue> {
    let mut walker = position_index.walker();
    let mut turns: BTreeMap<u64, Vec<Turn>> = BTreeMap::new();
    for number in 0..position_index.count() {
        if walker.has_position(number) {
            let turns = turns.entry(number).or_default();
            walker.successors(number, &mut |turn| {
                turns.push(turn);
                ControlFlow::Continue(())
            });
        }
    }
    let mut values: BTreeMap<u64, TurnValue> = turns.keys().map(|&number| (number, TurnValue::Draw)).collect();
    loop {
        let value = |turns: &Vec<Turn>| {
            let worth = |turn: &Turn| match turn {
                Turn::To(next) => values[next].before(),
                Turn::Ends(1) => TurnValue::Win(1),
                Turn::Ends(-1) => TurnValue::Loss(1),
                Turn::Ends(_) => TurnValue::Draw,
            };
            turns.iter().map(worth).max_by_key(|value| value.rank()).unwrap_or(TurnValue::Loss(0))
        };
        let next: BTreeMap<_, _> = turns.iter().map(|(&number, turns)| (number, value(turns))).collect();
        if next == values {
            return values;
        }
        values = next;
    }
}

#[test]
fn tables_of_small_games_tell_the_values_of_their_definition() {
    let folder = tempfile::tempdir().unwrap();
    let games: [(&dyn Rules, &dyn PositionIndex); 2] =
        [(rules::<TicTacToe>(), rules::<TicTacToe>().position_index().unwrap()), (rules::<Pylos>(), small_pyramid())];
    for (rules, position_index) in games {
        let path = folder.path().join(rules.id());
        let summary = build_tablebase(rules.id(), position_index, &path, &config(), &mut |_| ()).unwrap();
        let table = Tablebase::open(&path, rules).unwrap();
        let expected = by_definition(position_index);
        for (&number, &value) in &expected {
            assert_eq!(table.value(number).unwrap(), value, "{} {number}", rules.id());
        }
        assert_eq!(summary.positions(), expected.len() as u64);
        assert_eq!(summary.initial, expected[&position_index.initial()]);
        let consistency = table.check(2, &mut |_| ()).unwrap();
        assert_eq!((consistency.wrong, &consistency.summary), (0, &summary));
        let longest = expected.values().filter_map(|value| value.turns()).max();
        assert_eq!(summary.longest().and_then(TurnValue::turns), longest);
        for block in 0..table.blocks() {
            let mut found = Vec::new();
            table.for_each_in_block(block, |number, value| found.push((number, value))).unwrap();
            assert!(found.iter().all(|(number, value)| expected.get(number).is_none_or(|known| known == value)));
        }
    }
}

/// The winner's turns lead nearer to the end every time, whatever the other side does, so no position comes twice and the rule
/// of the third occurrence never has a say.
#[test]
fn whoever_wins_by_a_table_meets_no_position_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    let position_index = small_pyramid();
    make(rules::<Pylos>(), position_index, &path, &config());
    let table = Tablebase::open(&path, rules::<Pylos>()).unwrap();
    let mut walker = position_index.walker();
    let mut rng = rng_for(&[12]);
    let mut followed = 0;
    while followed < 2000 {
        let mut number = rng.random_range(0..position_index.count());
        if !walker.has_position(number) {
            continue;
        }
        let TurnValue::Win(_) = table.value(number).unwrap() else { continue };
        let mut met = vec![number];
        loop {
            let mut ends = false;
            let mut next = Vec::new();
            walker.successors(number, &mut |turn| {
                match turn {
                    Turn::To(to) => next.push(to),
                    Turn::Ends(value) => ends |= value == 1,
                }
                ControlFlow::Continue(())
            });
            match table.value(number).unwrap() {
                TurnValue::Win(_) if ends => break,
                // Not only the fastest: any turn that leads nearer to the end will do.
                TurnValue::Win(turns) => {
                    next.retain(|&to| matches!(table.value(to).unwrap(), TurnValue::Loss(left) if left < turns));
                    assert!(!next.is_empty(), "the winner always has a turn that leads nearer to the end");
                }
                TurnValue::Loss(_) if next.is_empty() => break,
                TurnValue::Loss(_) => {}
                TurnValue::Draw => panic!("a won game is thrown away"),
            }
            number = next[rng.random_range(0..next.len())];
            assert!(!met.contains(&number), "{met:?} and then {number}");
            met.push(number);
        }
        followed += 1;
    }
}

/// Each call is interrupted in a sweep, as a kill would at any moment, and the next one resumes from the files on disk.
#[test]
fn a_table_that_is_broken_off_again_and_again_is_the_same_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, broken] = ["whole", "broken"].map(|name| folder.path().join(name));
    let (rules, position_index) = (rules::<Pylos>(), small_pyramid());
    make(rules, position_index, &whole, &config());
    let always = TablebaseConfig { save_every: Duration::ZERO, ..config() };
    let unfinished = folder.path().join("broken.unfinished");
    for sweep in [0, 0, 2, 4, 4, 10, 22] {
        let break_off = || {
            build_tablebase(rules.id(), position_index, &broken, &always, &mut |progress| {
                assert!(progress.turns < sweep, "broken off");
            })
        };
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(break_off)).is_err());
        std::panic::set_hook(hook);
        assert!(sweep == 0 || unfinished.exists());
    }
    make(rules, position_index, &broken, &TablebaseConfig { threads: 1, ..always });
    assert!(!unfinished.exists());
    assert!(fs::read(&whole).unwrap() == fs::read(&broken).unwrap());
}

#[test]
fn a_damaged_table_is_refused_byte_by_byte() {
    let folder = tempfile::tempdir().unwrap();
    let (path, rules) = (folder.path().join("table"), rules::<TicTacToe>());
    make(rules, rules.position_index().unwrap(), &path, &config());
    let whole = fs::read(&path).unwrap();
    let read_all = || {
        let table = Tablebase::open(&path, rules).map_err(|error| error.to_string())?;
        (0..table.blocks()).try_for_each(|block| table.for_each_in_block(block, |_, _| ()).map_err(|e| e.to_string()))
    };
    assert_eq!(read_all(), Ok(()));
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        fs::write(&path, &damaged).unwrap();
        let reason = read_all().expect_err("one byte is another");
        assert!(reason.contains(path.to_str().unwrap()), "{reason}");
    }
    for length in (0..whole.len()).step_by(97) {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(read_all().is_err(), "cut to {length}");
    }
    fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
    assert!(read_all().is_err());
}

#[test]
fn tables_of_something_else_and_too_little_memory_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    make(rules::<Pylos>(), small_pyramid(), &path, &config());
    let reason = Tablebase::open(&path, rules::<TicTacToe>()).err().unwrap().to_string();
    assert!(reason.contains("a table of pylos, not of tictactoe"), "{reason}");
    let table = Tablebase::open(&path, rules::<Pylos>()).unwrap();
    assert!(!table.is_of_played_rules(rules::<Pylos>()) && table.has_turns());

    let played = rules::<Pylos>().position_index().unwrap();
    let refused = build_tablebase("pylos", played, &path, &config(), &mut |_| ()).unwrap_err().to_string();
    assert!(refused.contains("16 are allowed") && refused.contains("--memory"), "{refused}");

    let unfinished = folder.path().join("table.unfinished");
    fs::write(&unfinished, "hello\n").unwrap();
    let refused = build_tablebase("pylos", small_pyramid(), &path, &config(), &mut |_| ()).unwrap_err().to_string();
    assert!(refused.contains("line 1"), "{refused}");
}

#[test]
fn outcomes_alone_are_those_of_the_whole_table() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, outcomes] = ["whole", "outcomes"].map(|name| folder.path().join(name));
    let (rules, position_index) = (rules::<Pylos>(), small_pyramid());
    make(rules, position_index, &whole, &config());
    make(rules, position_index, &outcomes, &TablebaseConfig { turns: false, ..config() });
    let [whole, outcomes] = [whole, outcomes].map(|path| Tablebase::open(&path, rules).unwrap());
    assert!(!outcomes.has_turns() && outcomes.bytes() < whole.bytes());
    let mut walker = position_index.walker();
    for number in (0..position_index.count()).filter(|&number| walker.has_position(number)) {
        assert_eq!(outcomes.value(number).unwrap().sign(), whole.value(number).unwrap().sign());
    }
}
