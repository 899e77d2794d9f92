//! The table that an exported program carries, as a player that specifications can name.

use std::fmt;

use selfplay_bundle::carried_agent;
use selfplay_players::{
    EvalError, NetworkSource, Playable, Player, PlayerBuilder, PlayerKind, PlayerSpec, TablePlayer,
};

use crate::error::CliError;

/// What stands for it in specifications.
pub const CARRIED_TABLE: &str = "carried-table";

/// Perfect play by the table behind the running program.
#[derive(Clone, Copy, Debug)]
pub struct CarriedTable;

impl PlayerKind for CarriedTable {
    fn name(&self) -> &'static str {
        CARRIED_TABLE
    }

    fn read(&self, _spec: &str, _settings: &str) -> Result<PlayerSpec, EvalError> {
        Ok(PlayerSpec::new(CarriedTable))
    }
}

impl fmt::Display for CarriedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(CARRIED_TABLE)
    }
}

impl PlayerBuilder for CarriedTable {
    fn analyses(&self) -> bool {
        true
    }

    fn build(
        &self,
        game: &'static dyn Playable,
        name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        let tablebase = carried_agent().map_err(CliError::from).and_then(|agent| match agent {
            Some(agent) => Ok(agent.table(game)?),
            None => Err(CliError::NoCarriedTable),
        });
        let failed =
            |error: CliError| EvalError::Checkpoint { checkpoint: CARRIED_TABLE.into(), source: Box::new(error) };
        Ok(Box::new(TablePlayer::by(name, tablebase.map_err(failed)?)))
    }
}
