//! The courses' kinds of players, as specifications name them.

use selfplay_players::{KindOf, PlayerKind};

use crate::players::{PentagoReportConfig, PenteMinimaxConfig, PenteRandomConfig};
use crate::program::PenteFileConfig;

/// All of them.
pub const PLAYER_KINDS: &[&dyn PlayerKind] = &[
    &KindOf::<PentagoReportConfig>::NEW,
    &KindOf::<PenteRandomConfig>::NEW,
    &KindOf::<PenteMinimaxConfig>::NEW,
    &KindOf::<PenteFileConfig>::NEW,
];
