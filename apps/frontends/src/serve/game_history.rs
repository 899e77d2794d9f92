//! The moves of one session and all positions between them.

use std::time::Instant;

use selfplay_env::game_text::{result_mark, split_result};
use selfplay_env::{Action, Outcome, PlayError, Position, Rules, Side};

use super::catalogue::AgentRequest;
use super::clock::Clock;
use super::dto::{LastDto, MoveDto, OutcomeDto, SessionDto, ValueDto};
use super::error::Refusal;

/// A session holds no more plies: Pylos alone has no longest game.
const MAX_PLIES: usize = 2000;

/// A game from its beginning to where it stands.
#[derive(Debug)]
pub(super) struct GameHistory {
    rules: &'static dyn Rules,
    /// Before the first move and after each.
    positions: Vec<Box<dyn Position>>,
    history: Vec<Action>,
    /// What is known of the value of each position.
    values: Vec<Option<ValueDto>>,
    resigned: Option<Side>,
    clock: Option<Clock>,
    /// Grows with every change.
    version: u64,
}

impl GameHistory {
    pub(super) fn new(rules: &'static dyn Rules) -> Self {
        let (positions, values) = (vec![rules.initial()], vec![None]);
        GameHistory { rules, positions, history: Vec::new(), values, resigned: None, clock: None, version: 0 }
    }

    /// The game of a text: moves separated by spaces, then perhaps `= R`, which is then checked.
    pub(super) fn read(rules: &'static dyn Rules, text: &str) -> Result<Self, Refusal> {
        let (actions, recorded) = split_result(text);
        let mut game = GameHistory::new(rules);
        for (index, name) in actions.split_whitespace().enumerate() {
            game.decide(name).map_err(|refusal| {
                Refusal::new(refusal.status(), format!("action {}: {}", index + 1, refusal.error), refusal.expected)
            })?;
        }
        let here = result_mark(game.outcome_by_rules());
        match recorded {
            Some(mark) if mark != here && mark != "*" => Err(Refusal::against_the_rules(
                format!("the text says `= {mark}`, by the rules it is `= {here}`"),
                format!("`= {here}`, or nothing after the moves"),
            )),
            _ => Ok(game),
        }
    }

    /// The same with a clock, which runs from now on if the game has begun.
    pub(super) fn with_clock(self, clock: Option<Clock>) -> Self {
        let mut game = GameHistory { clock, ..self };
        game.set_clock();
        game
    }

    /// Has the clock stand where the game stands.
    fn set_clock(&mut self) {
        let (ply, newest) = (self.len(), self.newest());
        let next = newest.outcome().is_none().then(|| newest.side_to_move());
        if let Some(clock) = &mut self.clock {
            clock.stand_at(ply, next, Instant::now());
        }
    }

    /// Looks whether somebody has lost by time.
    pub(super) fn look_at_clock(&mut self) {
        if let Some(clock) = self.clock.as_mut().filter(|clock| clock.fallen().is_none())
            && clock.look(Instant::now()).is_some()
        {
            self.version += 1;
        }
    }

    /// The clock, if there is one.
    pub(super) fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    /// The first `ply` moves and `variation` after them, as a line of its own.
    pub(super) fn branch(&self, ply: usize, variation: &[String]) -> Result<GameHistory, Refusal> {
        self.position(ply)?;
        let mut branch = GameHistory {
            positions: self.positions[..=ply].to_vec(),
            history: self.history[..ply].to_vec(),
            values: self.values[..=ply].to_vec(),
            ..GameHistory::new(self.rules)
        };
        for name in variation {
            branch.decide(name)?;
        }
        Ok(branch)
    }

    pub(super) fn len(&self) -> usize {
        self.history.len()
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn history(&self) -> &[Action] {
        &self.history
    }

    /// The position after `ply` moves.
    pub(super) fn position(&self, ply: usize) -> Result<&dyn Position, Refusal> {
        self.positions.get(ply).map(|position| &**position).ok_or_else(|| {
            Refusal::not_found(format!("the game has no move {ply}"), format!("a ply from 0 to {}", self.len()))
        })
    }

    /// Where the game stands.
    pub(super) fn newest(&self) -> &dyn Position {
        &*self.positions[self.len()]
    }

    fn outcome_by_rules(&self) -> Option<Outcome> {
        self.newest().outcome()
    }

    /// The result of the complete game, if it is over.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.ending().map(|(outcome, _)| outcome)
    }

    /// The result of the complete game and what ended it.
    fn ending(&self) -> Option<(Outcome, &'static str)> {
        let lost = |side: Side| Outcome::Win(side.opponent());
        let by_rules = self.outcome_by_rules().map(|outcome| (outcome, "rules"));
        let fallen = self.clock.as_ref().and_then(Clock::fallen).map(|side| (lost(side), "time"));
        by_rules.or(self.resigned.map(|side| (lost(side), "resignation"))).or(fallen)
    }

