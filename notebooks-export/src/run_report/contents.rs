//! What a report is made of.

use crate::ReportRows;
use crate::plots::Board;

/// What is known of a run besides its numbers; texts come from users and are shown as they are.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct RunMeta {
    /// The game's id.
    pub game: String,
    /// The network in words: blocks, channels, parameters.
    pub network: String,
    /// What searches in self-play and in the gate, in words.
    pub search: String,
    /// The days from the first to the last file of the run, in words.
    pub dates: String,
    /// The generation that the run names as its champion.
    pub champion: Option<u32>,
    /// The config file that the run goes by.
    pub config_text: String,
    /// The machine in words: CPU, cores, memory.
    pub machine: String,
    /// The run's seed.
    pub seed: Option<u64>,
    /// The commit the program was built from.
    pub commit: Option<String>,
    /// Version of the program.
    pub program_version: String,
    /// Size of the board on which openings are drawn; `None` takes it from the cells that there are.
    pub board: Option<Board>,
    /// What is wrong with the data, such as files that are damaged or missing.
    pub warnings: Vec<String>,
    /// What the run's doctor has to say.
    pub diagnostics: Vec<String>,
}

/// One run of a report.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct RunReport {
    /// Its name, as in legends and headings.
    pub name: String,
    /// What is known of it besides numbers.
    pub meta: RunMeta,
    /// Its numbers.
    pub rows: ReportRows,
    /// Positions of its newest games that show something.
    pub samples: Vec<SamplePosition>,
}

/// A position of a game, with what the search thought of it.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct SamplePosition {
    /// Where it is from, and why it is shown.
    pub title: String,
    /// The board as text.
    pub board: String,
    /// What there is to say, a line each.
    pub lines: Vec<String>,
}

/// What a report is about: one run, or several to compare.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Report {
    /// The runs, in the order of the page.
    pub runs: Vec<RunReport>,
    /// How the plots are stored next to the page, which holds them all itself.
    pub pictures: PictureFiles,
}

/// Files for each plot.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PictureFiles {
    /// One to scale, and one of pixels for programs that take no other.
    #[default]
    SvgAndPng,
    /// One to scale.
    Svg,
}
