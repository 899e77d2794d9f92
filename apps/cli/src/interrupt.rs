//! Ctrl-C in the middle of something that goes on by the same command.

use std::io::{IsTerminal, Write};
use std::thread;

use selfplay_frontends::serve::stop_signal;

/// From now on, when the program is told to stop (Ctrl-C or SIGTERM), it says `words` and ends at once. What is on the disk by
/// then is whole, as after any kill.
pub fn say_when_interrupted(words: &'static str) {
    // Without a runtime or a thread the signal ends the program as it always would.
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    let told = {
        let _within = runtime.enter();
        stop_signal()
    };
    let wait = move || {
        let status = runtime.block_on(told);
        // Whatever a bar has drawn of the line goes.
        let clear = if std::io::stderr().is_terminal() { "\r\x1b[J" } else { "" };
        // Whoever read it may be gone, by the same signal as often as not.
        let _ = writeln!(std::io::stderr(), "{clear}stopped: {words}");
        std::process::exit(status.into());
    };
    let _ = thread::Builder::new().name("interrupt".into()).spawn(wait);
}
