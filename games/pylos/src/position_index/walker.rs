//! From number to position and on to the numbers of other positions.

use std::ops::ControlFlow;

use selfplay_registry::position_index::{Turn, TurnGenerator};

use super::PylosIndex;
use super::classes::Class;
use super::pyramid::Reached;
use super::spheres::Spheres;

/// From a number to one at most so far behind it, choice after choice is less work than to restart.
const STEPS: u64 = 16;

/// A walker that remembers where it is: the next choice is made from the one before.
pub(super) struct Walker<'a> {
    position_index: &'a PylosIndex,
    class: Class,
    /// The first number behind those of the class that have as many own cells.
    end: u64,
    number: u64,
    choice: u32,
    spheres: Spheres,
}

impl<'a> Walker<'a> {
    pub fn new(position_index: &'a PylosIndex) -> Self {
        let class = position_index.classes.all()[0];
        let mut walker =
            Walker { position_index, class, end: 0, number: 0, choice: 0, spheres: Spheres { own: 0, other: 0 } };
        walker.seek(0);
        walker
    }

    /// Goes to `number`.
    #[inline]
    fn go(&mut self, number: u64) {
        if number >= self.end || number < self.number || number - self.number > STEPS {
            self.seek(number);
            return;
        }
        while self.number < number {
            // The next number with as many bits (Gosper; Knuth 4A, 7.1.3).
            let lowest = self.choice & self.choice.wrapping_neg();
            let ripple = self.choice + lowest;
            self.choice = ripple | ((self.choice ^ ripple) / lowest) >> 2;
            self.number += 1;
        }
        self.set_spheres();
    }

    #[cold]
    fn seek(&mut self, number: u64) {
        let classes = self.position_index.classes.all();
        self.class = classes[classes.partition_point(|class| class.first <= number) - 1];
        let size = self.class.cells.count_ones();
        let (choice, end) = self.position_index.combinations.at(size, number - self.class.first);
        (self.number, self.choice, self.end) = (number, choice, self.class.first + end);
        self.set_spheres();
    }

    #[inline]
    fn set_spheres(&mut self) {
        let own = self.position_index.bits.spread(self.class.cells, self.choice);
        self.spheres = Spheres { own, other: self.class.cells ^ own };
    }
}

impl Walker<'_> {
    /// The spheres of `number`, if it has a position.
    pub fn spheres_at(&mut self, number: u64) -> Option<Spheres> {
        (number < self.position_index.classes.count() && self.has_position(number)).then_some(self.spheres)
    }
}

impl TurnGenerator for Walker<'_> {
    fn has_position(&mut self, number: u64) -> bool {
        self.go(number);
        self.position_index.least_image(&self.class, self.spheres.own) == self.spheres.own
    }

    fn successors(&mut self, number: u64, visit: &mut dyn FnMut(Turn) -> ControlFlow<()>) {
        self.go(number);
        // Whether the visitor broke off is its own business.
        let _ = self.position_index.pyramid.successors(self.spheres, |reached| match reached {
            Reached::Turn(spheres) => visit(Turn::To(self.position_index.number(spheres))),
            Reached::Apex => visit(Turn::Ends(1)),
        });
    }

    fn passed(&mut self, number: u64) -> Option<u64> {
        self.go(number);
        let Spheres { own, other } = self.spheres;
        Some(self.position_index.number(Spheres { own: other, other: own }))
    }

    fn pieces(&mut self, number: u64) -> Option<usize> {
        self.go(number);
        Some(self.class.cells.count_ones() as usize)
    }

    fn predecessors(&mut self, number: u64, visit: &mut dyn FnMut(u64)) {
        self.go(number);
        self.position_index.pyramid.predecessors(self.spheres, |spheres| visit(self.position_index.number(spheres)));
    }
}
