//! The variants of an ablation: the config as it is, and the config with one key changed or with several together.

use crate::error::CliError;

/// One variant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    /// Its name in tables: `base`, the one it was given, or the change.
    pub name: String,
    /// What is changed, each key as `--set` takes it.
    pub set: Vec<String>,
}

/// Name of the config as it is.
pub const BASE: &str = "base";

impl Variant {
    /// What is changed, in one line.
    pub fn change(&self) -> String {
        self.set.join(&format!(" {AND} "))
    }

    /// The name as a part of file names.
    pub fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.=+".contains(c) { c } else { '_' };
        self.name.chars().map(plain).collect()
    }
}

/// Between keys that are changed together.
const AND: char = '&';

/// The base, then for each factor its variants: `KEY=V1,V2,…` each value by itself, `KEY=V & KEY=V …` all keys together.
/// `NAME: ` before a factor of one variant gives it a name.
///
/// # Errors
/// [`CliError::Option`] if a factor has no key or no value, a name does not fit, or a variant stands twice.
pub fn variants_of(factors: &[String]) -> Result<Vec<Variant>, CliError> {
    let mut variants = vec![Variant { name: BASE.into(), set: Vec::new() }];
    for factor in factors {
        let wrong = |expected| CliError::Option { option: "--factor", value: factor.clone(), expected };
        let (name, changed) = match factor.split_once(':') {
            Some((name, changed)) if !name.contains('=') => (Some(name.trim()), changed),
            _ => (None, factor.as_str()),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_.+".contains(c);
        if name.is_some_and(|name| name.is_empty() || !name.chars().all(is_plain)) {
            return Err(wrong("expected NAME: KEY=V with a name of letters, digits, spaces and - _ . +"));
        }
        let mut changes = Vec::new();
        for part in split(changed, AND) {
            let (key, values) = part.split_once('=').ok_or_else(|| wrong("expected KEY=V1,V2,…"))?;
            let values = split(values, ',');
            if key.trim().is_empty() || values.contains(&"") {
                return Err(wrong("expected KEY=V1,V2,… with a key and no empty value"));
            }
            changes.push(values.into_iter().map(|value| format!("{}={value}", key.trim())).collect::<Vec<_>>());
        }
        let sets: Vec<Vec<String>> = match &changes[..] {
            [one] => one.iter().map(|set| vec![set.clone()]).collect(),
            several if several.iter().all(|values| values.len() == 1) => vec![changes.concat()],
            _ => return Err(wrong("keys that are changed together take one value each: KEY=V & KEY=V")),
        };
        if name.is_some() && sets.len() > 1 {
            return Err(wrong("a name is for one variant: one value, or several keys changed together"));
        }
        for set in sets {
            let mut variant = Variant { name: String::new(), set };
            variant.name = name.map_or_else(|| variant.change(), Into::into);
            if variants.iter().any(|other| other.file_name() == variant.file_name()) {
                return Err(wrong("expected every value and every name once"));
            }
            variants.push(variant);
        }
    }
    Ok(variants)
}

/// The parts of `text` between separators that are in no brackets and no quotation marks.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut is_quoted) = (Vec::new(), 0, 0_i32, false);
    for (index, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            '{' | '[' if !is_quoted => depth += 1,
            '}' | ']' if !is_quoted => depth -= 1,
            c if c == separator && !is_quoted && depth == 0 => {
                parts.push(text[start..index].trim());
                start = index + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(factors: &[&str]) -> Option<Vec<String>> {
        let factors: Vec<String> = factors.iter().map(|&factor| factor.into()).collect();
        Some(variants_of(&factors).ok()?.into_iter().map(|variant| variant.name).collect())
    }

    #[test]
    fn every_value_is_a_variant_of_its_own() {
        let found = names(&["learner.batch_size=128,512", "selfplay.search.fpu={ absolute = 0.0 }, \"a,b\""]).unwrap();
        let expected = [
            "base",
            "learner.batch_size=128",
            "learner.batch_size=512",
            "selfplay.search.fpu={ absolute = 0.0 }",
            "selfplay.search.fpu=\"a,b\"",
        ];
        assert_eq!(found, expected);
        assert_eq!(names(&[]).unwrap(), ["base"]);
    }

    #[test]
    fn joined_keys_are_one_variant() {
        let found = variants_of(&["a=1 & b={ c = \"&\", d = 2 }&e=3".into()]).unwrap();
        assert_eq!(found[1].name, "a=1 & b={ c = \"&\", d = 2 } & e=3");
        assert_eq!(found[1].set, ["a=1", "b={ c = \"&\", d = 2 }", "e=3"]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_variant_may_have_a_name() {
        let found = variants_of(&["both together: a=1 & b=\"x:y\"".into(), "b=\"x:y\"".into()]).unwrap();
        assert_eq!(found[1], Variant { name: "both together".into(), set: vec!["a=1".into(), "b=\"x:y\"".into()] });
        assert_eq!(found[1].change(), "a=1 & b=\"x:y\"");
        assert_eq!((found[1].file_name(), &*found[2].name), ("both_together".into(), "b=\"x:y\""));
        for wrong in [": a=1", "n/n: a=1", "name:", "name: a=1,2", "base: a=1"] {
            assert_eq!(names(&[wrong]), None, "{wrong}");
        }
        assert_eq!(names(&["name: a=1", "name: b=1"]), None);
    }

    #[test]
    fn what_is_no_factor_is_refused() {
        for wrong in ["seed", "=1", "seed=", "seed=1,", "seed=1,1", "a=1 &", "a=1 & b", "a=1,2 & b=1"] {
            assert_eq!(names(&[wrong]), None, "{wrong}");
        }
    }
}
