//! The page as one file: everything it needs is in it, and in the place of the server stands a program that the browser runs.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::assets::{FILES, PAGE, SCRIPT, STYLE};

const TRANSPORT: &str = include_str!("assets/alone/transport.js");
const WORKER: &str = include_str!("assets/alone/worker.js");
/// Before the name of a module where it is imported; in the page of a server they are files beside each other.
const PREFIX: &str = "selfplay/";

/// What makes a page of one agent.
#[derive(Clone, Copy, Debug)]
pub struct OfflineParts<'a> {
    /// What stands in the title of the window.
    pub title: &'a str,
    /// The program, in WebAssembly, compressed as gzip does.
    pub program: &'a [u8],
    /// What the program is to play, as it reads it, compressed alike.
    pub agent: &'a [u8],
}

/// A page that plays without a server and without a network.
pub fn offline_page(OfflineParts { title, program, agent }: OfflineParts<'_>) -> String {
    let mut head = format!("<title>{}</title>\n", escaped(title));
    let mut modules = String::new();
    for (name, kind, contents) in held_files() {
        match kind {
            // Writing to a string cannot fail.
            STYLE => _ = writeln!(head, "<style>\n{contents}</style>"),
            SCRIPT => {
                let contents = if name == "transport.js" { TRANSPORT } else { contents };
                let comma = if modules.is_empty() { "" } else { "," };
                let source = STANDARD.encode(imports_by_name(contents));
                _ = write!(modules, "{comma}\n\"{PREFIX}{name}\": \"data:text/javascript;base64,{source}\"");
            }
            _ => {}
        }
    }
    _ = writeln!(head, "<script type=\"importmap\">{{\"imports\": {{{modules}\n}}}}</script>");
    let held = |id: &str, text: &str| format!("<script type=\"text/plain\" id=\"{id}\">{text}</script>\n");
    head += &held("alone-worker", WORKER);
    head += &held("alone-program", &STANDARD.encode(program));
    head += &held("alone-agent", &STANDARD.encode(agent));
    _ = write!(head, "<script type=\"module\">import '{PREFIX}app.js';</script>");
    let icon = FILES.iter().find(|(path, ..)| *path == "/icon.svg").map_or("", |(_, _, picture)| picture);
    let icon = format!("data:image/svg+xml;base64,{}", STANDARD.encode(icon));
    let page: Vec<&str> = PAGE.lines().filter(|line| !is_of_server(line)).collect();
    page.join("\n").replace("</head>", &format!("{head}\n</head>")).replace("/icon.svg", &icon)
}

/// Name, content type and contents of each file of the page where people play; the one that shows runs is the server's.
fn held_files() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let all = FILES.iter().map(|&(path, kind, contents)| (path.trim_start_matches('/'), kind, contents));
    all.filter(|(name, ..)| !name.starts_with("run"))
}

/// Whether a line of the page's head names a file of the server, or the title.
fn is_of_server(line: &str) -> bool {
    let line = line.trim_start();
    ["<link rel=\"stylesheet\"", "<script type=\"module\"", "<title>"].iter().any(|start| line.starts_with(start))
}

/// A module's text with imports by names that the map of imports knows.
fn imports_by_name(module: &str) -> String {
    module.replace("from './", &format!("from '{PREFIX}"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_outside() {
        let page = offline_page(OfflineParts { title: "a <b> & c", program: b"program", agent: b"agent" });
        assert!(page.contains("<title>a &lt;b&gt; &amp; c</title>"));
        for outside in ["src=\"/", "href=\"/style", "href=\"/board", "href=\"/icon"] {
            assert!(!page.contains(outside), "{outside}");
        }
        for (name, kind, contents) in held_files().filter(|(_, kind, _)| *kind == SCRIPT) {
            // Every module that is imported is in the map, and none asks a server.
            for (at, _) in contents.match_indices("from './") {
                let imported = contents[at + 8..].split('\'').next().unwrap_or_default();
                assert!(held_files().any(|(known, ..)| known == imported), "{name} ({kind}) imports {imported}");
            }
            assert!(name == "transport.js" || !contents.contains("fetch("), "{name}");
        }
        // No script ends before its end.
        assert!(!WORKER.contains("</script"));
    }
}
