//! Opens the devices of Burn: its CPU device always, GPU devices by cargo feature.
//!
//! A device is always constructed by name. Burn's `Device::default()` picks the first backend that happens to be
//! compiled in, so adding a cargo feature anywhere in the build would silently move the computation.

pub use burn::tensor::Device;
use selfplay_network::device::{DeviceError, DeviceKind};

/// Opens the device, without autodiff. [`DeviceKind::Cpu`] stands for Burn's own CPU device here.
///
/// # Errors
/// [`DeviceError::NotCompiled`] if this build lacks the device.
pub fn open(kind: DeviceKind) -> Result<Device, DeviceError> {
    match kind {
        DeviceKind::Cpu | DeviceKind::Flex => Ok(Device::flex()),
        #[cfg(feature = "cuda")]
        DeviceKind::Cuda => Ok(Device::cuda(burn::tensor::DeviceIndex::Default)),
        #[cfg(feature = "wgpu")]
        DeviceKind::Wgpu => Ok(Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
        #[cfg(not(feature = "cuda"))]
        DeviceKind::Cuda => Err(DeviceError::NotCompiled { device: kind.name(), feature: "cuda" }),
        #[cfg(not(feature = "wgpu"))]
        DeviceKind::Wgpu => Err(DeviceError::NotCompiled { device: kind.name(), feature: "wgpu" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn a_missing_device_says_how_to_get_it() {
        let error = open(DeviceKind::Cuda).unwrap_err().to_string();
        assert!(error.contains("--features cuda"), "{error}");
    }
}
