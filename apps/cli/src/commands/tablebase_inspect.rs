//! `tablebase inspect`: what a tablebase holds, and whether it is right.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use selfplay_env::Rules;
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_notebooks_export::plots::{pieces_plot, turns_plot};
use selfplay_notebooks_export::write_plot;
use selfplay_pipeline::all_cores;
use selfplay_players::{TableComparison, TablebaseLookup};
use selfplay_registry::{GameRef, Games};
use selfplay_tablebase::{Consistency, Summary, Tablebase, TurnValue, Zugzwang};
use serde::Serialize;

use crate::args::{TablebaseInspectArgs, start_threads};
use crate::error::CliError;
use crate::placing::check_folder;
use crate::progress::PhaseBar;

/// Turns to the end of the positions that are searched, at most.
const SEARCHED_TURNS: u8 = 6;
/// Look-ups that are timed.
const LOOK_UPS: usize = 200_000;

/// What `--json` prints.
#[derive(Serialize)]
struct TableReport {
    game: String,
    rules: String,
    bytes: u64,
    has_turns: bool,
    /// Value of the initial position for the first player: 1, 0 or -1.
    value: i8,
    /// Turns to its end.
    turns: Option<u8>,
    /// Microseconds of a look-up, one after the other, at random among those that were looked up before.
    #[serde(skip_serializing_if = "Option::is_none")]
    look_up_us: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<CheckReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest: Option<LongestGame>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<ComparisonReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<ComparisonReport>,
}

#[derive(Serialize)]
struct CheckReport {
    positions: u64,
    turns: u64,
    wrong: u64,
    /// By turns to the end.
    wins: Vec<u64>,
    losses: Vec<u64>,
    draws: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    zugzwang: Option<Zugzwang>,
    /// Positions that are won, drawn and lost, by the pieces on the board.
    by_pieces: BTreeMap<usize, [u64; 3]>,
    seconds: f64,
}

impl CheckReport {
    fn new(found: Consistency, seconds: f64) -> Self {
        let Consistency { summary, wrong, turns, zugzwang, by_pieces, .. } = found;
        let positions = summary.positions();
        let Summary { wins, losses, draws, .. } = summary;
        CheckReport { positions, turns, wrong, wins, losses, draws, zugzwang, by_pieces, seconds }
    }
}

/// A game between perfect players from the middle on.
#[derive(Serialize)]
struct LongestGame {
    board: String,
    moves: String,
}

impl LongestGame {
    fn from(tablebase: &TablebaseLookup, game: &dyn Rules, number: u64) -> Result<Self, CliError> {
        let position = game.at_number(number).expect("a number with a value has a position");
        let moves = game.format_line(&tablebase.line(&*position)?);
        Ok(LongestGame { board: position.board(), moves })
    }
}

#[derive(Serialize)]
struct ComparisonReport {
    positions: u64,
    disagreements: usize,
}

impl From<&TableComparison> for ComparisonReport {
    fn from(comparison: &TableComparison) -> Self {
        ComparisonReport { positions: comparison.positions, disagreements: comparison.disagreements.len() }
    }
}

/// Prints what the table holds, after the checks that were asked for.
///
/// # Errors
/// If the game or the table is wrong, a check finds an error, or the output cannot be written.
pub fn inspect(args: &TablebaseInspectArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    args.plot.iter().chain(&args.plot_pieces).try_for_each(|plot| check_folder(plot))?;
    let table = Tablebase::open(&args.file, game)?;
    let threads = args.threads.map_or_else(all_cores, usize::from);
    start_threads(threads);
    let initial = table.value(table.position_index().initial())?;
    let mut look_up = LookUp { args, game, report: describe(&table, initial, game, args)?, wrong: 0, out };
    look_up.print_description(initial)?;
    let longest = if args.check { look_up.check(&table, threads)? } else { None };
    if args.sample > 0 || args.search > 0 || longest.is_some() {
        look_up.compare(&TablebaseLookup::new(table, &args.file, game)?, longest)?;
    }
    let LookUp { report, wrong, .. } = look_up;
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report).expect("plain data"))?;
    }
    match wrong {
        0 => Ok(()),
        _ => Err(CliError::WrongTable { path: args.file.clone(), wrong }),
    }
}

/// What is known of a table before it is checked; `initial` is the value of the initial position.
fn describe(
    table: &Tablebase,
    initial: TurnValue,
    game: &dyn Rules,
    args: &TablebaseInspectArgs,
) -> Result<TableReport, CliError> {
    Ok(TableReport {
        game: game.id().into(),
        rules: table.position_index().name().into(),
        bytes: table.bytes(),
        has_turns: table.has_turns(),
        value: initial.sign(),
        turns: initial.turns().filter(|_| table.has_turns()),
        look_up_us: if args.time { Some(time_look_ups(table, args.seed)?) } else { None },
        check: None,
        longest: None,
        sample: None,
        search: None,
    })
}

/// A table on the way: what was found so far goes into the report, and, without `--json`, to people.
struct LookUp<'a> {
    args: &'a TablebaseInspectArgs,
    game: GameRef,
    report: TableReport,
    /// Values found wrong.
    wrong: u64,
    out: &'a mut dyn Write,
}