    /// Rejects the request unless the game has `ply` moves and is not over.
    pub(super) fn check_running_at(&self, ply: usize) -> Result<(), Refusal> {
        if ply != self.len() {
            return Err(Refusal::conflict(
                format!("`ply` is {ply}, but the game stands after {} moves", self.len()),
                "the state as it is now",
            ));
        }
        match self.outcome() {
            None => Ok(()),
            Some(_) => Err(Refusal::conflict("the game is over", "undo, or a new table")),
        }
    }

    /// Makes the move that `name` names.
    pub(super) fn decide(&mut self, name: &str) -> Result<(), Refusal> {
        let action = self.rules.parse_action(name).map_err(|error| {
            Refusal::bad_request(format!("`{}` is not an action of {}", error.text, error.game), error.expected)
        })?;
        self.play(action)
    }

    /// Makes a move.
    pub(super) fn play(&mut self, action: Action) -> Result<(), Refusal> {
        if self.len() == MAX_PLIES {
            return Err(Refusal::conflict(format!("a table holds {MAX_PLIES} moves"), "a new table"));
        }
        let mut position = self.newest().boxed();
        position.try_play(action).map_err(|error| match error {
            PlayError::GameOver { .. } => Refusal::conflict(error.to_string(), "undo, or a new table"),
            PlayError::Illegal { .. } => {
                Refusal::against_the_rules(error.to_string(), "one of the state's `legal` moves")
            }
        })?;
        if let Some(clock) = &mut self.clock {
            let mover = self.positions[self.history.len()].side_to_move();
            let next = position.outcome().is_none().then(|| position.side_to_move());
            clock.decided(mover, position.starts_turn(), next, Instant::now());
        }
        self.values.push(position.outcome().map(ValueDto::certain));
        self.positions.push(position);
        self.history.push(action);
        self.version += 1;
        Ok(())
    }

    /// Takes back all moves after the first `ply`, and a resignation.
    pub(super) fn undo_to(&mut self, ply: usize) -> Result<(), Refusal> {
        self.position(ply)?;
        self.history.truncate(ply);
        self.positions.truncate(ply + 1);
        self.values.truncate(ply + 1);
        self.resigned = None;
        self.set_clock();
        self.version += 1;
        Ok(())
    }

    pub(super) fn resign(&mut self, side: Side) -> Result<(), Refusal> {
        self.check_running_at(self.len())?;
        self.resigned = Some(side);
        if let Some(clock) = &mut self.clock {
            clock.stop(Instant::now());
        }
        self.version += 1;
        Ok(())
    }

    /// Notes what is known of the position after `ply` moves, unless its value is certain.
    pub(super) fn note_value(&mut self, ply: usize, value: ValueDto) {
        if self.positions[ply].outcome().is_none() {
            self.values[ply] = Some(value);
        }
    }

    /// The session after `ply` moves and the moves of `variation`, but for its id.
    pub(super) fn dto(
        &self,
        ply: usize,
        variation: &[String],
        seats: [Option<AgentRequest>; 2],
        thinking: bool,
    ) -> Result<SessionDto, Refusal> {
        let branch = self.branch(ply, variation)?;
        let position = branch.newest();
        let mut legal = Vec::new();
        position.legal_actions(&mut legal);
        let last = branch.len().checked_sub(1).map(|before| {
            let (position, action) = (&*branch.positions[before], branch.history[before]);
            LastDto {
                played: MoveDto::new(position, action),
                places: position.touched(action),
                side: position.side_to_move().index(),
            }
        });
        let outcome = match position.outcome() {
            Some(outcome) => Some(OutcomeDto::by_rules(outcome)),
            None if ply == self.len() && variation.is_empty() => {
                self.ending().map(|(outcome, by)| OutcomeDto { by, ..OutcomeDto::by_rules(outcome) })
            }
            None => None,
        };
        Ok(SessionDto {
            id: String::new(),
            game: self.rules.id(),
            seats,
            moves: self.history.iter().map(|&action| self.rules.action_name(action)).collect(),
            movers: self.positions[..self.len()].iter().map(|position| position.side_to_move().index()).collect(),
            ply,
            variation: branch.history[ply..].iter().map(|&action| self.rules.action_name(action)).collect(),
            variation_movers: branch.positions[ply..branch.len()]
                .iter()
                .map(|before| before.side_to_move().index())
                .collect(),
            side_to_move: position.side_to_move().index(),
            starts_turn: position.starts_turn(),
            outcome,
            view: position.view().into(),
            legal: legal.into_iter().map(|action| MoveDto::new(position, action)).collect(),
            last,
            values: self.values.clone(),
            clock: self.clock.as_ref().map(|clock| clock.dto(Instant::now())),
            thinking,
            record: self.rules.format_game(&self.history, self.outcome()),
        })
    }
}
