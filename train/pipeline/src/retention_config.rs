//! The keys of a config that say what of a run stays on the disk.

use selfplay_config::config_section;

config_section! {
    /// Which files of a run are kept. Reports, tables, plots and the networks of champions are always kept. These keys do
    /// not affect training and may change at any time.
    pub struct RetentionConfig {
        /// Keep networks and games of this many newest generations.
        pub keep_last: u32 = 20, in 1..;
        /// Keep the network of every Nth generation for ever; 0 for none, 1 for all.
        pub keep_networks_every: u32 = 10, in 0..;
        /// Keep games that have left the replay window.
        pub keep_games: bool = false;
    }
}
