//! Where a network is computed, by name. Which devices a program has depends on its [`Backend`](crate::Backend).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Why a device cannot be had.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DeviceError {
    /// A text that names no device.
    #[error("unknown device `{text}`: expected cpu, flex, cuda or wgpu")]
    Unknown {
        /// The text that was read.
        text: String,
    },
    /// The device exists, but this binary was built without it.
    #[error("device `{device}` is not available in this build; rebuild with `--features {feature}`")]
    NotCompiled {
        /// Name of the device.
        device: &'static str,
        /// Cargo feature that brings it.
        feature: &'static str,
    },
}

/// A kind of device, as written in configs and on command lines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// The CPU by the kernels of this project; the default.
    #[default]
    Cpu,
    /// The CPU by Burn's backend `flex`: a second opinion, several times slower; needs the cargo feature `burn`.
    Flex,
    /// The first NVIDIA GPU, by Burn; needs the cargo feature `cuda`.
    Cuda,
    /// The best GPU that Vulkan, Metal or DirectX offers, by Burn; needs the cargo feature `wgpu`.
    Wgpu,
}

impl DeviceKind {
    /// Every kind, compiled in or not.
    pub const ALL: [DeviceKind; 4] = [DeviceKind::Cpu, DeviceKind::Flex, DeviceKind::Cuda, DeviceKind::Wgpu];

    /// Whether the CPU computes, rather than a device of its own.
    pub const fn is_cpu(self) -> bool {
        matches!(self, DeviceKind::Cpu | DeviceKind::Flex)
    }

    /// The name in configs and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            DeviceKind::Cpu => "cpu",
            DeviceKind::Flex => "flex",
            DeviceKind::Cuda => "cuda",
            DeviceKind::Wgpu => "wgpu",
        }
    }

    /// The cargo feature that brings it; `None` if every build has it.
    pub const fn feature(self) -> Option<&'static str> {
        match self {
            DeviceKind::Cpu => None,
            DeviceKind::Flex => Some("burn"),
            DeviceKind::Cuda => Some("cuda"),
            DeviceKind::Wgpu => Some("wgpu"),
        }
    }

    /// Whether a build has the device that has the CPU alone.
    ///
    /// # Errors
    /// [`DeviceError::NotCompiled`].
    pub const fn check_cpu(self) -> Result<(), DeviceError> {
        match self.feature() {
            None => Ok(()),
            Some(feature) => Err(DeviceError::NotCompiled { device: self.name(), feature }),
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DeviceKind {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        DeviceKind::ALL
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| DeviceError::Unknown { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_in_text_and_in_configs() {
        #[derive(Serialize, Deserialize)]
        struct Config {
            device: DeviceKind,
        }
        for kind in DeviceKind::ALL {
            assert_eq!(kind.to_string().parse::<DeviceKind>().unwrap(), kind);
            let text = toml::to_string(&Config { device: kind }).unwrap();
            assert_eq!(text, format!("device = \"{kind}\"\n"));
            assert_eq!(toml::from_str::<Config>(&text).unwrap().device, kind);
        }
        assert!(matches!("tpu".parse::<DeviceKind>(), Err(DeviceError::Unknown { text }) if text == "tpu"));
    }
}
