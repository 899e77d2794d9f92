//! Ctrl-C in the middle of something that goes on by the same command.

use std::io::IsTerminal;
use std::thread;

use selfplay_play::serve::stop_signal;

/// What a shell shows of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on, when the program is told to stop (Ctrl-C or SIGTERM), it says `words` and ends at once. What is on the disk by
/// then is whole, as after any kill.
pub fn say_when_interrupted(words: &'static str) {
    let wait = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(stop_signal());
        // Whatever a bar has drawn of the line goes.
        let clear = if std::io::stderr().is_terminal() { "\r\x1b[J" } else { "" };
        eprintln!("{clear}stopped: {words}");
        std::process::exit(INTERRUPTED);
    };
    // Without the thread the signal ends the program as it always would.
    let _ = thread::Builder::new().name("interrupt".into()).spawn(wait);
}
