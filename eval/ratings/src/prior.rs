//! The prior of ratings: virtual games by player.
//!
//! It is Jeffreys's prior of the strengths. It removes the first-order bias of the estimates and keeps them finite (Firth
//! 1993, "Bias reduction of maximum likelihood estimates"; for the Bradley-Terry model Meyvisch 2016, "Evaluation of the
//! addition of Firth's penalty term to the Bradley-Terry likelihood"; finiteness: Kosmidis and Firth 2021, "Jeffreys-prior
//! penalty, finiteness and shrinkage in binomial-response generalized linear models"). Without draws it equals virtual
//! results, half won and half lost, in each meeting: as many as the leverage of its games, the share of a strength that
//! these games determine. Leverages add up to the number of strengths, so the prior weighs one game for each player,
//! however many opponents the player met.

use crate::davidson::OrderResults;
use crate::league::League;
use crate::likelihood::{Likelihood, MeetingResults, Parameters};

/// The prior of all ratings, in words for reports.
pub const PRIOR: &str = "one virtual game for each player, half won and half lost, spread over its games by how much \
                         each tells about its rating (Jeffreys's prior)";

/// Weight of a virtual game where most games are drawn.
const MIN_WEIGHT: f64 = 0.5;
/// Rounds of fitting and of computing leverages anew, at most.
const MAX_ROUNDS: usize = 50;
/// Change of the parameters (logistic scale) at which the rounds end.
const TOLERANCE: f64 = 1e-7;

/// Results with the prior's virtual results.
pub(super) struct PriorFit {
    /// The parameters that maximise the penalised likelihood.
    pub parameters: Parameters,
    /// The results and the prior's virtual results together.
    pub results: Vec<MeetingResults>,
    /// By meeting and order: the leverage of the games.
    pub leverages: Vec<[f64; 2]>,
}

/// Half a game drawn and half a game decided between equal players, where any game is drawn: Jeffreys's prior of a share.
/// Without it a league that only drew would have no draw parameter.
pub(super) fn draw_prior(league: &League) -> OrderResults {
    let has_draws = league.players.iter().any(|player| player.draws > 0);
    if has_draws { OrderResults { wins: 0.25, draws: 0.5, losses: 0.25 } } else { OrderResults::default() }
}

/// Fits `results` with the prior.
pub(super) fn fit(likelihood: &Likelihood, results: &[MeetingResults]) -> PriorFit {
    let game = VirtualGame::new(results);
    let mut parameters = likelihood.start(results);
    let mut leverages = leverages(likelihood, results, &parameters);
    let mut with_prior = game.added(results, &leverages);
    for _ in 0..MAX_ROUNDS {
        let next = likelihood.maximize(&with_prior, &parameters, TOLERANCE);
        let change = next.distance(&parameters);
        parameters = next;
        leverages = self::leverages(likelihood, results, &parameters);
        with_prior = game.added(results, &leverages);
        if change < TOLERANCE {
            break;
        }
    }
    PriorFit { parameters, results: with_prior, leverages }
}

/// By meeting and order: the leverage of the games on the strengths, their information times the variance of the difference.
fn leverages(likelihood: &Likelihood, results: &[MeetingResults], at: &Parameters) -> Vec<[f64; 2]> {
    let variances = likelihood.variances_of_differences(results, at);
    let leverage = |(meeting, variance): (usize, f64)| {
        let moments = likelihood.moments(meeting, at);
        // Rounding may take a leverage out of its range.
        let leverage = |order: usize| results[meeting][order].games() * moments[order].1 * variance;
        std::array::from_fn(|order| leverage(order).clamp(0.0, 1.0))
    };
    variances.into_iter().enumerate().map(leverage).collect()
}

/// One virtual game between equals.
struct VirtualGame(OrderResults);

impl VirtualGame {
    /// Draws are as frequent as in `results`. The more of them there are, the less bias is to be removed: at a share of 0.4
    /// two thirds of a game remove it between equal players and half a game where one is much stronger.
    fn new(results: &[MeetingResults]) -> Self {
        let (mut games, mut draws) = (0.0, 0.0);
        for order in results.iter().flatten() {
            games += order.games();
            draws += order.draws;
        }
        let draws = draws / (games + 1.0);
        let weight = (1.0 - draws).max(MIN_WEIGHT);
        let won = 0.5 * weight * (1.0 - draws);
        VirtualGame(OrderResults { wins: won, draws: weight * draws, losses: won })
    }

    /// The results with as many virtual games in each meeting and order as `leverages` holds.
    fn added(&self, results: &[MeetingResults], leverages: &[[f64; 2]]) -> Vec<MeetingResults> {
        let with_prior = |results: &OrderResults, leverage: f64| OrderResults {
            wins: results.wins + leverage * self.0.wins,
            draws: results.draws + leverage * self.0.draws,
            losses: results.losses + leverage * self.0.losses,
        };
        let meeting = |(results, leverages): (&MeetingResults, &[f64; 2])| {
            std::array::from_fn(|order| with_prior(&results[order], leverages[order]))
        };
        results.iter().zip(leverages).map(meeting).collect()
    }
}
