//! Paths through the tree that outlive changes of the tree.

/// A list of paths from the root. They hold the numbers of children, because the indices of nodes change as blocks of
/// children grow. Keeps its memory when cleared.
#[derive(Clone, Default, Debug)]
pub(crate) struct Paths {
    /// One path after the other.
    ordinals: Vec<u16>,
    /// Where each path in `ordinals` ends.
    ends: Vec<usize>,
}

impl Paths {
    /// Number of paths.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds the path along the children with numbers `ordinals`.
    pub fn push(&mut self, ordinals: &[u16]) {
        self.ordinals.extend_from_slice(ordinals);
        self.ends.push(self.ordinals.len());
    }

    /// The path with number `index`.
    pub fn get(&self, index: usize) -> &[u16] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.ordinals[start..self.ends[index]]
    }

    /// Forgets all paths.
    pub fn clear(&mut self) {
        self.ordinals.clear();
        self.ends.clear();
    }
}
