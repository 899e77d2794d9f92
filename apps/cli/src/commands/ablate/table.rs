//! The table of an ablation: ratings above the base, means over seeds, with intervals that hold the seed variance.

use selfplay_notebooks_export::AblationRow;
use selfplay_ratings::{EloEstimate, Encounter, SeedVariance};
use selfplay_ratings::{RatingConfig, RatingTable};

use super::Trained;
use crate::args::AblateArgs;
use crate::error::CliError;
use crate::variants::{BASE, Variant};
use selfplay_pipeline::config::RunConfig;

/// The matches of the runs with one seed, against each other and against the ladder.
pub struct SeedMatches {
    pub seed: u64,
    pub encounters: Vec<Encounter>,
}

/// All that the table of an ablation is made from.
pub struct Ablation<'a> {
    pub args: &'a AblateArgs,
    pub base: &'a RunConfig,
    pub variants: &'a [Variant],
    pub trained: &'a [Trained],
    pub matches: &'a [SeedMatches],
}

/// A player's results over all seeds.
struct Strength {
    player: String,
    /// `None` if the matches are too few for a rating.
    estimate: Option<EloEstimate>,
    games: u64,
    score: f64,
}

impl Ablation<'_> {
    /// One row a variant in their order, then the ladder's players, best first.
    pub fn rows(&self) -> Result<Vec<AblationRow>, CliError> {
        let strengths = strengths(self.variants, self.matches)?;
        let row = |name: &str| {
            let runs: Vec<&Trained> = self.trained.iter().filter(|run| run.variant.name == name).collect();
            row(name, &runs, strengths.iter().find(|strength| strength.player == name))
        };
        let variants = self.variants.iter().map(|variant| row(&variant.name));
        let is_variant = |name: &str| self.variants.iter().any(|variant| variant.name == name);
        let others = strengths.iter().filter(|strength| !is_variant(&strength.player));
        Ok(variants.chain(others.map(|strength| row(&strength.player))).collect())
    }

    /// What the intervals hold.
    fn interval_text(&self) -> &'static str {
        match (self.matches.len(), self.variants.len()) {
            (0 | 1, _) => "One seed per variant: the interval leaves out seed variance",
            (_, 1) => "One variant: the interval leaves out seed variance",
            _ => "The interval holds the variance between seeds, with Student's t",
        }
    }
}

/// Ratings above the base: means over the seeds' ratings, whose matches are rated apart. With several seeds and variants
/// the interval is that of the seed variance, unless the matches alone leave a wider one.
fn strengths(variants: &[Variant], matches: &[SeedMatches]) -> Result<Vec<Strength>, CliError> {
    let fit = |matches: &SeedMatches| RatingTable::fit(&matches.encounters, &RatingConfig::anchored_at(BASE));
    let tables: Vec<RatingTable> = matches.iter().map(fit).collect::<Result<_, _>>()?;
    let elos = |variant: &Variant| -> Option<Vec<f64>> {
        let elo = |table: &RatingTable| Some(rating_of(table, &variant.name)?.estimate?.elo);
        tables.iter().map(elo).collect()
    };
    let by_variant: Option<Vec<Vec<f64>>> = variants.iter().map(elos).collect();
    let seed_variance = by_variant.and_then(|ratings| SeedVariance::new(&ratings));
    let strength = |player: &str| {
        let ratings = || tables.iter().filter_map(|table| rating_of(table, player));
        let games: u64 = ratings().map(|rating| rating.games).sum();
        let estimates: Option<Vec<EloEstimate>> = ratings().map(|rating| rating.estimate).collect();
        let trained = if variants.iter().any(|variant| variant.name == player) { 2 } else { 1 };
        let is_base = player == BASE;
        Strength {
            player: player.to_owned(),
            estimate: estimates.map(|estimates| {
                let matches = mean_over_seeds(&estimates);
                match seed_variance.filter(|_| !is_base) {
                    Some(variance) => wider(matches, variance.interval(matches.elo, trained)),
                    None => matches,
                }
            }),
            games,
            score: ratings().map(|rating| rating.score * rating.games as f64).sum::<f64>() / games.max(1) as f64,
        }
    };
    let players = tables.first().into_iter().flat_map(|table| &table.ratings);
    Ok(players.map(|rating| strength(&rating.player)).collect())
}

fn rating_of<'a>(table: &'a RatingTable, player: &str) -> Option<&'a selfplay_ratings::Rating> {
    table.ratings.iter().find(|rating| rating.player == player)
}

/// The mean of independent estimates.
fn mean_over_seeds(estimates: &[EloEstimate]) -> EloEstimate {
    let count = estimates.len() as f64;
    let mean = estimates.iter().map(|estimate| estimate.elo).sum::<f64>() / count;
    let half_width = |estimate: &EloEstimate| 0.5 * (estimate.high - estimate.low);
    let squared: f64 = estimates.iter().map(|estimate| half_width(estimate).powi(2)).sum();
    let half_width = squared.sqrt() / count;
    EloEstimate { elo: mean, low: mean - half_width, high: mean + half_width }
}

/// Of two estimates of the same number the one with the wider interval.
fn wider(one: EloEstimate, other: EloEstimate) -> EloEstimate {
    if one.high - one.low > other.high - other.low { one } else { other }
}

