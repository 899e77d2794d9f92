//! One action of a game, as an index into the game's policy vector.

/// Index of an action in its game's policy vector, in `0..action_count` of its [`GameSpec`](crate::GameSpec).
///
/// The same number stands for the same action in the rules, the search, stored records and the network's policy
/// head. What each index means is written in the README of the game's folder; names for people come from
/// [`Game::action_name`](crate::Game::action_name).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action(pub u16);

impl Action {
    /// The index as a `usize`, to look into policy vectors.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The action with policy index `index`.
    ///
    /// # Panics
    /// If `index` does not fit in 16 bits; every game's action count does.
    #[inline]
    pub fn from_index(index: usize) -> Self {
        Action(u16::try_from(index).expect("policy indices fit in 16 bits"))
    }
}
