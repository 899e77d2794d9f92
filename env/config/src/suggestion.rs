//! "Did you mean": the known word that was probably meant by one that is not known.

/// How alike two words must be, from 0 to 1, for one to be offered instead of the other.
const LIKENESS: f64 = 0.75;
/// Letters at the beginning that count more, and how much each that is the same adds of what is missing (Winkler 1990).
const PREFIX: usize = 4;
const PREFIX_WEIGHT: f64 = 0.1;

/// The one of `known` that is most like `word`, if any is like enough: begun the same, or spelled nearly so.
///
/// ```
/// use selfplay_config::suggestion::nearest;
///
/// assert_eq!(nearest("randm", ["random", "greedy"]), Some("random"));
/// assert_eq!(nearest("pentago", ["pente", "pentago-swap"]), Some("pentago-swap"));
/// assert_eq!(nearest("sims", ["seed", "simulations"]), Some("simulations"));
/// assert_eq!(nearest("chess", ["pente", "pylos"]), None);
/// ```
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let likeness = |other: &str| {
        if other.starts_with(&word) && !word.is_empty() {
            return 1.0;
        }
        // Winkler's bonus for everybody, where the library leaves it out below a likeness of 0.7: `sims` is short of
        // `simulations` in all but its beginning.
        let likeness = strsim::jaro(&word, other);
        let same = word.chars().zip(other.chars()).take(PREFIX).take_while(|(a, b)| a == b).count();
        likeness + PREFIX_WEIGHT * same as f64 * (1.0 - likeness)
    };
    let judged = known.into_iter().map(|other| (likeness(other), other));
    let best = judged.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|&(likeness, _)| likeness >= LIKENESS);
    best.map(|(_, other)| other)
}

/// The [`did_you_mean`] of paths: those of `known` whose part behind the last `separator` is nearest to that of `path`,
/// at most three.
///
/// ```
/// use selfplay_config::suggestion::did_you_mean_path;
///
/// let keys = ["learner.batch_size", "learner.steps", "gate.pairs"];
/// assert_eq!(did_you_mean_path("batch_siz", '.', keys), " (did you mean `learner.batch_size`?)");
/// assert_eq!(did_you_mean_path("replay.batch_size", '.', keys), " (did you mean `learner.batch_size`?)");
/// assert_eq!(did_you_mean_path("x", '.', keys), "");
/// ```
pub fn did_you_mean_path<'a>(path: &str, separator: char, known: impl IntoIterator<Item = &'a str>) -> String {
    fn last(path: &str, separator: char) -> &str {
        path.rsplit(separator).next().unwrap_or_default()
    }
    let known: Vec<&str> = known.into_iter().collect();
    let found = nearest(last(path, separator), known.iter().map(|other| last(other, separator)));
    quoted(known.iter().copied().filter(|other| Some(last(other, separator)) == found).take(MAX_OFFERED))
}

/// ` (did you mean …?)` for these words, or nothing for none.
fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    if quoted.is_empty() { String::new() } else { format!(" (did you mean {}?)", quoted.join(" or ")) }
}

/// As many words are offered for one that all of them begin with.
const MAX_OFFERED: usize = 3;

/// ` (did you mean `NEAREST`?)` for the [`nearest`] of `known`, or for those that begin with `word`, or nothing.
///
/// ```
/// use selfplay_config::suggestion::did_you_mean;
///
/// assert_eq!(did_you_mean("randm", ["random", "greedy"]), " (did you mean `random`?)");
/// assert_eq!(did_you_mean("sum15", ["sum15-4", "sum15-6", "pylos"]), " (did you mean `sum15-4` or `sum15-6`?)");
/// assert_eq!(did_you_mean("chess", ["pente", "pylos"]), "");
/// ```
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let begun: Vec<&str> = known.iter().copied().filter(|other| !word.is_empty() && other.starts_with(word)).collect();
    quoted(match begun.len() {
        2..=MAX_OFFERED => begun,
        _ => nearest(word, known).into_iter().collect(),
    })
}
