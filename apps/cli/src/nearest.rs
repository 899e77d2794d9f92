//! What was probably meant by a name that does not exist.

use strsim::levenshtein;

/// As many names are suggested.
const MOST_SUGGESTIONS: usize = 3;

/// The paths most like `asked`: first by what is behind the last `separator`, then as a whole.
pub fn nearest(asked: &str, separator: char, mut paths: Vec<String>) -> Vec<String> {
    let last = |path: &str| path.rsplit(separator).next().unwrap_or_default().to_owned();
    paths.retain(|path| !path.is_empty());
    paths.sort_by_cached_key(|path| (levenshtein(&last(asked), &last(path)), levenshtein(asked, path)));
    paths.truncate(MOST_SUGGESTIONS);
    paths
}
