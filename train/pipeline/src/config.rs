//! The config of a run: read from TOML with `--set` on top, checked, and written out resolved.
//!
//! `selfplay config` and `configs/README.md` explain each key.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, NamedSource};
use selfplay_arena::GateConfig;
use selfplay_config::suggestion::did_you_mean;
use selfplay_config::{ANY, ConfigValue, InvalidKey, check, config_choice, config_section};
use selfplay_network::training::LearnerConfig;
use selfplay_network::{NetworkConfig, Precision};
use selfplay_players::PlayerSpec;
use selfplay_players::spec::RandomSpec;
use selfplay_registry::Games;
use selfplay_train::{ReplayConfig, SelfPlayConfig};

use crate::config_keys::sections;
use crate::config_mismatch::{Problem, first_mismatch};
use crate::config_text::{Change, first_difference, is_within, line_of, merge, parse_set, span_of};
use crate::nearby::did_you_mean_file;
use crate::resources::{config_file, shipped_configs};
use crate::retention_config::RetentionConfig;

/// The key with the baselines.
const LADDER: &str = "gate.eval_opponents";

config_section! {
    /// The config of a run, which determines it.
    pub struct RunConfig, then check_together {
        /// Id of the game (`selfplay games`).
        pub game: String;
        #[serde(default)]
        /// Seed of the run's random numbers.
        pub seed: u64, in 0..;
        /// Number of generations. Only this key and `[retention]` may differ when a run is resumed; `train` rejects other
        /// changes.
        pub generations: u32, in 1..;
        #[serde(default)]
        /// Arithmetic of the networks in self-play and gate on the CPU.
        pub precision: PrecisionChoice;
        #[serde(default, skip_serializing_if = "Option::is_none")]
        /// Initialise the weights from a run folder or checkpoint. A smaller network grows to `[network]` (Net2Net, Chen et al.
        /// 2016); the board may have another size. See `configs/README.md`, "Growing a network".
        pub init_from: Option<PathBuf>;
        #[serde(default)]
        /// The policy/value network.
        pub network: NetworkConfig;
        #[serde(default)]
        /// Self-play.
        pub selfplay: SelfPlayConfig;
        #[serde(default)]
        /// The replay window, which grows as KataGo's (Wu 2019, appendix C).
        pub replay: ReplayConfig;
        #[serde(default)]
        /// The optimizer, its targets and its schedule.
        pub learner: LearnerConfig;
        #[serde(default)]
        /// After each generation the candidate plays the ladder and the champion. It becomes the champion on three
        /// conditions. The match does not show it to be weaker, by `sprt` or by `min_score`. Its mean score against the
        /// ladder is at most `eval_tolerance` below the best of a champion so far. And (its points in the match − the
        /// champion's) + (its points against the ladder − those of the best champion) is not negative. The first
        /// candidate, the untrained network, is the first champion. The match against the champion ends as soon as the
        /// test has decided, or nothing can change whether `min_score` is reached.
        pub gate: GateConfig;
        #[serde(default)]
        /// Which files of a run are kept. Reports, tables, plots and the networks of champions are always kept. These keys do
        /// not affect training and may change at any time.
        pub retention: RetentionConfig;
    }
}

config_choice! {
    #[derive(Copy, Eq)]
    /// What networks compute in on the CPU.
    pub enum PrecisionChoice, default Auto {
        /// The faster one on the machine where the run starts; the run's config then records it.
        Auto = "auto",
        /// 32-bit floats.
        F32 = "f32",
        /// 8-bit integers: faster on CPUs with AVX-512 VNNI (1 to 1.5 times, depending on the board) or AMX, far slower on
        /// others.
        Int8 = "int8",
    }
}

impl PrecisionChoice {
    /// The precision itself.
    pub fn resolve(self) -> Precision {
        match self {
            PrecisionChoice::Auto => Precision::fastest(),
            PrecisionChoice::F32 => Precision::F32,
            PrecisionChoice::Int8 => Precision::Int8,
        }
    }

    /// Never `Auto`: what `stored` says, the choice of the run so far, or else the fastest.
    fn settled(self, stored: Option<PrecisionChoice>) -> Self {
        let choice = match (self, stored) {
            (PrecisionChoice::Auto, Some(stored)) => stored,
            _ => self,
        };
        match choice.resolve() {
            Precision::F32 => PrecisionChoice::F32,
            Precision::Int8 => PrecisionChoice::Int8,
        }
    }
}

