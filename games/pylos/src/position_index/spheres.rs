//! What is numbered.

/// The spheres of the side to move and of the other side, at the start of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spheres {
    pub own: u32,
    pub other: u32,
}
