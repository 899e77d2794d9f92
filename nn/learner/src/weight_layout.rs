//! All numbers of a network as one vector, so that an optimizer or an average is a formula over vectors.
//!
//! The vector holds trained weights and batch norm's running statistics in the order of [`Plan::tensors`]. Running
//! statistics have gradient zero and do not decay.

use std::collections::BTreeMap;
use std::ops::Range;

use selfplay_network::Plan;

/// Where the tensors of a network are in its vector.
#[derive(Clone, Debug)]
pub struct WeightLayout {
    ranges: BTreeMap<String, Range<usize>>,
    decay_mask: Vec<f32>,
}

impl WeightLayout {
    /// The layout for networks of this plan.
    pub fn new(plan: &Plan) -> Self {
        let mut layout = WeightLayout { ranges: BTreeMap::new(), decay_mask: Vec::new() };
        for tensor in plan.tensors() {
            let start = layout.decay_mask.len();
            let end = start + tensor.shape.iter().product::<usize>();
            layout.decay_mask.resize(end, f32::from(tensor.shape.len() >= 2));
            layout.ranges.insert(tensor.name, start..end);
        }
        layout
    }

    /// Length of the vector.
    pub fn weight_count(&self) -> usize {
        self.decay_mask.len()
    }

    /// 1 where weight decay applies and 0 elsewhere, `[weight_count]`: kernels and matrices decay, biases and norms do not.
    pub fn decay_mask(&self) -> &[f32] {
        &self.decay_mask
    }

    /// The numbers of the tensor called `name`, row-major, in a network's vector.
    ///
    /// # Panics
    /// If the plan has no such tensor, or the vector is that of another plan.
    pub fn part<'a>(&self, vector: &'a [f32], name: &str) -> &'a [f32] {
        &vector[self.range(name)]
    }

    /// [`part`](Self::part), to be changed.
    ///
    /// # Panics
    /// As that.
    pub fn part_mut<'a>(&self, vector: &'a mut [f32], name: &str) -> &'a mut [f32] {
        &mut vector[self.range(name)]
    }

    fn range(&self, name: &str) -> Range<usize> {
        self.ranges.get(name).unwrap_or_else(|| panic!("the network has no tensor `{name}`")).clone()
    }
}
