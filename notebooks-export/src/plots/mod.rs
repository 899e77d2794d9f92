//! Figures, drawn by plotters: its charts and series on its SVG and bitmap backends, and on a backend of ours for PGF.
//!
//! All figures have one size and one look: axis titles with units, legend outside the data, and the palette of Okabe
//! and Ito (2008), which colour-blind readers can tell apart. A figure without data gives the reason instead.
//!
//! The modules stand in dependency order: a file imports only from files above it.

mod axis;
mod palette;

mod font;
mod size;

pub(crate) mod pgf;

mod canvas;

mod text;

mod picture;

mod bitmap;
mod svg;

#[cfg(test)]
pub(crate) mod text_boxes;

mod panel;
mod series;

mod labels;
mod shades;

mod lines;

mod elo;
mod intervals;
mod losses;

mod stacked;

mod calibration;
mod comparison;
mod cross_table;
mod gate;
mod mistakes;
mod opening;
mod training;
mod whole_game;

pub use axis::number_text;
pub use calibration::{calibration_plot, value_error_plot};
pub use comparison::{LossTerm, elo_comparison_plot, loss_comparison_plot};
pub use cross_table::cross_table_plot;
pub use elo::{EloAxis, elo_plot};
pub use gate::gate_plot;
pub use intervals::{RatedName, ablation_plot, interval_plot};
pub use losses::loss_plot;
pub use mistakes::mistakes_plot;
pub use opening::{Board, opening_policy_plot};
pub use picture::Picture;
pub use size::{HEIGHT_PX, WIDTH_PX};
pub use svg::escaped;
pub use training::{game_length_plot, loss_terms_plot, outcome_plot, policy_plot, throughput_plot};
pub use whole_game::{pieces_plot, turns_plot};
