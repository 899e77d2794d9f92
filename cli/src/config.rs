//! The config of a run: read from TOML with `--set` on top, checked, and written out resolved.
//!
//! Each key is explained in `configs/README.md`.

use std::fmt::Display;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, NamedSource};
use selfplay_eval::{GateConfig, PlayerSpec};
use selfplay_kit::Games;
use selfplay_network::{NetworkConfig, Precision};
use selfplay_train::{LearnerConfig, ReplayConfig, SelfPlayConfig};
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};

/// Everything a run is a function of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// Id of the game.
    pub game: String,
    /// Seed of every random choice of the run.
    #[serde(default)]
    pub seed: u64,
    /// Generations of self-play, learning and gate.
    pub generations: u32,
    /// What the networks of self-play and gate compute in on the CPU.
    #[serde(default)]
    pub precision: PrecisionChoice,
    /// A run or checkpoint, of this game or on another size of its board, whose weights the run starts with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_from: Option<PathBuf>,
    /// The policy/value network.
    #[serde(default)]
    pub network: NetworkConfig,
    /// How games are generated.
    #[serde(default)]
    pub selfplay: SelfPlayConfig,
    /// What the learner samples from.
    #[serde(default)]
    pub replay: ReplayConfig,
    /// The optimizer and its schedule.
    #[serde(default)]
    pub learner: LearnerConfig,
    /// Matches against the champion and the ladder.
    #[serde(default)]
    pub gate: GateConfig,
}

/// What networks compute in on the CPU.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrecisionChoice {
    /// The fastest on this CPU; what that is, is decided when a run starts and written into its config.
    #[default]
    Auto,
    /// 32-bit floats.
    F32,
    /// Bytes: fast where the CPU multiplies them, slow elsewhere.
    Int8,
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
    #[error("cannot read the config {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Something at a known place of the file is wrong.
    #[error("{}:{line}: {message}", path.display())]
    #[diagnostic(help("every key is explained in configs/README.md"))]
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
    #[diagnostic(help("write it like --set learner.batch_size=128; every key is explained in configs/README.md"))]
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
        let text = fs::read_to_string(path).map_err(|source| ConfigError::Read { path: path.into(), source })?;
        let in_file = |message: String, span: Option<Range<usize>>| ConfigError::InFile {
            path: path.into(),
            line: span.as_ref().map_or(1, |span| line_of(&text, span.start)),
            message,
            source_code: Arc::new(NamedSource::new(path.display().to_string(), text.clone())),
            span: span.map(Into::into),
        };
        let from_toml = |error: toml::de::Error| in_file(error.message().to_owned(), error.span());
        let mut config: RunConfig = toml::from_str(&text).map_err(from_toml)?;
        let mut table: toml::Table = toml::from_str(&text).map_err(from_toml)?;
        for set in sets {
            let in_set = |message: String| ConfigError::Set { set: set.clone(), message };
            let (keys, change) = parse_set(set).map_err(in_set)?;
            merge(&mut table, change, keys);
            config = table.clone().try_into().map_err(|error: toml::de::Error| in_set(error.message().to_owned()))?;
            if let Err(invalid) = config.validate(games)
                && invalid.is_within(set.split('=').next().unwrap_or_default())
            {
                return Err(in_set(invalid.message));
            }
        }
        if let Err(invalid) = config.validate(games) {
            let span = span_of(&text, &invalid.path());
            let section = if invalid.section.is_empty() { String::new() } else { format!("[{}] ", invalid.section) };
            return Err(in_file(format!("{section}{}", invalid.message), span));
        }
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

    /// The first key besides `generations` in which `other` differs, with both values, or `None`.
    pub fn difference(&self, other: &RunConfig) -> Option<String> {
        let table = |config: &RunConfig| {
            let mut table = toml::Table::try_from(config).expect("a config is plain data");
            table.remove("generations");
            toml::Value::Table(table)
        };
        first_difference("", &table(self), &table(other))
    }

    fn validate(&self, games: &Games) -> Result<(), InvalidKey> {
        let in_section = |section: &str, error: &dyn Display| InvalidKey::new(section, &error.to_string());
        if self.generations == 0 {
            return Err(InvalidKey::new("", "`generations` is 0: expected at least 1"));
        }
        if let Err(unknown) = games.find(&self.game) {
            return Err(InvalidKey::new("", &format!("`game` is {}: {unknown}", self.game)));
        }
        self.network.validate().map_err(|e| in_section("network", &e))?;
        self.selfplay.validate().map_err(|e| in_section("selfplay", &e))?;
        self.selfplay.search.validate().map_err(|e| in_section("selfplay.search", &e))?;
        self.selfplay.temperature.validate().map_err(|e| in_section("selfplay.temperature", &e))?;
        self.replay.validate().map_err(|e| in_section("replay", &e))?;
        self.learner.validate().map_err(|e| in_section("learner", &e))?;
        self.gate.validate().map_err(|e| in_section("gate", &e))?;
        if !self.gate.ladder.contains(&PlayerSpec::Random) {
            return Err(InvalidKey::new(
                "gate",
                "`ladder` has no `random`: expected it among the baselines, it is the zero of all ratings",
            ));
        }
        Ok(())
    }
}