impl LookUp<'_> {
    fn print_description(&mut self, initial: TurnValue) -> Result<(), CliError> {
        if self.args.json {
            return Ok(());
        }
        let TableReport { game, rules, bytes, look_up_us, .. } = &self.report;
        let time = look_up_us.map_or_else(String::new, |microseconds| format!(", {microseconds:.2} µs a look-up"));
        writeln!(self.out, "{game}, {rules}: {}", in_words(initial, "the first player"))?;
        writeln!(self.out, "{}{time}", size(*bytes))?;
        Ok(())
    }

    /// Compares each value with those of its turns and draws the plots; the number of the position that is the longest to
    /// win, if the table is right and of the rules that are played.
    fn check(&mut self, table: &Tablebase, threads: usize) -> Result<Option<u64>, CliError> {
        let begun = Instant::now();
        let bar = PhaseBar::new("checking", table.position_index().count(), "numbers");
        let found = table.check(threads, &mut |passed| bar.reach(passed))?;
        drop(bar);
        let seconds = begun.elapsed().as_secs_f64();
        self.wrong += found.wrong;
        if !self.args.json {
            print_check(&found, seconds, self.out)?;
        }
        if let Some(path) = &self.args.plot {
            let Summary { wins, losses, .. } = &found.summary;
            write_plot(path, &turns_plot(wins, losses, found.summary.positions()))?;
        }
        if let Some(path) = &self.args.plot_pieces {
            let counts: Vec<(usize, [u64; 3])> = found.by_pieces.clone().into_iter().collect();
            write_plot(path, &pieces_plot(&counts))?;
        }
        // Where values are wrong a line need not end.
        let longest = found.longest.filter(|_| found.wrong == 0 && table.is_of_played_rules(self.game));
        self.report.check = Some(CheckReport::new(found, seconds));
        Ok(longest.map(|(number, _)| number))
    }

    /// Plays the longest game out, and compares values at random with the rules and with a search.
    fn compare(&mut self, tablebase: &TablebaseLookup, longest: Option<u64>) -> Result<(), CliError> {
        let TablebaseInspectArgs { sample, search, seed, json, .. } = *self.args;
        if let Some(number) = longest {
            let longest = LongestGame::from(tablebase, self.game, number)?;
            if !json {
                let LongestGame { board, moves } = &longest;
                writeln!(self.out, "the longest, between perfect players:\n{board}\n{moves}")?;
            }
            self.report.longest = Some(longest);
        }
        let bar = PhaseBar::new("comparing", sample + search, "positions");
        let advance = |positions| bar.advance(positions);
        let turns = tablebase.compare_turns(self.game, sample, seed, &advance)?;
        let searches = tablebase.compare_searches(self.game, search, SEARCHED_TURNS, seed, &advance)?;
        drop(bar);
        let searched = format!("searched to their end in at most {SEARCHED_TURNS} turns");
        for (comparison, how) in [(&turns, "whose turns the rules tell"), (&searches, &*searched)] {
            self.wrong += comparison.disagreements.len() as u64;
            if !json && comparison.positions > 0 {
                print_comparison(comparison, how, self.out)?;
            }
        }
        self.report.sample = (sample > 0).then(|| ComparisonReport::from(&turns));
        self.report.search = (search > 0).then(|| ComparisonReport::from(&searches));
        Ok(())
    }
}

/// Microseconds of a look-up, medians being useless for what a page fault makes long: each number is looked up once before.
fn time_look_ups(table: &Tablebase, seed: u64) -> Result<f64, CliError> {
    let mut rng = rng_for(&[seed]);
    let numbers: Vec<u64> = (0..LOOK_UPS).map(|_| rng.random_range(0..table.position_index().count())).collect();
    let mut seconds = 0.0;
    for _ in 0..2 {
        let begun = Instant::now();
        for &number in &numbers {
            table.value(number)?;
        }
        seconds = begun.elapsed().as_secs_f64();
    }
    Ok(1e6 * seconds / LOOK_UPS as f64)
}

/// `3.7 KiB`, `569.2 MiB`.
pub fn size(bytes: u64) -> String {
    let kib = bytes as f64 / 1024.0;
    if kib < 1024.0 { format!("{kib:.1} KiB") } else { format!("{:.1} MiB", kib / 1024.0) }
}

/// `the first player loses in 40 turns`.
pub fn in_words(value: TurnValue, who: &str) -> String {
    match value {
        TurnValue::Win(turns) => format!("{who} wins in {turns} turns"),
        TurnValue::Loss(turns) => format!("{who} loses in {turns} turns"),
        TurnValue::Draw => "drawn".to_owned(),
    }
}

fn print_check(found: &Consistency, seconds: f64, out: &mut dyn Write) -> Result<(), CliError> {
    let Consistency { summary, wrong, turns, zugzwang, .. } = found;
    let positions = summary.positions();
    let share = |count: u64| 100.0 * count as f64 / positions as f64;
    writeln!(out, "{positions} positions with {turns} turns compared in {seconds:.0} s, {wrong} wrong")?;
    for (number, value, best) in &found.examples {
        writeln!(out, "number {number} is {value:?} in the table, its best turn {best:?}")?;
    }
    let (wins, losses) = (summary.wins.iter().sum(), summary.losses.iter().sum());
    for (name, count) in [("won", wins), ("drawn", summary.draws), ("lost", losses)] {
        writeln!(out, "{name:<6}{count:>14}{:>8.3} %", share(count))?;
    }
    if let Some(Zugzwang { better_to_pass, lost_by_moving }) = zugzwang {
        writeln!(
            out,
            "zugzwang: {:.3} % would be worth more with the other side to move, {:.3} % won instead of lost",
            share(*better_to_pass),
            share(*lost_by_moving)
        )?;
    }
    Ok(())
}

fn print_comparison(comparison: &TableComparison, how: &str, out: &mut dyn Write) -> Result<(), CliError> {
    let TableComparison { positions, disagreements } = comparison;
    writeln!(out, "{positions} random positions {how}: {} disagreements", disagreements.len())?;
    for found in disagreements.iter().take(3) {
        writeln!(
            out,
            "number {}: {:?} in the table, by the rules {}\n{}",
            found.number, found.table, found.rules, found.board
        )?;
    }
    Ok(())
}
