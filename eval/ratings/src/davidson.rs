//! The model of a game: Bradley and Terry's with draws (Davidson 1970, "On extending the Bradley-Terry model to
//! accommodate ties") and a worth of the first move (Davidson and Beaver 1977, "On extending the Bradley-Terry model to
//! incorporate within-pair order effects").
//!
//! With x the first player's strength minus the second's plus the advantage of the first move, a win, a draw and a loss
//! of the first player have probabilities in the ratio e^(x/2) : ν : e^(−x/2). Of the models with draws this one makes
//! points the sufficient statistic. A draw weighs exactly as half a win and half a loss, as it does in every match here;
//! in Rao and Kupper's, which BayesElo uses, it does not. Fitted ratings give every player the points it made.
//! It is an exponential family, so the log-likelihood is concave in strengths, advantage and ln ν together.

use crate::elo::ELO_PER_LOGIT;

/// How much, of any unit of weight, the first player won, drew and lost.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct OrderResults {
    pub wins: f64,
    pub draws: f64,
    pub losses: f64,
}

/// The log-likelihood of an [`OrderResults`] with its derivatives by x and by ln ν; the second ones negated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Terms {
    pub log_likelihood: f64,
    pub by_x: f64,
    pub by_ln_draw: f64,
    pub information_x: f64,
    pub information_mixed: f64,
    pub information_ln_draw: f64,
}

impl OrderResults {
    /// The weight of all results.
    pub(super) fn games(&self) -> f64 {
        self.wins + self.draws + self.losses
    }

    /// The terms at difference `x` and draw parameter ν = `draw`, which is above 0 wherever there are draws; `ln_draw` is
    /// its logarithm, which many results share.
    pub(super) fn terms(&self, x: f64, draw: f64, ln_draw: f64) -> Terms {
        // Divided by e^(|x|/2), so that nothing overflows.
        let smaller = (-0.5 * x.abs()).exp();
        let (favourite, drawn, underdog) = (1.0, draw * smaller, smaller * smaller);
        let sum: f64 = favourite + drawn + underdog;
        let (win, loss) = if x >= 0.0 { (favourite / sum, underdog / sum) } else { (underdog / sum, favourite / sum) };
        let (drawn, surplus) = (drawn / sum, 0.5 * (win - loss));
        let OrderResults { wins, draws, losses } = *self;
        let games = self.games();
        let drawn_log = if draws > 0.0 { draws * ln_draw } else { 0.0 };
        Terms {
            log_likelihood: 0.5 * (wins - losses) * x + drawn_log - games * (sum.ln() + 0.5 * x.abs()),
            by_x: 0.5 * (wins - losses) - games * surplus,
            by_ln_draw: draws - games * drawn,
            // Equal to ¼ (win + loss) − surplus², without its cancellation.
            information_x: games * (0.25 * (win + loss) * drawn + win * loss),
            information_mixed: -games * surplus * drawn,
            information_ln_draw: games * drawn * (1.0 - drawn),
        }
    }
}

/// Elo points in one unit of x: chosen so that the expected score rises at equality as on Elo's curve.
///
/// For ν = 0 and ν = 2 the expected score then is Elo's curve everywhere; between them it is near it.
pub(super) fn elo_per_logit(draw: f64) -> f64 {
    ELO_PER_LOGIT * 2.0 / (2.0 + draw)
}

/// Share of games in 0..1 that equal players draw where neither has an advantage.
pub(super) fn even_draw_share(draw: f64) -> f64 {
    draw / (2.0 + draw)
}
