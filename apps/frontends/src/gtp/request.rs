//! A line of GTP taken apart: perhaps a number, a command, its arguments.

/// A command to be answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Request<'a> {
    /// The number that the answer repeats, as it was written; empty without one.
    pub(super) id: &'a str,
    /// The command; empty if the line has a number alone.
    pub(super) command: &'a str,
    /// What follows it.
    pub(super) arguments: Vec<&'a str>,
}

/// `line` without comment and control characters, tabs as spaces: section 3.1 of the specification of version 2; but a comment
/// begins where a word would, since names of moves may have the sign.
pub(super) fn clean(line: &str) -> String {
    let begins = |at: &usize| line[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let comment = line.match_indices('#').map(|(at, _)| at).find(begins).unwrap_or(line.len());
    let text = &line[..comment];
    text.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect()
}

impl<'a> Request<'a> {
    /// Takes a [cleaned](clean) line apart; `None` if there is nothing to answer.
    pub(super) fn read(line: &'a str) -> Option<Self> {
        let mut words = line.split_whitespace().peekable();
        let first = *words.peek()?;
        let id = if first.bytes().all(|byte| byte.is_ascii_digit()) { first } else { "" };
        if !id.is_empty() {
            words.next();
        }
        let command = words.next().unwrap_or_default();
        Some(Request { id, command, arguments: words.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_comments_and_control_characters() {
        let read = |line: &str| {
            Request::read(&clean(line))
                .map(|request| format!("{}|{}|{:?}", request.id, request.command, request.arguments))
        };
        assert_eq!(read("  # nothing"), None);
        assert_eq!(read(" \t\r"), None);
        assert_eq!(read("play b a1 # here").unwrap(), "|play|[\"b\", \"a1\"]");
        assert_eq!(read("play b t#1 # here").unwrap(), "|play|[\"b\", \"t#1\"]");
        assert_eq!(read("0012\tname").unwrap(), "0012|name|[]");
        assert_eq!(read("7").unwrap(), "7||[]");
        assert_eq!(read("na\u{1}me\r").unwrap(), "|name|[]");
        assert_eq!(read("1x name").unwrap(), "|1x|[\"name\"]");
        assert_eq!(read("-1 name").unwrap(), "|-1|[\"name\"]");
    }
}
