//! Plots as pictures: a list of shapes that one renderer turns into SVG and another into PNG.
//!
//! All pictures have one size and one look: axis titles with units, legend outside the data, and the palette of Okabe
//! and Ito (2008), which colour-blind readers can tell apart. Where there is nothing to show, the picture says so.
//!
//! The modules stand in dependency order: a file imports only from files above it.

mod axis;
mod font;
mod picture;
mod render;

mod labels;
mod panel;

mod ablation;
mod elo;
mod losses;

pub use ablation::ablation_plot;
pub use elo::{EloAxis, elo_plot};
pub use losses::loss_plot;
pub use picture::{HEIGHT_PX, Picture, WIDTH_PX};
