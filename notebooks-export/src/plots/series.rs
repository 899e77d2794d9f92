//! Long and broken series: means of neighbours, pieces without gaps, and the generations that stand for a run.

use std::collections::BTreeSet;

/// Means over `points_per_mean` neighbours, the last over what is left.
pub fn means(points: &[(f64, f64)], points_per_mean: usize) -> Vec<(f64, f64)> {
    let mean_of = |points: &[(f64, f64)]| {
        let count = points.len() as f64;
        let sum = |part: fn(&(f64, f64)) -> f64| points.iter().map(|point| part(point) / count).sum();
        (sum(|&(x, _)| x), sum(|&(_, y)| y))
    };
    points.chunks(points_per_mean.max(1)).map(mean_of).collect()
}

/// The pieces of `points`, sorted by their first number, between gaps wider than `widest_step`.
pub fn pieces(points: &[(f64, f64)], widest_step: f64) -> impl Iterator<Item = &[(f64, f64)]> {
    points.chunk_by(move |a, b| b.0 - a.0 <= widest_step)
}

/// Some generations taken together, to stand for a part of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// The first of them.
    pub first: u32,
    /// The last of them.
    pub last: u32,
}

impl Stage {
    /// Whether `generation` is one of them.
    pub fn contains(&self, generation: u32) -> bool {
        (self.first..=self.last).contains(&generation)
    }

    /// Its name in a legend.
    pub fn name(&self) -> String {
        match (self.first, self.last) {
            (first, last) if first == last => format!("generation {first}"),
            (first, last) => format!("generations {first}\u{2013}{last}"),
        }
    }
}

/// The beginning, the middle and the end of a run, a tenth of its generations each; fewer where there are fewer
/// generations.
pub fn stages(generations: impl Iterator<Item = u32>) -> Vec<Stage> {
    let all: Vec<u32> = generations.collect::<BTreeSet<u32>>().into_iter().collect();
    let size = (all.len() / 10).max(1);
    let starts = match all.len() {
        0 => vec![],
        1 => vec![0],
        2 => vec![0, 1],
        count => vec![0, (count - size) / 2, count - size],
    };
    starts.into_iter().map(|start| Stage { first: all[start], last: all[start + size - 1] }).collect()
}

/// At most `most` of the generations, evenly spread, first and last among them.
pub fn chosen(generations: impl Iterator<Item = u32>, most: usize) -> Vec<u32> {
    let all: Vec<u32> = generations.collect::<BTreeSet<u32>>().into_iter().collect();
    if all.len() <= most {
        return all;
    }
    (0..most).map(|index| all[(index * (all.len() - 1) + (most - 1) / 2) / (most - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_are_means_of_neighbours() {
        let points: Vec<(f64, f64)> = (0..5).map(|step| (f64::from(step), f64::from(step))).collect();
        assert_eq!(means(&points, 2), [(0.5, 0.5), (2.5, 2.5), (4.0, 4.0)]);
    }

    #[test]
    fn a_missing_generation_breaks_a_curve() {
        let points = [(0.0, 1.0), (1.0, 1.0), (3.0, 1.0)];
        assert_eq!(pieces(&points, 1.5).map(<[_]>::len).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn stages_and_choices_hold_the_first_and_the_last() {
        assert!(stages([].into_iter()).is_empty());
        assert_eq!(stages([7, 7].into_iter()), [Stage { first: 7, last: 7 }]);
        let three = stages(0..40);
        assert_eq!((three[0].first, three[0].last, three[1].first, three[2].last), (0, 3, 18, 39));
        assert_eq!(three[2].name(), "generations 36\u{2013}39");
        let few = chosen(0..500, 12);
        assert_eq!((few.len(), few[0], few[11]), (12, 0, 499));
        assert!(few.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(chosen([3, 1].into_iter(), 12), [1, 3]);
    }
}