/// A value that a section refuses. The sections' errors name the key first, in backquotes.
struct InvalidKey {
    section: String,
    key: String,
    message: String,
}

impl InvalidKey {
    fn new(section: &str, message: &str) -> Self {
        let key = message.split('`').nth(1).unwrap_or_default();
        InvalidKey { section: section.into(), key: key.into(), message: message.into() }
    }

    /// The dotted key.
    fn path(&self) -> String {
        if self.section.is_empty() { self.key.clone() } else { format!("{}.{}", self.section, self.key) }
    }

    /// Whether setting the dotted key `set` may be what made this invalid: one is the other or holds it.
    fn is_within(&self, set: &str) -> bool {
        let path = self.path();
        let holds = |outer: &str, inner: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
        let set = set.trim();
        path == set || holds(&path, set) || holds(set, &path)
    }
}

/// Reads `key=value` as TOML; a value that is no TOML is taken as a string, so that quotes are not needed. Returns the
/// number of parts of the dotted key as well.
fn parse_set(set: &str) -> Result<(usize, toml::Table), String> {
    let (key, value) = set.split_once('=').ok_or("expected key=value")?;
    let parse = |value: &str| toml::from_str::<toml::Table>(&format!("{key} = {value}"));
    let table = parse(value)
        .or_else(|_| parse(&toml::Value::String(value.into()).to_string()))
        .map_err(|error| error.message().to_owned())?;
    Ok((key.split('.').count(), table))
}

/// Puts the value that stands `keys` keys deep in `change` into `table`, in place of what is there.
fn merge(table: &mut toml::Table, change: toml::Table, keys: usize) {
    for (key, value) in change {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) if keys > 1 => merge(old, new, keys - 1),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

fn first_difference(path: &str, old: &toml::Value, new: &toml::Value) -> Option<String> {
    let (toml::Value::Table(a), toml::Value::Table(b)) = (old, new) else {
        return (old != new).then(|| format!("{path} was {old}, now {new}"));
    };
    a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))).find_map(|key| {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match (a.get(key), b.get(key)) {
            (Some(old), Some(new)) => first_difference(&path, old, new),
            (Some(old), None) => Some(format!("{path} was {old}, now it is absent")),
            (None, new) => Some(format!("{path} was absent, now {}", new?)),
        }
    })
}

/// Line of the byte `offset`, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
}

