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

/// A mean over positions of several generations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PooledMean {
    /// The positions.
    pub positions: f64,
    /// The mean over all of them.
    pub mean: f64,
    /// Its 95 % interval by the differences between generations, from [`MIN_GENERATIONS`] on.
    pub interval: Option<(f64, f64)>,
}

/// Fewer generations say too little about their differences.
pub const MIN_GENERATIONS: usize = 4;

/// The mean over generations of which each has some positions, more than 0 in all, and the mean over these.
///
/// Positions of one game share its result, so the interval does not count positions: each generation is one observation
/// of the mean, weighted by its positions (the ratio estimate of a sample of clusters, Cochran 1977, section 6.3).
pub fn pooled_mean(generations: &[(u64, f64)]) -> PooledMean {
    let positions: f64 = generations.iter().map(|&(count, _)| count as f64).sum();
    let mean = generations.iter().map(|&(count, mean)| mean * (count as f64 / positions)).sum::<f64>();
    let degrees = generations.len() as f64 - 1.0;
    let squares = generations.iter().map(|&(count, of_one)| ((of_one - mean) * (count as f64 / positions)).powi(2));
    let half_width = student_95(degrees) * (squares.sum::<f64>() * (degrees + 1.0) / degrees).sqrt();
    let is_known = generations.len() >= MIN_GENERATIONS && half_width.is_finite();
    PooledMean { positions, mean, interval: is_known.then_some((mean - half_width, mean + half_width)) }
}

/// The 97.5 % quantile of Student's t with 3 `degrees` of freedom or more, to 1 % (Abramowitz and Stegun 26.7.5).
fn student_95(degrees: f64) -> f64 {
    let z: f64 = 1.959_964;
    let terms = [
        z,
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
    ];
    terms.iter().rev().fold(0.0, |sum, term| sum / degrees + term)
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
    fn means_over_generations_have_the_interval_of_their_differences() {
        let equal = pooled_mean(&[(10, 0.5), (10, 0.5), (10, 0.5), (10, 0.5)]);
        assert_eq!(equal, PooledMean { positions: 40.0, mean: 0.5, interval: Some((0.5, 0.5)) });
        // Standard deviation 0.1 · √(4/3), standard error half of that, t with 3 degrees 3.18.
        let PooledMean { mean, interval, .. } = pooled_mean(&[(7, 0.4), (7, 0.6), (7, 0.4), (7, 0.6)]);
        let (low, high) = interval.unwrap();
        assert!((mean - 0.5).abs() < 1e-12 && (high - 0.6837).abs() < 0.002 && (low - 0.3163).abs() < 0.002);
        assert_eq!(pooled_mean(&[(30, 0.25), (10, 0.75)]), PooledMean { positions: 40.0, mean: 0.375, interval: None });
    }

    #[test]
    fn student_quantiles_are_those_of_the_tables() {
        for (degrees, quantile) in [(3.0, 3.182), (5.0, 2.571), (12.0, 2.179), (1e9, 1.96)] {
            assert!((student_95(degrees) / quantile - 1.0).abs() < 0.01, "{degrees}");
        }
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
