//! Ctrl-C during work that the same command resumes.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use selfplay_frontends::serve::stop_signal;
use selfplay_pipeline::Event;
use selfplay_pipeline::events::json_line;

/// How long the program waits for its last event to be read: a reader that has stopped must not keep it from ending.
const LAST_EVENT_TIMEOUT: Duration = Duration::from_secs(2);

/// From now on, when the program receives a request to stop (Ctrl-C or SIGTERM), it says `words` and ends at once. What is on the disk by
/// then is whole, as after any kill.
pub fn say_when_interrupted(words: &'static str) {
    when_interrupted(move |_| say(words));
}

/// The same, with a last event on standard output.
pub fn report_when_interrupted(words: &'static str) {
    when_interrupted(move |status| {
        write_last(&Event::Interrupted { status });
        say(words);
    });
}

fn when_interrupted(last: impl FnOnce(i32) + Send + 'static) {
    // Without a runtime or a thread the signal ends the program as it always would.
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    let told = {
        let _within = runtime.enter();
        stop_signal()
    };
    let wait = move || {
        let status = runtime.block_on(told).into();
        last(status);
        std::process::exit(status);
    };
    let _ = thread::Builder::new().name("interrupt".into()).spawn(wait);
}

fn say(words: &str) {
    // Whatever a bar has drawn of the line goes.
    let clear = if io::stderr().is_terminal() { "\r\x1b[J" } else { "" };
    // Whoever read it may be gone, by the same signal as often as not.
    let _ = writeln!(io::stderr(), "{clear}stopped: {words}");
}

/// Writes the event on standard output, and nothing of this program after it.
fn write_last(event: &Event) {
    let line = json_line(event, None);
    let (written, is_written) = mpsc::channel();
    let write = move || {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
        let _ = written.send(());
        // Holding the lock until the program is gone.
        loop {
            thread::park();
        }
    };
    if thread::Builder::new().name("last event".into()).spawn(write).is_ok() {
        let _ = is_written.recv_timeout(LAST_EVENT_TIMEOUT);
    }
}
