//! How exactly a network is computed on a CPU.

use std::fmt;
use std::str::FromStr;

use selfplay_kernels::BytePath;
use serde::{Deserialize, Serialize};

use crate::error::NetworkError;

/// What the tower of a fused network computes in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit floats.
    F32,
    /// Bytes with 32-bit sums: where the CPU multiplies bytes (AVX-512 VNNI) 1 to 1.5 times as fast, by the board, and
    /// more for a single position; more with a matrix unit (AMX); far slower than floats elsewhere.
    Int8,
}

impl Precision {
    /// Every precision.
    pub const ALL: [Precision; 2] = [Precision::F32, Precision::Int8];

    /// The fastest on this CPU.
    pub fn fastest() -> Self {
        match BytePath::detect() {
            BytePath::Plain => Precision::F32,
            _ => Precision::Int8,
        }
    }

    /// The name in configs and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Int8 => "int8",
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Precision {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        Precision::ALL
            .into_iter()
            .find(|precision| precision.name() == text)
            .ok_or_else(|| NetworkError::UnknownPrecision { text: text.to_owned() })
    }
}
