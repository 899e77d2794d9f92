//! From logits to the search's probabilities; every inference path ends here.

use selfplay_env::{Action, Wdl};

/// Replaces `priors` by the softmax of `logits`, one per policy index, over `actions` alone: same order and length as
/// `actions`, summing to 1.
///
/// # Panics
/// If an action is not below `logits.len()`.
pub fn masked_softmax(logits: &[f32], actions: &[Action], priors: &mut Vec<f32>) {
    priors.clear();
    priors.extend(actions.iter().map(|action| logits[action.index()]));
    softmax(priors);
}

/// Replaces logits by their softmax: positive numbers that sum to 1.
pub fn softmax(logits: &mut [f32]) {
    // The largest logit becomes 0, so the sum lies between 1 and the number of logits.
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for logit in logits.iter_mut() {
        *logit = (*logit - largest).exp();
    }
    let sum: f32 = logits.iter().sum();
    for probability in logits {
        *probability /= sum;
    }
}

/// The logarithm of the sum of `exp(logit)`, which does not overflow: a logit less this is the logarithm of its softmax.
pub fn log_sum_exp(logits: &[f32]) -> f32 {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    largest + logits.iter().map(|logit| (logit - largest).exp()).sum::<f32>().ln()
}

/// The softmax of the logits of win, draw and loss.
pub fn wdl_softmax(mut logits: [f32; 3]) -> Wdl {
    softmax(&mut logits);
    let [win, draw, loss] = logits;
    Wdl { win, draw, loss }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_ignore_illegal_logits_and_survive_large_ones() {
        let mut priors = vec![9.0; 7];
        masked_softmax(&[1e4, 3.0, f32::NAN, 3.0 + 2f32.ln()], &[Action(3), Action(1)], &mut priors);
        assert_eq!(priors.len(), 2);
        assert!((priors[0] - 2.0 / 3.0).abs() < 1e-6 && (priors[1] - 1.0 / 3.0).abs() < 1e-6, "{priors:?}");
        assert!((log_sum_exp(&[1e4, 0.0, 1e4]) - (1e4 + 2f32.ln())).abs() < 1e-3);
        let wdl = wdl_softmax([1e4, 0.0, 1e4]);
        assert_eq!((wdl.win, wdl.draw, wdl.loss), (0.5, 0.0, 0.5));
    }
}
