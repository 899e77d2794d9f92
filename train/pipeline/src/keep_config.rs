//! The keys of a config that say what of a run stays on the disk.

use selfplay_config::config_section;

config_section! {
    /// What of a run stays on the disk. Reports, tables and plots stay, and so do the networks of champions; nothing here
    /// changes what a run becomes, so all of it may change at any time.
    pub struct KeepConfig {
        /// The newest so many generations stay whole, networks and games.
        pub newest: u32 = 20, in 1..;
        /// Networks of every so many generations stay for ever; 0 for none, 1 for all.
        pub networks_every: u32 = 10, in 0..;
        /// Whether games stay that nothing is learned from any more.
        pub games: bool = false;
    }
}