/// A config that cannot be used.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the config {}: {source}{meant}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What was probably meant, as a question, or nothing.
        meant: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Something at a known place of the file is wrong.
    #[error("{}:{line}: {message}", path.display())]
    #[diagnostic(help("`selfplay config KEY` explains a key, `selfplay config` lists all"))]
    InFile {
        /// The file.
        path: PathBuf,
        /// Line of the file, from 1.
        line: usize,
        /// What is wrong and what would be right.
        message: String,
        /// The file's text, for the excerpt.
        #[source_code]
        source_code: Arc<NamedSource<String>>,
        /// Where in the text.
        #[label("here")]
        span: Option<miette::SourceSpan>,
    },
    /// A `--set` is wrong.
    #[error("--set {set}: {message}")]
    #[diagnostic(help("write it like --set learner.batch_size=128; `selfplay config` lists all keys"))]
    Set {
        /// The option's value.
        set: String,
        /// What is wrong and what would be right.
        message: String,
    },
}

impl RunConfig {
    /// Reads the config of one of `games` at `path`, applies each of `sets` (`key=value`, the key dotted), and checks every value.
    ///
    /// # Errors
    /// [`ConfigError`] with the place and the keys that exist there.
    pub fn load(path: &Path, sets: &[String], games: &Games) -> Result<Self, ConfigError> {
        let path = &config_file(path);
        let nearby = std::iter::once(path.clone()).chain(shipped_configs(path));
        let meant = || nearby.map(|file| did_you_mean_file(&file)).find(|meant| !meant.is_empty()).unwrap_or_default();
        let read = fs::read_to_string(path);
        let text = read.map_err(|source| ConfigError::Read { path: path.into(), meant: meant(), source })?;
        Self::read(path, text, sets, games)
    }

    /// Reads the text of a config of one of `games`.
    ///
    /// # Errors
    /// Those of [`load`](Self::load).
    pub fn parse(text: &str, games: &Games) -> Result<Self, ConfigError> {
        Self::read(Path::new("config"), text.to_owned(), &[], games)
    }

    fn read(path: &Path, text: String, sets: &[String], games: &Games) -> Result<Self, ConfigError> {
        let in_file = |message: String, span: Option<Range<usize>>| ConfigError::InFile {
            path: path.into(),
            line: span.as_ref().map_or(1, |span| line_of(&text, span.start)),
            message,
            source_code: Arc::new(NamedSource::new(path.display().to_string(), text.clone())),
            span: span.map(Into::into),
        };
        let from_toml = |error: toml::de::Error| match first_mismatch(&RunConfig::shape(ANY), &text) {
            Some(mismatch) => in_file(mismatch.problem.to_string(), Some(mismatch.span)),
            None => in_file(error.message().to_owned(), error.span()),
        };
        let mut config: RunConfig = toml::from_str(&text).map_err(from_toml)?;
        let mut table: toml::Table = toml::from_str(&text).map_err(from_toml)?;
        for set in sets {
            let in_set = |message: String| ConfigError::Set { set: set.clone(), message };
            let Change { depth, table: change } = parse_set(set).map_err(|error| in_set(error.to_string()))?;
            merge(&mut table, change, depth);
            let explained = |error: toml::de::Error| in_set(explained_set(&table, &error));
            config = table.clone().try_into().map_err(explained)?;
        }
        let invalid = |key: &str, message: String| {
            let sets_it = |set: &&String| is_within(key, set.split('=').next().unwrap_or_default());
            match sets.iter().rfind(sets_it) {
                Some(set) => ConfigError::Set { set: set.clone(), message },
                None => in_file(message, span_of(&text, key)),
            }
        };
        config.gate.resolve_players(games.players()).map_err(|error| invalid(LADDER, error.to_string()))?;
        // What one key may be depends on others: only all together are right or wrong.
        config.check_for(games).map_err(|error| invalid(&error.key, error.to_string()))?;
        Ok(config)
    }

    /// Decides what `auto` left open: as in `stored`, the config of the run so far, or else for this machine.
    pub fn settle(&mut self, stored: Option<&RunConfig>) {
        self.precision = self.precision.settled(stored.map(|stored| stored.precision));
    }

    /// Decides what the config of a run that already exists left open: runs from before there was a choice computed in
    /// floats.
    pub fn settle_old(&mut self) {
        if self.precision == PrecisionChoice::Auto {
            self.precision = PrecisionChoice::F32;
        }
    }

    /// The resolved config: every key with its value.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a config is plain data")
    }

    /// The first key, besides those that may change, in which `other` differs, with both values, or `None`.
    pub fn difference(&self, other: &RunConfig) -> Option<String> {
        let table = |config: &RunConfig| {
            let mut table = toml::Table::try_from(config).expect("a config is plain data");
            table.remove("generations");
            table.remove("retention");
            toml::Value::Table(table)
        };
        first_difference("", &table(self), &table(other))
    }

    /// Checks everything, and that the game is one of `games`.
    fn check_for(&self, games: &Games) -> Result<(), InvalidKey> {
        let ids = games.ids();
        let meant = did_you_mean(&self.game, ids.iter().copied());
        let expected = format!(
            "a game's id{meant}; the games are {}, and one in a Python file with --game-file FILE",
            ids.join(", ")
        );
        check(ids.contains(&self.game.as_str()), "game", &self.game, &expected)?;
        self.validate()
    }

    fn check_together(&self) -> Result<(), InvalidKey> {
        let has_zero = self.gate.eval_opponents.contains(&PlayerSpec::new(RandomSpec::default()));
        check(has_zero, LADDER, "without `random`", "it among the baselines: it is the zero of all ratings")
    }
}

