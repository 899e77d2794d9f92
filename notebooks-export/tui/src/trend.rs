//! A number's history in one line of bars.

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One bar for each of `values`, or for the mean of neighbours where there are more than `columns`; the lowest value has
/// the lowest bar, the highest the highest.
pub(crate) fn bars(values: &[f64], columns: usize) -> String {
    let columns = columns.min(values.len());
    let mean = |column: usize| {
        let part = &values[column * values.len() / columns..(column + 1) * values.len() / columns];
        part.iter().sum::<f64>() / part.len() as f64
    };
    let means: Vec<f64> = (0..columns).map(mean).collect();
    let low = means.iter().copied().fold(f64::INFINITY, f64::min);
    let high = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let bar = |value: f64| {
        let share = if high > low { (value - low) / (high - low) } else { 0.4 };
        BARS[((share * BARS.len() as f64) as usize).min(BARS.len() - 1)]
    };
    means.into_iter().map(bar).collect()
}

/// `columns` dealt out by these shares, which sum to 1 at most, in so many letters of each sign.
pub(crate) fn shares(parts: &[(f64, char)], columns: usize) -> Vec<(String, usize)> {
    let mut end = 0.0;
    let mut filled = 0;
    let part = |&(share, sign): &(f64, char)| {
        end += share;
        let upto = ((end * columns as f64).round() as usize).clamp(filled, columns);
        let count = upto - filled;
        filled = upto;
        (sign.to_string().repeat(count), count)
    };
    parts.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_rise_with_the_values_and_neighbours_are_taken_together() {
        assert_eq!(bars(&[0.0, 1.0, 2.0, 3.0], 10), "▁▃▆█");
        assert_eq!(bars(&[0.0, 0.0, 8.0, 8.0], 2), "▁█");
        assert_eq!(bars(&[5.0; 3], 3), "▄▄▄");
        assert_eq!(bars(&[], 3), "");
        assert_eq!(bars(&[1.0, 2.0], 0), "");
        assert_eq!(bars(&vec![1.0; 500], 7).chars().count(), 7);
    }

    #[test]
    fn shares_fill_the_columns() {
        let parts = shares(&[(0.5, 'a'), (0.3, 'b'), (0.2, 'c')], 10);
        assert_eq!(parts, [("aaaaa".into(), 5), ("bbb".into(), 3), ("cc".into(), 2)]);
        let parts = shares(&[(0.335, 'a'), (0.335, 'b'), (0.33, 'c')], 10);
        assert_eq!(parts.iter().map(|part| part.1).sum::<usize>(), 10);
    }
}
