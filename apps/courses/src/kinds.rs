//! The courses' kinds of players, as specifications name them.

use std::sync::Arc;

use selfplay_players::baselines::UctConfig;
use selfplay_players::program::ProgramConfig;
use selfplay_players::spec::pairs::{Pairs, Written, command_of};
use selfplay_players::{EvalError, Playable, Player, PlayerKind, PlayerRecipe};

use crate::players::{
    PentagoReportConfig, PenteMinimaxConfig, ReportSearch, SpreadEvaluation, pentago_report, pente_minimax,
    pente_random,
};
use crate::program::pente_file_player;

/// All of them.
pub const PLAYER_KINDS: &[&dyn PlayerKind] = &[&PentagoReport, &PenteRandom, &PenteMinimax, &PenteFile];

/// The agent of a report on Pentago-Swap.
struct PentagoReport;

impl PlayerKind for PentagoReport {
    fn name(&self) -> &'static str {
        "pentago-report"
    }

    fn read(&self, spec: &str, settings: &str) -> Result<Arc<dyn PlayerRecipe>, EvalError> {
        let pairs = Pairs::read(spec, settings, &["depth", "evaluation", "search", "memory", "book"])?;
        let evaluations = [("board", SpreadEvaluation::Board), ("average", SpreadEvaluation::Average)];
        let depth = pairs.number("depth", "a whole number of moves from 1 to 36", |depth| (1..=36).contains(depth))?;
        let evaluation = pairs.choice("evaluation", "`board` or `average`", &evaluations)?;
        let is_tree = pairs.choice("search", "`alphabeta` or `mcts`", &[("alphabeta", false), ("mcts", true)])?;
        let memory = pairs.memory_mib()?;
        let search = match is_tree {
            Some(true) if depth.is_some() || evaluation.is_some() => {
                return Err(pairs.unfit("depth and evaluation", "`search=alphabeta`"));
            }
            Some(true) => ReportSearch::MonteCarlo { memory_mib: memory.unwrap_or(UctConfig::default().memory_mib) },
            _ if memory.is_some() => return Err(pairs.unfit("memory", "`search=mcts`")),
            _ => match ReportSearch::default() {
                ReportSearch::AlphaBeta { depth: usual_depth, evaluation: usual } => ReportSearch::AlphaBeta {
                    depth: depth.unwrap_or(usual_depth),
                    evaluation: evaluation.unwrap_or(usual),
                },
                tree @ ReportSearch::MonteCarlo { .. } => tree,
            },
        };
        let book = pairs.text("book", "the path of a book file")?.map(Into::into);
        let config = PentagoReportConfig { search, book };
        config.validate()?;
        Ok(Arc::new(config))
    }
}

impl PlayerRecipe for PentagoReportConfig {
    fn written(&self) -> String {
        let written = Written::new("pentago-report");
        let written = match (self.search, ReportSearch::default()) {
            (search, default) if search == default => written,
            (ReportSearch::AlphaBeta { depth, evaluation }, _) => written
                .pair("depth", Some(depth))
                .pair("evaluation", (evaluation == SpreadEvaluation::Average).then_some("average")),
            (ReportSearch::MonteCarlo { memory_mib }, _) => {
                written.pair("search", Some("mcts")).pair("memory", Some(memory_mib))
            }
        };
        written.pair("book", self.book.as_ref().map(|path| path.display())).to_string()
    }

    fn is_complete(&self) -> bool {
        self.book.is_none()
    }

    fn build(&self, game: &'static dyn Playable, name: String) -> Result<Box<dyn Player>, EvalError> {
        pentago_report(game, name, self)
    }
}

/// The random agent of the Pente course.
#[derive(Debug)]
struct PenteRandom;

impl PlayerKind for PenteRandom {
    fn name(&self) -> &'static str {
        "pente-random"
    }

    fn read(&self, spec: &str, settings: &str) -> Result<Arc<dyn PlayerRecipe>, EvalError> {
        Pairs::read(spec, settings, &[])?;
        Ok(Arc::new(PenteRandom))
    }
}

impl PlayerRecipe for PenteRandom {
    fn written(&self) -> String {
        self.name().into()
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn build(&self, game: &'static dyn Playable, _name: String) -> Result<Box<dyn Player>, EvalError> {
        pente_random(game)
    }
}

/// The minimax agent of the Pente course.
struct PenteMinimax;

impl PlayerKind for PenteMinimax {
    fn name(&self) -> &'static str {
        "pente-minimax"
    }

    fn read(&self, spec: &str, settings: &str) -> Result<Arc<dyn PlayerRecipe>, EvalError> {
        let pairs = Pairs::read(spec, settings, &["depth"])?;
        let depth = pairs.number("depth", "a whole number from 1 to 4", |depth| (1..=4).contains(depth))?;
        Ok(Arc::new(PenteMinimaxConfig { depth }))
    }
}

impl PlayerRecipe for PenteMinimaxConfig {
    fn written(&self) -> String {
        Written::new("pente-minimax").pair("depth", self.depth).to_string()
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn build(&self, game: &'static dyn Playable, name: String) -> Result<Box<dyn Player>, EvalError> {
        pente_minimax(game, name, *self)
    }
}

/// A program that speaks the file protocol of the Pente course.
struct PenteFile;

/// Such a program with its limits.
#[derive(Debug)]
struct PenteFileProgram(ProgramConfig);

impl PlayerKind for PenteFile {
    fn name(&self) -> &'static str {
        "pente-file"
    }

    fn read(&self, spec: &str, settings: &str) -> Result<Arc<dyn PlayerRecipe>, EvalError> {
        let (time_ms, command) = command_of(spec, settings)?;
        Ok(Arc::new(PenteFileProgram(ProgramConfig { time_ms, ..ProgramConfig::new(command) })))
    }
}

impl PlayerRecipe for PenteFileProgram {
    fn written(&self) -> String {
        Written::new("pente-file").time("time", self.0.time_ms).part(&self.0.command).to_string()
    }

    fn depends_on_time(&self) -> bool {
        true
    }

    fn build(&self, game: &'static dyn Playable, name: String) -> Result<Box<dyn Player>, EvalError> {
        pente_file_player(game, name, &self.0)
    }
}
