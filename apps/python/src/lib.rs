//! The native part of the Python module `selfplay_trainer`: games and positions, many games at once, agents.
//!
//! Python sees it as `selfplay_trainer._native`; the public API and its documentation are in `apps/python/selfplay_trainer`.
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_op_in_unsafe_fn)]

mod errors;

mod picture;

mod game;

mod vector_env;

mod agent;

/// The module.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::agent::Agent;
    #[pymodule_export]
    use crate::errors::SelfplayError;
    #[pymodule_export]
    use crate::game::{Game, Position, game_ids};
    #[pymodule_export]
    use crate::vector_env::VectorEnv;

    use std::path::PathBuf;
    use std::sync::LazyLock;

    use pyo3::prelude::*;
    use selfplay_pipeline::RunFolder;

    use crate::errors::failed;
    use crate::vector_env::OWNER;

    /// The process that reads the module has threads; one that is forked from it has none of them.
    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        LazyLock::force(&OWNER);
        Ok(())
    }

    /// Says which program's configs and agents are meant by `released`: that of the module, not the interpreter's.
    #[pyfunction]
    fn look_beside(program: PathBuf) {
        selfplay_pipeline::resources::look_beside(program);
    }

    /// Says which Python runs games in files: the one that runs this.
    #[pyfunction]
    fn set_python(python: String) {
        selfplay_python_game::set_python(python);
    }

    /// The checkpoint of a run's champion; none while there is none.
    #[pyfunction]
    fn champion_of(run: PathBuf) -> PyResult<Option<PathBuf>> {
        let run = RunFolder::open(&run).map_err(failed)?;
        let champion = run.champion().map_err(failed)?;
        champion.map(|generation| run.own_network(generation).map_err(failed)).transpose()
    }
}
