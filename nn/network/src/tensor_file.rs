//! Named `f32` tensors as safetensors bytes.
//!
//! The same tensors always give the same bytes (no metadata, tensors sorted by name), so files can be compared and
//! hashed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

use safetensors::{Dtype, SafeTensorError, SafeTensors, View};

use crate::error::NetworkError;

/// A tensor of `f32` on the host.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedTensor {
    /// Path in its module, such as `blocks.0.first.conv.weight`, or any other name unique in its file.
    pub name: String,
    /// Length of each axis.
    pub shape: Vec<usize>,
    /// Row-major; the last axis runs fastest.
    pub values: Vec<f32>,
}

impl NamedTensor {
    /// The first of its numbers that is infinite or none at all.
    pub fn not_finite(&self) -> Option<f32> {
        self.values.iter().copied().find(|value| !value.is_finite())
    }
}

impl View for &NamedTensor {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Owned(self.values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    fn data_len(&self) -> usize {
        size_of_val(self.values.as_slice())
    }
}

/// Why tensors and bytes are not those of a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TensorFileError {
    /// They break the format.
    #[error(transparent)]
    Format(#[from] SafeTensorError),
    /// A tensor of other numbers.
    #[error("`{name}` holds {found:?}, not F32")]
    Type {
        /// Its name.
        name: String,
        /// Its type of numbers.
        found: Dtype,
    },
    /// A number that is infinite or none at all.
    #[error("`{name}` holds {value}")]
    NotFinite {
        /// The tensor's name.
        name: String,
        /// The number.
        value: f32,
    },
}

impl TensorFileError {
    /// The error of the file at `path`.
    pub(crate) fn in_file(self, path: PathBuf) -> NetworkError {
        NetworkError::UnfitTensors { path, reason: self.to_string() }
    }
}

/// The bytes of a safetensors file.
pub(crate) fn encode(tensors: &[NamedTensor]) -> Result<Vec<u8>, TensorFileError> {
    serialize(tensors, None)
}

/// The same with metadata in the header, which programs outside read.
pub(crate) fn encode_with_metadata(
    tensors: &[NamedTensor],
    metadata: HashMap<String, String>,
) -> Result<Vec<u8>, TensorFileError> {
    serialize(tensors, Some(metadata))
}

fn serialize(tensors: &[NamedTensor], metadata: Option<HashMap<String, String>>) -> Result<Vec<u8>, TensorFileError> {
    let views = tensors.iter().map(|tensor| (tensor.name.as_str(), tensor));
    Ok(safetensors::serialize(views, metadata)?)
}

/// The tensors of a safetensors file by name. Numbers that are not finite are wrong.
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<NamedTensor>, TensorFileError> {
    let file = SafeTensors::deserialize(bytes)?;
    let mut tensors = Vec::with_capacity(file.len());
    for (name, view) in file.iter() {
        if view.dtype() != Dtype::F32 {
            return Err(TensorFileError::Type { name: name.to_owned(), found: view.dtype() });
        }
        let (chunks, _) = view.data().as_chunks::<4>();
        let values: Vec<f32> = chunks.iter().map(|&chunk| f32::from_le_bytes(chunk)).collect();
        let tensor = NamedTensor { name: name.to_owned(), shape: view.shape().to_vec(), values };
        if let Some(value) = tensor.not_finite() {
            return Err(TensorFileError::NotFinite { name: name.to_owned(), value });
        }
        tensors.push(tensor);
    }
    Ok(tensors)
}
