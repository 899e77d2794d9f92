//! "Did you mean": the known word that was probably meant by one that is not known.

/// How alike two words must be, from 0 to 1 by the measure of Jaro and Winkler, for one to be offered instead of the other.
const LIKENESS: f64 = 0.75;

/// The one of `known` that is most like `word`, if any is like enough: begun the same, or spelled nearly so.
///
/// ```
/// use selfplay_env::suggestion::nearest;
///
/// assert_eq!(nearest("randm", ["random", "greedy"]), Some("random"));
/// assert_eq!(nearest("pentago", ["pente", "pentago-swap"]), Some("pentago-swap"));
/// assert_eq!(nearest("chess", ["pente", "pylos"]), None);
/// ```
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let likeness = |other: &str| match other.starts_with(&word) && !word.is_empty() {
        true => 1.0,
        false => strsim::jaro_winkler(&word, other),
    };
    let judged = known.into_iter().map(|other| (likeness(other), other));
    let best = judged.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|&(likeness, _)| likeness >= LIKENESS);
    best.map(|(_, other)| other)
}

/// ` (did you mean `NEAREST`?)` for the [`nearest`] of `known`, or nothing.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or(String::new(), |other| format!(" (did you mean `{other}`?)"))
}