fn row(name: &str, runs: &[&Trained], strength: Option<&Strength>) -> AblationRow {
    let estimate = strength.and_then(|strength| strength.estimate);
    let sum = |value: fn(&Trained) -> f64| runs.iter().map(|run| value(run)).sum::<f64>();
    let cpu_seconds = sum(|run| run.cpu_seconds);
    let mut notes: Vec<&str> = runs.iter().flat_map(|run| &run.notes).map(String::as_str).collect();
    notes.dedup();
    let known = |value: f64| (!runs.is_empty()).then_some(value);
    let loss = |which: usize| {
        let losses: Vec<f64> = runs.iter().filter_map(|run| Some(run.losses?[which])).collect();
        (!losses.is_empty()).then(|| losses.iter().sum::<f64>() / losses.len() as f64)
    };
    AblationRow {
        variant: name.to_owned(),
        elo: estimate.map(|estimate| estimate.elo),
        elo_low: estimate.map(|estimate| estimate.low),
        elo_high: estimate.map(|estimate| estimate.high),
        rated_games: strength.map_or(0, |strength| strength.games),
        score: strength.map(|strength| strength.score),
        runs: runs.len() as u64,
        cpu_hours: known(cpu_seconds / 3600.0),
        generations: known(sum(|run| f64::from(run.generations))).map(|all| all as u64),
        games: known(sum(|run| run.games as f64)).map(|all| all as u64),
        positions: known(sum(|run| run.positions as f64)).map(|all| all as u64),
        simulations: known(sum(|run| run.simulations as f64)).map(|all| all as u64),
        positions_per_cpu_second: (cpu_seconds > 0.0).then(|| sum(|run| run.positions as f64) / cpu_seconds),
        policy_loss: loss(0),
        value_loss: loss(1),
        notes: (!notes.is_empty()).then(|| notes.join("; ")),
    }
}

impl Ablation<'_> {
    /// The table for people, and how it came about.
    pub fn markdown(&self, rows: &[AblationRow]) -> String {
        let Ablation { args, base, variants, .. } = self;
        let number =
            |value: Option<f64>, decimals: usize| value.map_or("–".into(), |value| format!("{value:.decimals$}"));
        let count = |value: Option<u64>| value.map_or("–".into(), |value| value.to_string());
        let mut text = format!(
            "# {}: {} CPU-hours for each variant\n\nConfig `{}`{}; {} seeds; CPU time of self-play and learning. {} game pairs \
         with {} and the default search for each two players, openings of {} random plies; Elo above `{BASE}`, the mean \
         over seeds, with its 95 % interval. {}.\n\n",
            base.game,
            args.hours,
            args.config.display(),
            args.set.iter().map(|set| format!(", `{set}`")).collect::<String>(),
            args.seeds,
            args.pairs,
            args.limit,
            args.opening_plies,
            self.interval_text(),
        );
        text.push_str(
        "| variant | Elo | 95 % | score | CPU-hours | generations | games | positions | positions/CPU-s | policy loss | \
         value loss | notes |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
        for row in rows {
            let interval = match (row.elo_low, row.elo_high) {
                (Some(low), Some(high)) => format!("{low:+.0} to {high:+.0}"),
                _ => "too few games".into(),
            };
            text.push_str(&format!(
                "| `{}` | {} | {interval} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                row.variant,
                row.elo.map_or("–".into(), |elo| format!("{elo:+.0}")),
                number(row.score.map(|score| 100.0 * score), 1),
                number(row.cpu_hours, 2),
                count(row.generations),
                count(row.games),
                count(row.positions),
                number(row.positions_per_cpu_second, 0),
                number(row.policy_loss, 3),
                number(row.value_loss, 3),
                row.notes.as_deref().unwrap_or("–"),
            ));
        }
        let named: Vec<&Variant> = variants.iter().filter(|v| v.name != BASE && v.name != v.change()).collect();
        if !named.is_empty() {
            text.push('\n');
        }
        for variant in named {
            text.push_str(&format!("- `{}`: `{}`\n", variant.name, variant.change()));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use selfplay_ratings::PairCounts;

    use super::*;

    fn variant(name: &str) -> Variant {
        Variant { name: name.into(), set: Vec::new() }
    }

    /// A seed in which `other` wins `won` of 100 undrawn pairs against the base and loses the rest.
    fn seed(seed: u64, won: u32) -> SeedMatches {
        let pair_counts = PairCounts([[100 - won, 0, 0], [0; 3], [0, 0, won]]);
        SeedMatches { seed, encounters: vec![Encounter { a: "other".into(), b: BASE.into(), pair_counts }] }
    }

    fn of_other(matches: &[SeedMatches]) -> EloEstimate {
        let strengths = strengths(&[variant(BASE), variant("other")], matches).unwrap();
        strengths.iter().find(|strength| strength.player == "other").unwrap().estimate.unwrap()
    }

    #[test]
    fn seeds_that_differ_widen_the_interval() {
        let alike = of_other(&[seed(1, 60), seed(2, 60), seed(3, 60)]);
        let different = of_other(&[seed(1, 40), seed(2, 62), seed(3, 76)]);
        let single = of_other(&[seed(1, 60)]);
        let width = |estimate: EloEstimate| estimate.high - estimate.low;
        // Seeds that agree leave the error of the matches, which three seeds divide by √3.
        assert!((width(single) / width(alike) - 3f64.sqrt()).abs() < 0.1, "{single:?} {alike:?}");
        // Elo −70, 85 and 200: the deviation is 135, t with two degrees of freedom 4.30.
        assert!((width(different) - 2.0 * 4.302_653 * 135.3 / 3f64.sqrt()).abs() < 15.0, "{different:?}");
        assert!(different.low < different.elo && different.elo < different.high);
    }

    #[test]
    fn the_base_stays_at_zero() {
        let strengths = strengths(&[variant(BASE), variant("other")], &[seed(1, 40), seed(2, 76)]).unwrap();
        let base = strengths.iter().find(|strength| strength.player == BASE).unwrap();
        assert_eq!(base.estimate, Some(EloEstimate { elo: 0.0, low: 0.0, high: 0.0 }));
        assert_eq!(base.games, 400);
    }
}
