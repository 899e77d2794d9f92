//! The player that knows what every position is worth.

use std::path::Path;

use selfplay_env::rng::RngExt;
use selfplay_env::{Action, Outcome, Position, Rules, Side, Wdl};
use selfplay_mcts::{MoveReport, SearchReport};
use selfplay_tablebase::TurnValue;

use crate::alphabeta_report::Proof;
use crate::error::EvalError;
use crate::player::{Decision, DecisionAnalysis, MoveRequest, Player, TableSeeds, check_running};
use crate::tablebase_lookup::TablebaseLookup;

/// Plays by a table: the fastest win, the longest resistance; among equals the move after which the greatest share of
/// the other side's replies gives something away, then any.
///
/// Its value is that of endless play as a draw. A win by it needs no rule of repetition: the turns to the end decrease with
/// every turn, so no position comes twice. A position that stood before a table was asked may come again, and end the
/// game where the rules have it so; a turn that ends it at once counts as what it is.
pub struct TablePlayer {
    name: String,
    tablebase: TablebaseLookup,
    seeds: TableSeeds,
}

impl TablePlayer {
    /// A player called `name` of the game of `rules` by the table at `path`.
    ///
    /// # Errors
    /// Those of [`TablebaseLookup::open`].
    pub fn new(name: String, path: &Path, rules: &dyn Rules) -> Result<Self, EvalError> {
        Ok(Self::by(name, TablebaseLookup::open(path, rules)?))
    }

    /// A player called `name` that goes by `tablebase`.
    pub fn by(name: String, tablebase: TablebaseLookup) -> Self {
        TablePlayer { name, tablebase, seeds: TableSeeds::default() }
    }

    /// Among the replies to `action`, the share that is worth less to the other side than its best.
    fn share_of_mistakes(&self, position: &dyn Position, action: Action) -> Result<f64, EvalError> {
        let side = position.side_to_move();
        let mut next = position.boxed();
        next.play(action);
        if next.outcome().is_some() || next.side_to_move() == side {
            // In the middle of a turn there is no reply yet.
            return Ok(0.0);
        }
        let replies = self.tablebase.action_values(&*next)?;
        let best = replies.iter().map(|(_, value)| value.sign()).max().unwrap_or(0);
        let mistakes = replies.iter().filter(|(_, value)| value.sign() < best).count();
        Ok(mistakes as f64 / replies.len().max(1) as f64)
    }
}

impl Player for TablePlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError> {
        check_running(request, &self.name)?;
        let mut actions = self.tablebase.action_values(request.position)?;
        actions.sort_by_key(|(_, value)| -value.rank());
        let best = actions[0].1;
        let equals = actions.iter().take_while(|(_, value)| *value == best);
        let judged = equals.map(|&(action, _)| Ok((action, self.share_of_mistakes(request.position, action)?)));
        let judged: Vec<(Action, f64)> = judged.collect::<Result<_, EvalError>>()?;
        let greatest = judged.iter().map(|&(_, share)| share).fold(0.0, f64::max);
        let most: Vec<Action> =
            judged.iter().filter(|&&(_, share)| share == greatest).map(|&(action, _)| action).collect();
        let action = most[self.seeds.rng(request).random_range(0..most.len())];
        actions.sort_by_key(|(other, value)| (-value.rank(), *other != action));
        let side = request.position.side_to_move();
        let proof = Proof { outcome: outcome(best, side), distance: None };
        Ok(Decision { action, analysis: DecisionAnalysis::Table { report: report(&actions, side), proof } })
    }
}

/// What a table says of a position, as a search would; the best moves come first.
fn report(actions: &[(Action, TurnValue)], side: Side) -> SearchReport {
    let best = actions[0].1;
    let prior = 1.0 / actions.len() as f32;
    let told = |&(action, value): &(Action, TurnValue)| MoveReport {
        action,
        visits: 0,
        q: f32::from(value.sign()),
        prior,
        evaluator_prior: prior,
        target_weight: f32::from(u8::from(value == best)),
        proven: Some(value.sign()),
        plies: None,
        turns: value.turns().map(u32::from),
    };
    SearchReport {
        simulations: 0,
        wdl: match best.sign() {
            1 => Wdl { win: 1.0, draw: 0.0, loss: 0.0 },
            0 => Wdl { win: 0.0, draw: 1.0, loss: 0.0 },
            _ => Wdl { win: 0.0, draw: 0.0, loss: 1.0 },
        },
        proven: Some(outcome(best, side)),
        moves: actions.iter().map(told).collect(),
        choice: None,
        principal_variation: vec![actions[0].0],
    }
}

fn outcome(value: TurnValue, side: Side) -> Outcome {
    match value {
        TurnValue::Win(_) => Outcome::Win(side),
        TurnValue::Draw => Outcome::Draw,
        TurnValue::Loss(_) => Outcome::Win(side.opponent()),
    }
}
