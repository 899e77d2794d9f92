//! What is asked of the processes that run the file.

use std::sync::Arc;

/// What is asked of a process, in its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Op {
    /// Play `action` in `from`, keep the position as `to`, and tell of it. Where both are the same, the position is changed.
    Play = 0,
    /// The same without telling.
    Step = 1,
    /// Tell of `to` once more.
    Again = 2,
    /// Draw `to`.
    Board = 3,
}

/// One request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    pub op: Op,
    pub action: u16,
    pub from: u32,
    pub to: u32,
}

impl Request {
    /// A question about the position at `place`.
    pub fn about(op: Op, place: u32) -> Self {
        Request { op, action: 0, from: place, to: place }
    }

    /// Adds its twelve bytes to a frame.
    pub fn write(&self, frame: &mut Vec<u8>) {
        frame.extend_from_slice(&(self.op as u16).to_le_bytes());
        frame.extend_from_slice(&self.action.to_le_bytes());
        frame.extend_from_slice(&self.from.to_le_bytes());
        frame.extend_from_slice(&self.to.to_le_bytes());
    }
}

/// The actions that led to a position.
#[derive(Clone, Default, Debug)]
pub struct Trail(Option<Arc<(u16, Trail)>>);

impl Trail {
    /// With one action more.
    #[must_use]
    pub fn then(&self, action: u16) -> Trail {
        Trail(Some(Arc::new((action, self.clone()))))
    }

    /// All actions, from the first on.
    pub fn actions(&self) -> Vec<u16> {
        let mut actions = Vec::new();
        let mut rest = self;
        while let Some(step) = &rest.0 {
            actions.push(step.0);
            rest = &step.1;
        }
        actions.reverse();
        actions
    }
}