/// Where the dotted key `path` is set in `text`, or as much of it as is; a default has no place.
fn span_of(text: &str, path: &str) -> Option<Range<usize>> {
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut place = None;
    for part in path.split('.') {
        let Some(value) = table.get(part) else { break };
        place = Some(value.span());
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    place
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use selfplay_connect4::CONNECT4;
    use selfplay_pentago_swap::PENTAGO_SWAP;
    use selfplay_pente::{PENTE, PENTE_9, PENTE_13};
    use selfplay_pylos::PYLOS;
    use selfplay_sum15::{SUM15_4, SUM15_6};
    use selfplay_tictactoe::TIC_TAC_TOE;

    /// The games of the configs that ship with the program.
    pub(crate) fn all_games() -> Games {
        Games::new(&[PENTAGO_SWAP, PYLOS, PENTE, PENTE_13, PENTE_9, SUM15_4, SUM15_6, TIC_TAC_TOE, CONNECT4])
    }

    fn load(text: &str, sets: &[&str]) -> Result<RunConfig, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.toml");
        fs::write(&path, text).unwrap();
        let sets: Vec<String> = sets.iter().map(|&set| set.into()).collect();
        RunConfig::load(&path, &sets, &all_games()).map_err(|error| error.to_string())
    }

    const SMALL: &str = "game = \"tictactoe\"\ngenerations = 2\n";

    #[test]
    fn unknown_keys_are_refused_with_line_and_known_keys() {
        let error = load(&format!("{SMALL}[selfplay]\nsimulation = 3\n"), &[]).unwrap_err();
        assert!(error.contains("run.toml:4: "), "{error}");
        assert!(error.contains("unknown field `simulation`") && error.contains("`simulations`"), "{error}");
    }

    #[test]
    fn invalid_values_are_refused_with_line_and_range() {
        let error = load(&format!("{SMALL}\n[replay]\nwindow_slope = 2.0\n"), &[]).unwrap_err();
        assert!(error.contains("run.toml:5: ") && error.contains("expected 0 to 1"), "{error}");
        let error = load("game = \"chess\"\ngenerations = 1\n", &[]).unwrap_err();
        assert!(error.contains("run.toml:1: ") && error.contains("the games are"), "{error}");
        let error = load("game = \"tictactoe\"\ngenerations = \"many\"\n", &[]).unwrap_err();
        assert!(error.contains("run.toml:2: ") && error.contains("u32"), "{error}");
    }

    #[test]
    fn sets_go_over_the_file_and_are_checked_as_well() {
        let config = load(SMALL, &["selfplay.simulations=7", "seed=5", "game=connect4"]).unwrap();
        assert_eq!((config.selfplay.simulations, config.seed, config.game.as_str()), (7, 5, "connect4"));
        for (set, reason) in [
            ("seed", "expected key=value"),
            ("selfplay.nothing=1", "unknown field `nothing`"),
            ("selfplay.simulations=0", "expected 1 to 1,000,000"),
            ("generations=x", "u32"),
            ("selfplay.search.fpu={ absolute = 7 }", "fpu.absolute"),
            ("selfplay={ lanes = 0 }", "lanes"),
        ] {
            let error = load(SMALL, &[set]).unwrap_err();
            assert!(error.starts_with(&format!("--set {set}: ")) && error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_set_replaces_what_it_names_and_nothing_beside() {
        let text =
            format!("{SMALL}[selfplay]\nlanes = 2\n[selfplay.search]\nc_puct = 3.0\nfpu = {{ absolute = 0.5 }}\n");
        let config = load(&text, &["selfplay.search.fpu={ reduced_parent = 0.3 }"]).unwrap();
        assert_eq!(config.selfplay.search.fpu, selfplay_mcts::Fpu::ReducedParent(0.3));
        assert_eq!((config.selfplay.search.c_puct, config.selfplay.lanes), (3.0, 2));
    }

    #[test]
    fn nested_keys_have_their_line() {
        let error = load(&format!("{SMALL}\n[selfplay.search]\nfpu = {{ absolute = 7.0 }}\n"), &[]).unwrap_err();
        assert!(error.contains("run.toml:5: "), "{error}");
    }

    #[test]
    fn shipped_configs_are_valid() {
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
        let folders = fs::read_dir(configs).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
        let files: Vec<PathBuf> =
            folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())).collect();
        for file in &files {
            let config = RunConfig::load(file, &[], &all_games()).unwrap_or_else(|error| panic!("{error}"));
            assert!(file.parent().unwrap().ends_with(&config.game), "{}", file.display());
        }
        let games = all_games().ids().len();
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
        assert!(load(SMALL, &["precision=half"]).unwrap_err().contains("`f32`"));
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
