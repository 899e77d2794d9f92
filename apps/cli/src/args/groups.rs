//! The overview of all commands, in groups, the most used first.

use clap::Command;
use terminal_size::{Width, terminal_size};

/// Columns of the overview, at most.
const MAX_COLUMNS: usize = 100;
/// A narrower terminal wraps the lines itself.
const MIN_COLUMNS: usize = 40;
/// Spaces before a command and between its name and what it does.
const INDENT: usize = 2;

/// Each group with its commands; what a program adds is a group of its own.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Training", &["train", "watch", "report", "doctor", "clean", "config", "ablate", "worker"]),
    ("Playing", &["play", "serve", "export", "gtp"]),
    ("Evaluation", &["match", "tournament", "elo", "accuracy", "openings"]),
    ("Analysis", &["analyse", "solve", "verify", "tablebase"]),
    ("Games", &["games", "show", "check", "new", "perft", "replay", "random-games"]),
    ("Tools", &["bench", "docs", "completions", "man", "help"]),
];
const ADDED: &str = "Added commands";
/// What clap says of the command that it adds itself, once it builds all commands: too much work for every start.
const HELP: &str = "Print this message or the help of the given subcommand(s)";

/// `program`, whose help lists the commands in groups.
pub fn grouped(program: Command) -> Command {
    // As wide as what clap itself wraps.
    let asked = || std::env::var("COLUMNS").ok()?.parse::<usize>().ok();
    let columns = terminal_size().map(|(Width(columns), _)| usize::from(columns)).or_else(asked);
    let columns = columns.map_or(MAX_COLUMNS, |columns| columns.clamp(MIN_COLUMNS, MAX_COLUMNS));
    let style = *program.get_styles().get_header();
    let is_added = |command: &&Command| !GROUPS.iter().any(|(_, names)| names.contains(&command.get_name()));
    let added: Vec<&str> = program.get_subcommands().filter(is_added).map(Command::get_name).collect();
    let longest = program.get_subcommands().map(|command| command.get_name().len()).max().unwrap_or(0);
    let mut listed = String::new();
    for (group, names) in GROUPS.into_iter().chain([(ADDED, added.as_slice())]).filter(|(_, names)| !names.is_empty()) {
        listed += &format!("{style}{group}:{style:#}\n");
        for name in names {
            let about = program.find_subcommand(name).map_or(HELP.to_owned(), about);
            listed += &entry(name, &about, longest, columns);
        }
        listed.push('\n');
    }
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}{style}Options:{style:#}\n{{options}}");
    program.help_template(template)
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// The lines of one command: its name, padded to the `longest`, and the first sentence of what it does.
fn entry(name: &str, about: &str, longest: usize, columns: usize) -> String {
    let sentence = about.split(". ").next().unwrap_or_default();
    let head = format!("{:INDENT$}{name:longest$}{:INDENT$}", "", "");
    let indent = " ".repeat(head.len());
    let options = textwrap::Options::new(columns).initial_indent(&head).subsequent_indent(&indent);
    textwrap::fill(sentence, options) + "\n"
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_command_is_in_one_group() {
        let mut program = Cli::command();
        program.build();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let count = |name: &str| grouped.iter().filter(|grouped| **grouped == name).count();
        for command in program.get_subcommands() {
            assert_eq!(count(command.get_name()), 1, "{}", command.get_name());
        }
        assert_eq!(program.get_subcommands().count(), grouped.len());
    }

    /// The options depend on what the program is built with: the page has those of the program as it ships.
    #[cfg(all(feature = "cluster", not(feature = "burn")))]
    #[test]
    fn the_page_on_the_command_line_is_that_of_the_code() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/command-line.md");
        let options = clap_markdown::MarkdownOptions::new()
            .title("Command line".into())
            .show_footer(false)
            .show_table_of_contents(false)
            .show_aliases(false);
        let page = clap_markdown::help_markdown_command_custom(&Cli::command(), &options);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, &page).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == page, "UPDATE_EXPECT=1 cargo test rewrites docs/command-line.md");
    }
}
