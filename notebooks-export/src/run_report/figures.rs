//! Which plots a report has, with what is said of each.

use super::contents::RunReport;
use crate::plots::{
    EloAxis, LossTerm, Picture, ablation_plot, calibration_plot, cross_table_plot, elo_comparison_plot, elo_plot,
    game_length_plot, gate_plot, loss_comparison_plot, loss_plot, loss_terms_plot, mistakes_plot, opening_policy_plot,
    outcome_plot, policy_plot, throughput_plot, value_error_plot,
};

/// One plot of a report.
pub struct Figure {
    /// Its name, as of its files.
    pub id: &'static str,
    /// What it shows, in a few words.
    pub title: &'static str,
    /// How to read it.
    pub caption: &'static str,
    /// The table it is drawn from.
    pub table: &'static str,
    /// The plot itself.
    pub picture: Picture,
}

/// A run with its place in the report's folder and its figures.
pub struct Section<'a> {
    /// The run.
    pub run: &'a RunReport,
    /// Path of its folder within the report's, with a slash at the end; empty for the only run.
    pub prefix: String,
    /// Its figures, in the order of the page.
    pub figures: Vec<Figure>,
}

/// The plots of one run, in the order of the page.
pub fn run_figures(run: &RunReport) -> Vec<Figure> {
    let rows = &run.rows;
    let mut figures = vec![
        Figure {
            id: "elo_cpu_hours",
            title: "Elo by CPU time",
            caption: "Rating of each generation against the CPU time of self-play and learning up to it, all threads \
                      together. The band is its 95 % interval: by this many games the true rating lies within it in 19 of \
                      20 cases, so generations whose bands overlap may be equally strong. Dashed lines are fixed opponents.",
            table: "elo",
            picture: elo_plot(&rows.elo, EloAxis::CpuHours),
        },
        Figure {
            id: "gate",
            title: "Gate verdicts",
            caption: "Mean score against the ladder's fixed opponents, and below it what the gate decided on each \
                      generation.",
            table: "generations",
            picture: gate_plot(&rows.generations),
        },
        Figure {
            id: "losses",
            title: "Policy and value loss",
            caption: match rows.losses.iter().any(|row| row.validation_policy_loss.is_some()) {
                true => {
                    "Losses on training batches; dots are losses on games that nothing is learned from. Dots far above \
                     the curve mean overfitting."
                }
                false => "Losses on training batches.",
            },
            table: "losses",
            picture: loss_plot(&rows.losses),
        },
        Figure {
            id: "loss_terms",
            title: "Other numbers of the learner",
            caption: "The losses of auxiliary heads where there are any, the weighted sum that is minimised, the norm of \
                      the gradient before clipping, the learning rate, and what else the table knows of the learner.",
            table: "losses",
            picture: loss_terms_plot(&rows.losses),
        },
        Figure {
            id: "policy",
            title: "Policy entropy and surprise",
            caption: "Entropy: how undecided the search's answers are. Surprise: how far they differ from what the \
                      network said before searching.",
            table: "selfplay",
            picture: policy_plot(&rows.selfplay),
        },
        Figure {
            id: "game_length",
            title: "Game length",
            caption: "Mean length of a self-play game, in plies.",
            table: "selfplay",
            picture: game_length_plot(&rows.selfplay),
        },
        Figure {
            id: "outcomes",
            title: "Outcomes of self-play",
            caption: "Who won the self-play games. Each column is a generation.",
            table: "selfplay",
            picture: outcome_plot(&rows.selfplay),
        },
        Figure {
            id: "calibration",
            title: "Value calibration",
            caption: "What positions were expected to score (root value of the search) against what they scored in the \
                      end; on the dashed line the value means what it says. Larger discs stand for more positions; \
                      bars are 95 % intervals by the differences between generations (four or more). On the right, how \
                      frequent each expectation was.",
            table: "calibration",
            picture: calibration_plot(&rows.calibration),
        },
        Figure {
            id: "value_error",
            title: "Value error by ply",
            caption: "Mean distance of the root value from the game's result, as scores in 0 to 1, over the course of \
                      the game, with 95 % intervals by the differences between generations (four or more).",
            table: "value_error",
            picture: value_error_plot(&rows.value_error),
        },
        Figure {
            id: "opening_policy",
            title: "Opening policy",
            caption: "Where the network alone would play first, in per cent; at most twelve generations, evenly chosen.",
            table: "opening_policy",
            picture: opening_policy_plot(&rows.opening_policy, run.meta.board),
        },
        Figure {
            id: "throughput",
            title: "Where the cores' time went",
            caption: "Time of all cores during self-play. Each column is a generation.",
            table: "throughput",
            picture: throughput_plot(&rows.throughput),
        },
        Figure {
            id: "elo_games",
            title: "Elo by games",
            caption: "Rating of each generation against the self-play games that the run had finished.",
            table: "elo",
            picture: elo_plot(&rows.elo, EloAxis::Games),
        },
        Figure {
            id: "elo_simulations",
            title: "Elo by simulations",
            caption: "Rating of each generation against the search simulations of self-play.",
            table: "elo",
            picture: elo_plot(&rows.elo, EloAxis::Simulations),
        },
        Figure {
            id: "cross_table",
            title: "Cross table",
            caption: "Score of each player (row) against each other (column), the best player first: of the champion, at most \
                      eight generations and the fixed opponents, as far as they have met in the run; or of a tournament.",
            table: "cross_table",
            picture: cross_table_plot(&rows.cross_table),
        },
    ];
    if !rows.mistakes.is_empty() {
        let beside_elo = figures.iter().take_while(|figure| figure.table == "elo").count();
        figures.insert(beside_elo, Figure {
            id: "mistakes",
            title: "Moves against perfect play",
            caption: "Share of random positions in which the generation's move gives away what the position is worth \
                      by a table of the whole game: a win, or a draw. With its 95 % interval, for each number of \
                      simulations; at most twelve generations, evenly chosen.",
            table: "mistakes",
            picture: mistakes_plot(&rows.mistakes),
        });
    }
    if !rows.ablation.is_empty() {
        figures.push(Figure {
            id: "ablation",
            title: "Ablation",
            caption: "Elo of each variant above the base, with its 95 % interval.",
            table: "ablation",
            picture: ablation_plot(&rows.ablation, &run.name),
        });
    }
    figures
}

/// The plots that hold several runs against each other.
pub fn comparison_figures(runs: &[RunReport]) -> Vec<Figure> {
    let elo: Vec<_> = runs.iter().map(|run| (run.name.as_str(), &run.rows.elo[..])).collect();
    let losses: Vec<_> = runs.iter().map(|run| (run.name.as_str(), &run.rows.losses[..])).collect();
    vec![
        Figure {
            id: "compare_elo",
            title: "Elo of the runs by CPU time",
            caption: "Ratings of two runs may be compared where both were rated against the same opponents.",
            table: "elo",
            picture: elo_comparison_plot(&elo, EloAxis::CpuHours),
        },
        Figure {
            id: "compare_policy_loss",
            title: "Policy loss of the runs",
            caption: "Losses on each run's own batches: a lower loss on easier games is no better network.",
            table: "losses",
            picture: loss_comparison_plot(&losses, LossTerm::Policy),
        },
        Figure {
            id: "compare_value_loss",
            title: "Value loss of the runs",
            caption: "As above, for the value head.",
            table: "losses",
            picture: loss_comparison_plot(&losses, LossTerm::Value),
        },
    ]
}
