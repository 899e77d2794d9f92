//! What a browser calls: bytes in, bytes out, in memory that both see.

use selfplay_registry::GameRef;

use crate::offline::Offline;

/// A page's program with its two pieces of memory.
#[derive(Default)]
pub struct Page {
    offline: Option<Offline>,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Page {
    /// Where the page puts the `length` bytes that it hands over next.
    pub fn input(&mut self, length: usize) -> *mut u8 {
        self.input = vec![0; length];
        self.input.as_mut_ptr()
    }

    /// Takes the agent that was handed over; the length of the reason why it cannot be played, 0 if it can.
    pub fn open(&mut self, games: &[GameRef]) -> usize {
        let opened = Offline::open(games, &self.input);
        self.input = Vec::new();
        self.output = match opened {
            Ok(offline) => {
                self.offline = Some(offline);
                Vec::new()
            }
            Err(error) => error.to_string().into_bytes(),
        };
        self.output.len()
    }

    /// Answers the question that was handed over ([`Offline::ask`]); the length of the answer, 0 before an agent was taken.
    pub fn ask(&mut self) -> usize {
        self.output = self.offline.as_ref().map_or_else(Vec::new, |offline| offline.ask(&self.input));
        self.output.len()
    }

    /// Where the answer begins.
    pub fn output(&self) -> *const u8 {
        self.output.as_ptr()
    }
}

/// The functions that a page of these games calls: the whole of a crate that is built for WebAssembly.
#[macro_export]
macro_rules! page {
    ($games:expr) => {
        ::std::thread_local! {
            static PAGE: ::std::cell::RefCell<$crate::Page> = ::std::cell::RefCell::default();
        }

        /// See [`Page::input`]($crate::Page::input).
        #[allow(unsafe_code, reason = "a page calls it by its name")]
        #[unsafe(no_mangle)]
        pub extern "C" fn selfplay_input(length: usize) -> *mut u8 {
            PAGE.with_borrow_mut(|page| page.input(length))
        }

        /// See [`Page::open`]($crate::Page::open).
        #[allow(unsafe_code, reason = "a page calls it by its name")]
        #[unsafe(no_mangle)]
        pub extern "C" fn selfplay_open() -> usize {
            PAGE.with_borrow_mut(|page| page.open($games))
        }

        /// See [`Page::ask`]($crate::Page::ask).
        #[allow(unsafe_code, reason = "a page calls it by its name")]
        #[unsafe(no_mangle)]
        pub extern "C" fn selfplay_ask() -> usize {
            PAGE.with_borrow_mut(|page| page.ask())
        }

        /// See [`Page::output`]($crate::Page::output).
        #[allow(unsafe_code, reason = "a page calls it by its name")]
        #[unsafe(no_mangle)]
        pub extern "C" fn selfplay_output() -> *const u8 {
            PAGE.with_borrow(|page| page.output())
        }
    };
}
