//! Everything that can go wrong between naming a player and rating it.

use std::io;
use std::path::PathBuf;

use selfplay_env::PlayError;
use selfplay_env::config_key::InvalidKey;

/// Why players cannot be made, matches not be played or results not be rated.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The word before the colon names no kind of player.
    #[error("player `{spec}`: there is no kind `{kind}`; the kinds are {known}")]
    UnknownPlayerKind {
        /// The whole specification.
        spec: String,
        /// The word before the colon.
        kind: String,
        /// The kinds there are.
        known: String,
    },
    /// A part of a player specification has no equals sign.
    #[error("player `{spec}`: `{part}` is not of the form key=value; the keys are {known}")]
    NotKeyValue {
        /// The whole specification.
        spec: String,
        /// The part between two commas.
        part: String,
        /// The keys this kind of player has.
        known: String,
    },
    /// A key that this kind of player does not have.
    #[error("player `{spec}`: there is no key `{key}`; the keys are {known}")]
    UnknownPlayerKey {
        /// The whole specification.
        spec: String,
        /// The key.
        key: String,
        /// The keys this kind of player has.
        known: String,
    },
    /// A key stands twice.
    #[error("player `{spec}`: the key `{key}` stands twice")]
    RepeatedPlayerKey {
        /// The whole specification.
        spec: String,
        /// The key.
        key: String,
    },
    /// A key holds what it cannot hold.
    #[error("player `{spec}`: `{key}` is `{value}`: expected {expected}")]
    BadPlayerValue {
        /// The whole specification.
        spec: String,
        /// The key.
        key: &'static str,
        /// What it holds.
        value: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A player specification lacks something.
    #[error("player `{spec}`: {missing} is missing")]
    MissingPlayerKey {
        /// The whole specification.
        spec: String,
        /// The key or keys.
        missing: &'static str,
    },
    /// Keys of a player specification that do nothing beside the others.
    #[error("player `{spec}`: {keys} only with {needed}")]
    UnfitPlayerKeys {
        /// The whole specification.
        spec: String,
        /// The keys.
        keys: &'static str,
        /// What they need.
        needed: &'static str,
    },
    /// Too few random positions that the solver can judge.
    #[error(
        "{game} has only {found} positions, of {wanted} wanted, after {least} to {most} random decisions that leave a \
         choice and are solved within {nodes} positions"
    )]
    NoSolvedPosition {
        /// Id of the game.
        game: &'static str,
        /// Positions there are.
        found: usize,
        /// Positions wanted.
        wanted: usize,
        /// Fewest random decisions.
        least: usize,
        /// Most random decisions.
        most: usize,
        /// The solver's limit.
        nodes: u64,
    },
    /// A file of solved positions cannot be used.
    #[error("file of solved positions {}: {reason}", path.display())]
    SolvedFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A checkpoint cannot be used.
    #[error("checkpoint `{checkpoint}`: {source}")]
    Checkpoint {
        /// As the player's specification names it.
        checkpoint: String,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A key of a configuration holds what it must not.
    #[error(transparent)]
    InvalidKey(#[from] InvalidKey),
    /// A player was asked for a decision after the end of the game.
    #[error("{player}, table {table}: there is nothing to choose, the game is over")]
    GameOver {
        /// Name of the player.
        player: String,
        /// The game in flight.
        table: usize,
    },
    /// A player made a decision that the rules forbid.
    #[error("{player}, table {table}, decision {decision}: {source}")]
    IllegalDecision {
        /// Name of the player.
        player: String,
        /// The game in flight.
        table: usize,
        /// Number of the decision in its game, counted from 1.
        decision: usize,
        /// The rule it breaks.
        source: PlayError,
    },
    /// A player, such as a program outside, gave no decision.
    #[error("{player}, table {table}: {reason}")]
    PlayerFailed {
        /// Name of the player.
        player: String,
        /// The game in flight.
        table: usize,
        /// What happened.
        reason: String,
    },
    /// A player that does not know the game.
    #[error("player `{player}` does not play {game}: it plays {games}")]
    WrongGame {
        /// Kind of player.
        player: String,
        /// Id of the game it was asked for.
        game: &'static str,
        /// Ids of the games it plays.
        games: String,
    },
    /// A book of moves cannot be read or written.
    #[error("book `{path}`: {source}")]
    BookFile {
        /// The file.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// A line of a book of moves is wrong.
    #[error("book `{path}`, line {line}: {reason}")]
    BookLine {
        /// The file.
        path: String,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The command of a program outside cannot be understood.
    #[error("program `{command}`: expected {expected}")]
    BadCommand {
        /// As it was given.
        command: String,
        /// What would be right.
        expected: &'static str,
    },
    /// Random openings of this length do not exist or are too rare to find.
    #[error("{game}: no opening of {decisions} decisions was found, the games end or are decided earlier")]
    NoOpening {
        /// Id of the game.
        game: &'static str,
        /// Length asked for.
        decisions: usize,
    },
    /// The threads that would play a match cannot be started.
    #[error("no threads to play a match with: {source}")]
    NoThreads {
        /// What the system says.
        source: rayon::ThreadPoolBuildError,
    },
    /// A file of games cannot be read or written.
    #[error("games file {}: {source}", path.display())]
    GamesFile {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file of games was made by something else than what is to go on with it.
    #[error("games file {}: these are other games: {difference}; name another file or go on as before", path.display())]
    OtherGames {
        /// The file.
        path: PathBuf,
        /// Where the headers differ.
        difference: String,
    },
    /// A line of a games file does not hold what it should.
    #[error("games file {}, line {line}: {reason}", path.display())]
    BadGame {
        /// The file.
        path: PathBuf,
        /// Number of the line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A file of results cannot be read, or holds none.
    #[error("{}: {reason}", path.display())]
    ResultsFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A line of a file of results does not hold what it should.
    #[error("{}, line {line}: {reason}", path.display())]
    BadResult {
        /// The file.
        path: PathBuf,
        /// Number of the line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Results of different games cannot be rated together.
    #[error("{} is about {game}, {} about {other_game}: rate them apart", path.display(), other.display())]
    MixedGames {
        /// A file.
        path: PathBuf,
        /// Id of its game.
        game: String,
        /// A file named before.
        other: PathBuf,
        /// Id of its game.
        other_game: String,
    },
    /// The same results would be counted twice.
    #[error("{} holds the games of {}: name one of the two", path.display(), other.display())]
    SameGames {
        /// A file.
        path: PathBuf,
        /// A file named before.
        other: PathBuf,
    },
    /// Ratings were asked for without a result.
    #[error("there is no whole game pair between two players to rate")]
    NoPairs,
    /// No anchor for ratings.
    #[error("anchor `{text}`: expected PLAYER=ELO, such as random=0, with one of these players: {}", players.join(", "))]
    BadAnchor {
        /// What was given.
        text: String,
        /// Names of those with games.
        players: Vec<String>,
    },
    /// These players cannot play a tournament.
    #[error("tournament of {}: expected {expected}", players.join(", "))]
    BadField {
        /// Names of the players.
        players: Vec<String>,
        /// What would be right.
        expected: &'static str,
    },
    /// Ratings were asked for players between whom there is no chain of games.
    #[error("no games connect these groups of players: {}", groups.iter().map(|g| g.join(", ")).collect::<Vec<_>>().join(" | "))]
    Unconnected {
        /// Names, group by group.
        groups: Vec<Vec<String>>,
    },
    /// The player whose rating is fixed has no games.
    #[error("`{anchor}` cannot anchor the ratings, it has no games; these have: {}", players.join(", "))]
    UnknownAnchor {
        /// The player asked for.
        anchor: String,
        /// Names of those with games.
        players: Vec<String>,
    },
    /// A game of a player against itself says nothing about its rating.
    #[error("`{player}` is listed as its own opponent")]
    OwnOpponent {
        /// The name.
        player: String,
    },
    /// Two ladder records that cannot be compared.
    #[error(
        "the candidate's ladder ({}) is not the champion's ({}): play the champion against the new ladder first",
        candidate.join("; "),
        champion.join("; ")
    )]
    LadderChanged {
        /// Rungs of the candidate's record.
        candidate: Vec<String>,
        /// Rungs of the champion's record.
        champion: Vec<String>,
    },
}
