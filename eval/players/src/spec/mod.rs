//! Players as text: `random`, `alphabeta:depth=3`, `search:checkpoint=PATH,simulations=200`, `program:COMMAND`.
//!
//! A specification is a kind, then perhaps a colon and `key=value` pairs with commas between them. It can be written
//! into configs and result tables; reading back what is written gives the same player. `docs/players.md` explains every
//! kind and key.
//!
//! The modules stand in dependency order: a file imports only from files above it.

mod network_source;

mod player_spec;

mod player_kind;

mod built_in;

mod player_kinds;

pub use built_in::{GreedySpec, PolicySpec, RandomSpec, SearchSpec, TableSpec};
pub use network_source::{NetworkSource, NoCheckpoints, RELEASED_CHECKPOINT, UNIFORM_CHECKPOINT};
pub use player_kind::{KindOf, PlayerKind};
pub use player_kinds::PlayerKinds;
pub use player_spec::{PlayerBuilder, PlayerSpec, build_named_player, build_player};
