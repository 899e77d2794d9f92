//! Texts of users in places that have rules of their own: file names, Markdown, links.

/// A folder name for each run name: letters, digits, `-`, `_` and `.` of ASCII are kept, others become `-`; no two are
/// equal, not even where capitals do not count.
pub fn folder_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    /// Folders that the report itself makes.
    const TAKEN: [&str; 2] = ["tables", "plots"];
    const LONGEST: usize = 60;
    let mut made: Vec<String> = Vec::new();
    for name in names {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
        let plain: String = name.chars().take(LONGEST).map(|c| if is_plain(c) { c } else { '-' }).collect();
        let plain = plain.trim_matches(['-', '.']);
        let base = if plain.is_empty() { "run" } else { plain };
        let is_taken = |candidate: &str| {
            made.iter().map(String::as_str).chain(TAKEN).any(|taken| taken.eq_ignore_ascii_case(candidate))
        };
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        let free = std::iter::once(base.to_owned()).chain(numbered).find(|candidate| !is_taken(candidate));
        made.push(free.unwrap_or_default());
    }
    made
}

/// `text` as Markdown shows it, in one line, in table cells too.
pub fn markdown(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!' | '$' => {
                safe.push('\\');
                safe.push(character);
            }
            '&' => safe.push_str("&amp;"),
            character if character.is_control() => safe.push(' '),
            character => safe.push(character),
        }
    }
    safe
}

/// `text` as a block of code of this language, whatever it holds.
pub fn fenced(text: &str, language: &str) -> String {
    let longest_run = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest_run.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_are_safe_and_differ() {
        let names = folder_names(["a/b c", "A-b-C", "..", "", "tables", "größe"].into_iter());
        assert_eq!(names, ["a-b-c", "A-b-C-2", "run", "run-2", "tables-2", "gr--e"]);
    }

    #[test]
    fn markdown_has_no_power_left() {
        assert_eq!(markdown("a|b <i> *x*\n[l](u)"), "a\\|b \\<i\\> \\*x\\* \\[l\\](u)");
        assert_eq!(fenced("a ``` b\n", "toml"), "````toml\na ``` b\n````\n");
    }
}
