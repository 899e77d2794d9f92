//! The gate over whole runs: recorded ones whose champions lost ladder score under the earlier rule, and made-up ones.

use std::collections::HashMap;

use selfplay_arena::{BaselineScore, Champion, GateConfig, GateDecision, LadderRecord};
use selfplay_ratings::{PairCounts, SprtConfig, SprtDecision};

use crate::pairs;

/// The gate of the recorded runs.
fn quickstart() -> GateConfig {
    GateConfig { pairs: 20, eval_pairs: 20, ..GateConfig::default() }
}

/// All that a rule may ask of a run's networks.
struct Recorded {
    ladders: Vec<LadderRecord>,
    matches: HashMap<(usize, usize), PairCounts>,
}

impl Recorded {
    fn read(text: &str) -> Self {
        let mut run = Recorded { ladders: Vec::new(), matches: HashMap::new() };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (kind, numbers) = line.split_once(' ').unwrap();
            let numbers: Vec<u32> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
            let (generation, other) = (numbers[0] as usize, numbers[1] as usize);
            let counts = pairs(numbers[2..].try_into().unwrap());
            if kind == "match" {
                run.matches.insert((generation, other), counts);
                continue;
            }
            run.ladders.resize_with((generation + 1).max(run.ladders.len()), LadderRecord::default);
            run.ladders[generation].baselines.push(BaselineScore { player: other.to_string(), pair_counts: counts });
        }
        run
    }

    fn score(&self, generation: usize) -> f64 {
        self.ladders[generation].score().unwrap().score
    }

    /// The champions by a rule: whether a candidate replaces the last of the champions so far.
    fn champions(&self, is_promoted: impl Fn(usize, &[usize]) -> bool) -> Vec<usize> {
        let mut champions = vec![0];
        for candidate in 1..self.ladders.len() {
            if is_promoted(candidate, &champions) {
                champions.push(candidate);
            }
        }
        champions
    }

    fn by_the_gate(&self) -> Vec<usize> {
        self.champions(|candidate, champions| {
            let first = self.ladders[champions[0]].clone();
            let best = champions.iter().fold(first, |best, &champion| best.or_better(&self.ladders[champion]));
            let pair_counts = &self.matches[&(candidate, champions[champions.len() - 1])];
            let champion = Champion { pair_counts, best_ladder: &best };
            let verdict = quickstart().decide(&self.ladders[candidate], Some(champion)).unwrap();
            verdict.decision == GateDecision::Promote
        })
    }

    /// The rule until November 2026: the match not lost, and the ladder at most 0.05 below the last champion's.
    fn by_the_earlier_rule(&self) -> Vec<usize> {
        let sprt: SprtConfig = quickstart().sprt.unwrap();
        self.champions(|candidate, champions| {
            let champion = champions[champions.len() - 1];
            let counts = &self.matches[&(candidate, champion)];
            let passes = match sprt.state(counts).decision {
                SprtDecision::AcceptH0 => false,
                SprtDecision::AcceptH1 => true,
                SprtDecision::Continue => counts.score() >= 0.5,
            };
            passes && self.score(candidate) + 1e-9 >= self.score(champion) - 0.05
        })
    }

    /// How far the ladder score of the champions falls below its maximum before, at most.
    fn largest_drop(&self, champions: &[usize]) -> f64 {
        let (mut best, mut drop) = (0.0f64, 0.0f64);
        for &champion in champions {
            best = best.max(self.score(champion));
            drop = drop.max(best - self.score(champion));
        }
        drop
    }
}

#[test]
fn recorded_runs_that_slid_slide_no_more() {
    for (run, earlier) in [
        (include_str!("../data/gate/quickstart-seed-2.txt"), vec![0, 1, 2, 3, 5, 6, 8, 11, 12, 13, 15, 16]),
        (include_str!("../data/gate/quickstart-seed-3.txt"), vec![0, 1, 2, 3, 4, 6, 9, 10, 11, 12, 14, 15, 16]),
    ] {
        let run = Recorded::read(run);
        assert_eq!((run.ladders.len(), run.matches.len()), (17, 136));
        assert_eq!(run.by_the_earlier_rule(), earlier, "as the runs went");
        let now = run.by_the_gate();
        let (then_drop, now_drop) = (run.largest_drop(&earlier), run.largest_drop(&now));
        assert!(then_drop > 0.024 && now_drop < 0.02, "{then_drop:.3} {now_drop:.3} {now:?}");
        // A gate that keeps the first champions does not slide either.
        let last = now[now.len() - 1];
        assert!(now.len() > 6 && last >= 10, "{now:?}");
        assert!(run.score(last) > run.score(0) + 0.3, "{now:?}");
    }
}

/// A run of candidates, each with these points in 80 ladder games, and with this match against every earlier one.
fn made_up(points: &[u32], counts: [u32; 5]) -> Recorded {
    let ladder = |&points: &u32| {
        let (even, won) = (points % 2, points / 2);
        let pair_counts = pairs([40 - even - won, 0, even, 0, won]);
        LadderRecord { baselines: vec![BaselineScore { player: "random".into(), pair_counts }] }
    };
    let matches = (0..points.len()).flat_map(|a| (0..a).map(move |b| ((a, b), pairs(counts)))).collect();
    Recorded { ladders: points.iter().map(ladder).collect(), matches }
}

#[test]
fn many_small_losses_do_not_add_up() {
    let falling: Vec<u32> = (50..=80).rev().collect();
    let even = made_up(&falling, [0, 0, 20, 0, 0]);
    assert_eq!(even.by_the_earlier_rule().len(), 31, "each step is within the tolerance");
    assert_eq!(even.by_the_gate(), [0]);
    // Where each match is won by more than a step loses, the reference stays and the tolerance bounds the sum.
    let won = made_up(&falling, [0, 0, 0, 20, 0]);
    assert_eq!(won.by_the_earlier_rule().len(), 31);
    assert_eq!(won.by_the_gate(), [0, 1], "1.6 points may be lost");
}

#[test]
fn the_latest_network_is_champion_where_all_is_even() {
    let solved = made_up(&[40; 9], [0, 0, 20, 0, 0]);
    assert_eq!(solved.by_the_gate(), (0..9).collect::<Vec<_>>());
    // An untrained network does not stay champion of a game that both sides draw soon.
    let learned = made_up(&[0, 60, 60], [0, 0, 20, 0, 0]);
    assert_eq!(learned.by_the_gate(), [0, 1, 2]);
}
