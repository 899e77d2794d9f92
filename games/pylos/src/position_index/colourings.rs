//! Whose spheres stand on the filled cells: the ways to choose the side to move's among them, in order.

use super::bits::BITS;

/// Bits of a part of a choice, of which three make up the whole.
const PART: u32 = 10;
const PARTS: usize = 3;

/// For each number of filled cells, the ways to choose the own ones.
#[derive(Debug)]
pub(super) struct Combinations {
    of_size: Vec<SizedCombinations>,
    ranks: Ranks,
    /// [`binomial`] of each size and number of cells.
    binomials: Vec<[u64; BITS as usize]>,
}

/// The ways to choose own cells among so many.
#[derive(Debug)]
pub(super) struct SizedCombinations {
    /// The least number of own ones: the others are as many as a side has at most.
    least: u32,
    /// How many ways there are with the least number of own ones, or fewer than each number after it.
    starts: Vec<u64>,
}

/// Places of combinations among those with as many cells, in ascending order of the choice read as a number: the combinatorial
/// number system (Knuth, The Art of Computer Programming 4A, 7.2.1.3, theorem L).
#[derive(Debug)]
struct Ranks([Vec<u32>; PARTS]);

impl Combinations {
    /// Combinations among up to all cells below the apex, where each side has at most `spheres`.
    pub fn new(spheres: u32) -> Self {
        let sized = |size: u32| {
            let least = size.saturating_sub(spheres);
            let mut starts = vec![0];
            for own in least..=size.min(spheres) {
                starts.push(starts[starts.len() - 1] + binomial(size, own));
            }
            SizedCombinations { least, starts }
        };
        let binomials = |size: u32| std::array::from_fn(|cells| binomial(size, cells as u32));
        Combinations {
            of_size: (0..BITS).map(sized).collect(),
            ranks: Ranks::new(),
            binomials: (0..BITS).map(binomials).collect(),
        }
    }

    /// Those among `size` cells.
    #[inline]
    pub fn sized(&self, size: u32) -> &SizedCombinations {
        &self.of_size[size as usize]
    }

    /// The place of `choice`, a set of the first `size` bits.
    #[inline]
    pub fn rank(&self, size: u32, choice: u32) -> u64 {
        let sized = self.sized(size);
        sized.starts[(choice.count_ones() - sized.least) as usize] + u64::from(self.ranks.rank(choice))
    }

    /// The choice at a place, and the first place behind those with as many cells.
    pub fn at(&self, size: u32, rank: u64) -> (u32, u64) {
        let sized = self.sized(size);
        let group = sized.starts.partition_point(|&start| start <= rank) - 1;
        let mut left = rank - sized.starts[group];
        let mut cells = sized.least as usize + group;
        let mut choice = 0;
        for bit in (0..size).rev() {
            // So many combinations of as many cells lie below the bit.
            let below = self.binomials[bit as usize][cells];
            if cells > 0 && below <= left {
                left -= below;
                choice |= 1 << bit;
                cells -= 1;
            }
        }
        (choice, sized.starts[group + 1])
    }
}

impl SizedCombinations {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }
}

impl Ranks {
    fn new() -> Self {
        let part = |part: u32| {
            let mut ranks = Vec::new();
            // So many bits of the choice lie below this part.
            for below in 0..=PART * part {
                ranks.extend((0..1u32 << PART).map(|bits| {
                    let own = (0..PART).filter(|bit| bits >> bit & 1 == 1);
                    let terms = own.zip(below + 1..).map(|(bit, number)| binomial(PART * part + bit, number));
                    // Entries beyond the last cell are never read.
                    terms.sum::<u64>() as u32
                }));
            }
            ranks
        };
        Ranks([part(0), part(1), part(2)])
    }

    #[inline]
    fn rank(&self, choice: u32) -> u32 {
        const MASK: u32 = (1 << PART) - 1;
        let Ranks([first, second, third]) = self;
        let low = choice & MASK;
        let middle = choice >> PART & MASK;
        let high = choice >> (2 * PART) & MASK;
        let below_middle = low.count_ones();
        let below_high = below_middle + middle.count_ones();
        first[low as usize]
            + second[(below_middle << PART | middle) as usize]
            + third[(below_high << PART | high) as usize]
    }
}

/// The ways to choose `cells` among `size`.
fn binomial(size: u32, cells: u32) -> u64 {
    (0..u64::from(cells)).fold(1, |ways, taken| ways * u64::from(size).saturating_sub(taken) / (taken + 1))
}