/// What is wrong with `table`, the config with a `--set` over it, which serde rejects with `error`.
fn explained_set(table: &toml::Table, error: &toml::de::Error) -> String {
    let shape = RunConfig::shape(ANY);
    let mismatch = toml::to_string(table).ok().and_then(|text| first_mismatch(&shape, &text));
    let Some(mismatch) = mismatch else { return error.message().to_owned() };
    // A key without its table.
    if let Problem::UnknownKey { name, .. } = &mismatch.problem
        && mismatch.key == *name
    {
        let sections = sections(&shape);
        let mut keys = sections.iter().flat_map(|section| section.keys.iter().map(|(name, _)| section.path_of(name)));
        if let Some(path) = keys.find(|path| path.rsplit('.').next() == Some(name)) {
            return format!("there is no key `{name}` (did you mean `{path}`?)");
        }
    }
    mismatch.problem.to_string()
}

#[cfg(test)]
mod tests {
    use selfplay_shipped::shipped_games;

    use super::*;

    fn load(text: &str, sets: &[&str]) -> Result<RunConfig, ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.toml");
        fs::write(&path, text).unwrap();
        let sets: Vec<String> = sets.iter().map(|&set| set.into()).collect();
        RunConfig::load(&path, &sets, &Games::new(&shipped_games()))
    }

    fn refusal(text: &str, sets: &[&str]) -> String {
        load(text, sets).unwrap_err().to_string()
    }

    const SMALL: &str = "game = \"tictactoe\"\ngenerations = 2\n";

    #[test]
    fn unknown_keys_are_refused_with_line_and_known_keys() {
        let error = refusal(&format!("{SMALL}[selfplay]\nsimulation = 3\n"), &[]);
        assert!(error.contains("run.toml:4: "), "{error}");
        assert!(
            error.contains("unknown field `simulation` (did you mean `num_simulations`?), expected one of"),
            "{error}"
        );
    }

    #[test]
    fn invalid_values_are_refused_with_line_and_range() {
        let error = refusal(&format!("{SMALL}\n[replay]\nwindow_slope = 2.0\n"), &[]);
        assert!(error.contains("run.toml:5: ") && error.contains("expected 0 to 1"), "{error}");
        let error = refusal("game = \"chess\"\ngenerations = 1\n", &[]);
        assert!(error.contains("run.toml:1: ") && error.contains("the games are"), "{error}");
        let error = refusal("game = \"tictactoe\"\ngenerations = \"many\"\n", &[]);
        assert!(error.contains("run.toml:2: ") && error.contains("expected a whole number"), "{error}");
    }

    #[test]
    fn what_serde_refuses_is_explained_by_the_declarations() {
        for (text, line, reason) in [
            ("[selfplay]\nnum_simulations = -1", 4, "invalid value: integer `-1`, expected a whole number, 1 to "),
            ("[replay]\nwindow_slope = \"x\"", 4, "invalid type: string \"x\", expected a number, 0 to 1"),
            ("[selfplay]\nstop_proven = 1", 4, "invalid type: integer `1`, expected true or false"),
            (
                "[learner]\nschedule = { kind = \"cosin\" }",
                4,
                "unknown variant `cosin` (did you mean `cosine`?), expected one of",
            ),
            (
                "[learner]\nschedule = { kind = \"step\" }",
                4,
                "missing field `milestones`: its table has none of the others",
            ),
            ("[gate]\nsprt = { elo0 = 0.0 }", 4, "missing field `elo1`: its table has none of the others"),
            ("precision = \"half\"", 3, "unknown variant `half`, expected one of `auto`, `f32`, `int8`"),
            ("network = 3", 3, "invalid type: integer `3`, expected a table"),
            ("[selfplay.search]\nfpu = { absolut = 0.5 }", 4, "unknown variant `absolut` (did you mean `absolute`?)"),
        ] {
            let error = refusal(&format!("{SMALL}{text}\n"), &[]);
            assert!(error.contains(&format!("run.toml:{line}: {reason}")), "{error}");
        }
        assert!(refusal("game = \"tictactoe\"\n", &[]).ends_with("run.toml:1: missing field `generations`"));
        assert!(refusal("game = \"tictactoe\ngenerations = 2\n", &[]).contains("run.toml:1: "), "it is no TOML");
        let ladder = format!("{SMALL}[gate]\neval_opponents = [\"randm\"]\n");
        assert!(refusal(&ladder, &[]).contains("randm"), "what shapes do not tell is in serde's words");
    }

    #[test]
    fn sets_go_over_the_file_and_are_checked_as_well() {
        let config = load(SMALL, &["selfplay.num_simulations=7", "seed=5", "game=connect4"]).unwrap();
        assert_eq!((config.selfplay.num_simulations, config.seed, config.game.as_str()), (7, 5, "connect4"));
        // In whatever order they come.
        let many = ["selfplay.num_simulations=64", "selfplay.games_per_generation=640"];
        assert_eq!(load(SMALL, &many).unwrap().selfplay.num_simulations, 64);
        for (set, reason) in [
            ("seed", "expected key=value"),
            ("selfplay.nothing=1", "unknown field `nothing`"),
            ("selfplay.num_simulations=0", "expected 1 to 1,000,000"),
            ("generations=x", "expected a whole number, at least 1"),
            ("num_simulations=64", "did you mean `selfplay.num_simulations`?"),
            ("simulatons=64", "unknown field `simulatons`"),
            ("selfplay.search.fpu={ absolute = 7 }", "fpu.absolute"),
            ("selfplay={ concurrent_games = 0 }", "concurrent_games"),
        ] {
            let error = refusal(SMALL, &[set]);
            assert!(error.starts_with(&format!("--set {set}: ")) && error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_set_replaces_what_it_names_and_nothing_beside() {
        let text = format!(
            "{SMALL}[selfplay]\nnum_simulations = 2\n[selfplay.search]\nc_puct = 3.0\nfpu = {{ absolute = 0.5 }}\n"
        );
        let config = load(&text, &["selfplay.search.fpu={ reduced_parent = 0.3 }"]).unwrap();
        assert_eq!(config.selfplay.search.fpu, selfplay_mcts::Fpu::ReducedParent(0.3));
        assert_eq!((config.selfplay.search.c_puct, config.selfplay.num_simulations), (3.0, 2));
    }

    #[test]
    fn nested_keys_have_their_line() {
        let error = refusal(&format!("{SMALL}\n[selfplay.search]\nfpu = {{ absolute = 7.0 }}\n"), &[]);
        assert!(error.contains("run.toml:5: "), "{error}");
    }

    #[test]
    fn shipped_configs_are_valid() {
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
        let folders = fs::read_dir(configs).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
        let files: Vec<PathBuf> =
            folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())).collect();
        for file in &files {
            let config =
                RunConfig::load(file, &[], &Games::new(&shipped_games())).unwrap_or_else(|error| panic!("{error}"));
            assert!(file.parent().unwrap().ends_with(&config.game), "{}", file.display());
        }
        let games = shipped_games().len();
        assert!(files.len() > 2 * games, "smoke.toml and cpu.toml for each game, and a quickstart");
    }

    #[test]
    fn a_run_keeps_its_precision() {
        let (mut new, mut old) = (load(SMALL, &[]).unwrap(), load(SMALL, &[]).unwrap());
        new.settle(None);
        assert_eq!(new.precision.resolve(), Precision::fastest());
        assert_ne!(new.precision, PrecisionChoice::Auto);
        old.settle_old();
        assert_eq!(old.precision, PrecisionChoice::F32, "from before there was a choice");
        for stored in [PrecisionChoice::F32, PrecisionChoice::Int8] {
            let mut again = load(SMALL, &[]).unwrap();
            again.settle(Some(&RunConfig { precision: stored, ..new.clone() }));
            assert_eq!(again.precision, stored);
        }
        let asked = load(SMALL, &["precision=int8"]).unwrap();
        assert_eq!(asked.precision, PrecisionChoice::Int8);
        assert!(refusal(SMALL, &["precision=half"]).contains("`f32`"));
    }

    /// Runs of older versions resume only if the keys, their order and their form stay the same.
    #[test]
    fn the_default_config_is_written_as_ever() {
        assert_eq!(load(SMALL, &[]).unwrap().to_toml(), include_str!("../tests/data/default_config.toml"));
    }

    #[test]
    fn the_resolved_config_reads_back_and_differences_are_named() {
        let config = load(SMALL, &[]).unwrap();
        assert_eq!(load(&config.to_toml(), &[]).unwrap(), config);
        let mut other = RunConfig { generations: 9, ..config.clone() };
        assert_eq!(config.difference(&other), None);
        other.replay.replay_ratio = 2.5;
        assert_eq!(config.difference(&other).unwrap(), "replay.replay_ratio was 4.0, now 2.5");
    }
}
