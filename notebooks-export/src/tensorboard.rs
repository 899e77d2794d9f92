//! TensorBoard event files: the scalars of a run's events, as TensorBoard reads them during the run.
//!
//! A file is a sequence of TFRecords (tensorflow/core/lib/io/record_writer.h), each holding one `Event` message
//! (tensorflow/core/util/event.proto, tensorflow/core/framework/summary.proto).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use prost::Message;

use crate::events::{Event, Opponent, Seen};
use crate::files::write_file;
use crate::journal::{Journal, check_events};
use crate::live::SelfPlayNumbers;
use crate::rows::Column;
use crate::{ExportError, TableRow};

/// What the names of our files end with, so that files of others in the folder stay.
const OURS: &str = ".selfplay";
/// How TensorBoard knows an event file, followed by its time in seconds with ten digits; files are read by name.
const PREFIX: &str = "events.out.tfevents.";
/// A new file while it is written; TensorBoard would read any name with `tfevents` in it.
const UNFINISHED: &str = "unfinished-selfplay";
/// The version of the format, as the first event of each file says it.
const VERSION: &str = "brain.Event:2";
/// `SessionLog.START`: a TensorBoard that runs already forgets what it read from step 0 on.
const SESSION_START: i32 = 1;

/// `tensorflow.Event`, as far as it is used.
#[derive(Clone, PartialEq, Message)]
struct EventMessage {
    #[prost(double, tag = "1")]
    wall_time: f64,
    #[prost(int64, tag = "2")]
    step: i64,
    #[prost(oneof = "What", tags = "3, 5, 7")]
    what: Option<What>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum What {
    #[prost(string, tag = "3")]
    FileVersion(String),
    #[prost(message, tag = "5")]
    Summary(SummaryMessage),
    #[prost(message, tag = "7")]
    SessionLog(SessionLogMessage),
}

/// `tensorflow.Summary`.
#[derive(Clone, PartialEq, Message)]
struct SummaryMessage {
    #[prost(message, repeated, tag = "1")]
    value: Vec<ValueMessage>,
}

/// `tensorflow.Summary.Value`. The value has presence in the format (a oneof): a zero is written too.
#[derive(Clone, PartialEq, Message)]
struct ValueMessage {
    #[prost(string, tag = "1")]
    tag: String,
    #[prost(float, optional, tag = "2")]
    simple_value: Option<f32>,
}

/// `tensorflow.SessionLog`.
#[derive(Clone, PartialEq, Message)]
struct SessionLogMessage {
    #[prost(int32, tag = "1")]
    status: i32,
}

/// One number of an event.
#[derive(Clone, PartialEq, Debug)]
pub struct Scalar {
    /// The curve it belongs to; `docs/tables.md` and `docs/metrics.md` list all.
    pub tag: String,
    /// The number itself, in the unit of its row.
    pub value: f64,
}

/// The curves that an event has a point on, and the step of that point: the training step for learning, the generation
/// for all else. Diagnostics, matches among baselines and ratings of baselines have none.
pub fn scalars_of(event: &Event<'_>) -> (u64, Vec<Scalar>) {
    let points = match event {
        Event::SelfPlay(row) => points_of(*row),
        Event::Learning(row) => points_of(*row),
        Event::Rating(row) if row.generation.is_some() => points_of(*row),
        Event::Rating(_) | Event::Match { .. } | Event::Diagnostic(_) => Vec::new(),
    };
    let derived: Vec<(String, Option<f64>)> = match event {
        Event::SelfPlay(row) => {
            let numbers = SelfPlayNumbers::from_row(row);
            let named = [
                ("first_share", Some(numbers.first_share)),
                ("second_share", Some(numbers.second_share)),
                ("draw_share", Some(numbers.draw_share)),
                ("truncated_share", Some(numbers.truncated_share)),
                ("positions_per_second", numbers.positions_per_second),
                ("simulations_per_second", numbers.simulations_per_second),
            ];
            named.map(|(name, value)| (format!("self_play/{name}"), value)).into()
        }
        Event::Match { row, .. } if row.verdict.is_none() => Vec::new(),
        Event::Match { row, opponent: Opponent::Baseline } => vec![(format!("ladder/{}", row.b), Some(row.score))],
        Event::Match { row, opponent: Opponent::Generation } => {
            vec![("gate/score".into(), Some(row.score)), ("gate/elo".into(), row.elo)]
        }
        Event::Learning(_) | Event::Rating(_) | Event::Diagnostic(_) => Vec::new(),
    };
    let step = match event {
        Event::Learning(row) => row.step,
        _ => event.generation().into(),
    };
    let derived = derived.into_iter().filter_map(|(tag, value)| Some(Scalar { tag, value: value? }));
    (step, points.into_iter().chain(derived).collect())
}

/// The points on the curves that a row's columns are declared to belong to.
fn points_of<R: TableRow>(row: &R) -> Vec<Scalar> {
    let point = |(column, value): (&Column, f64)| Some(Scalar { tag: column.curve?.to_owned(), value });
    row.known_numbers().filter_map(point).collect()
}

/// The open event file of a run, which holds each event at most once.
#[derive(Debug)]
pub struct TensorBoardFile(Journal);

impl TensorBoardFile {
    /// Writes these events into a fresh file in `folder`, which is made where it is missing, and empties the older files
    /// of ours there, so that no step appears twice. `unix_seconds` tells when an event was, in seconds since 1970.
    ///
    /// # Errors
    /// [`ExportError::NotFinite`] before anything is written, [`ExportError::Write`].
    pub fn rewrite(
        folder: &Path,
        events: &[Event<'_>],
        unix_seconds: &dyn Fn(&Event<'_>) -> f64,
    ) -> Result<Self, ExportError> {
        let mut seen = Seen::default();
        let events = seen.fresh(events);
        check_events(&events)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        let begin = events.first().map_or(now, unix_seconds);
        let mut bytes = Vec::new();
        let mut head = |what| push_record(&mut bytes, &EventMessage { wall_time: begin, step: 0, what: Some(what) });
        head(What::FileVersion(VERSION.to_owned()));
        head(What::SessionLog(SessionLogMessage { status: SESSION_START }));
        push_events(&mut bytes, &events, unix_seconds);

        let at = |source| ExportError::Write { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(at)?;
        let unfinished = folder.join(UNFINISHED);
        write_file(&unfinished, &bytes)?;
        let path = replace_ours(folder, &unfinished).map_err(at)?;
        seen.take(&events);
        Ok(TensorBoardFile(Journal::open(&path, seen)?))
    }

    /// Appends those of `events` that the file does not hold yet, as of `unix_seconds`; returns how many. Giving all
    /// events of the run after each phase is right.
    ///
    /// # Errors
    /// [`ExportError::NotFinite`] before anything is written; [`ExportError::Write`], and the events count as not
    /// written.
    pub fn append(
        &mut self,
        events: &[Event<'_>],
        unix_seconds: &dyn Fn(&Event<'_>) -> f64,
    ) -> Result<usize, ExportError> {
        self.0.append(events, |fresh| {
            let mut bytes = Vec::new();
            push_events(&mut bytes, fresh, unix_seconds);
            Ok(bytes)
        })
    }

    /// The file that is written to.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Gives the file at `unfinished` a name after all older ones of ours in `folder`, which are emptied first: a kill in
/// between leaves no events, which the next call writes anew, and never two with the same step. The newest of the old
/// ones stays, empty, since a TensorBoard that has it open finds its way from there to the next, and all others go.
fn replace_ours(folder: &Path, unfinished: &Path) -> io::Result<PathBuf> {
    let mut old: Vec<(u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let middle = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(OURS));
        if let Some(number) = middle.and_then(|digits| digits.parse().ok()) {
            old.push((number, entry.path()));
        }
    }
    old.sort();
    let newest = old.pop();
    for (_, path) in old {
        fs::remove_file(path)?;
    }
    let mut number = 1;
    if let Some((last, path)) = newest {
        File::create(path)?;
        number = last + 1;
    }
    let path = folder.join(format!("{PREFIX}{number:010}{OURS}"));
    fs::rename(unfinished, &path)?;
    Ok(path)
}

fn push_events(bytes: &mut Vec<u8>, events: &[Event<'_>], unix_seconds: &dyn Fn(&Event<'_>) -> f64) {
    for event in events {
        let (step, scalars) = scalars_of(event);
        if scalars.is_empty() {
            continue;
        }
        let value = |scalar: Scalar| ValueMessage { tag: scalar.tag, simple_value: Some(scalar.value as f32) };
        let summary = SummaryMessage { value: scalars.into_iter().map(value).collect() };
        let what = Some(What::Summary(summary));
        push_record(bytes, &EventMessage { wall_time: unix_seconds(event), step: step as i64, what });
    }
}

/// One TFRecord: length, its checksum, the message, its checksum.
fn push_record(bytes: &mut Vec<u8>, message: &EventMessage) {
    let message = message.encode_to_vec();
    let length = (message.len() as u64).to_le_bytes();
    bytes.extend(length);
    bytes.extend(masked_checksum(&length).to_le_bytes());
    bytes.extend(&message);
    bytes.extend(masked_checksum(&message).to_le_bytes());
}

/// CRC-32C, rotated and shifted so that checksums of checksums stay good (tensorflow/core/lib/hash/crc32c.h, `Mask`).
fn masked_checksum(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}
