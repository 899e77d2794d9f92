//! The variants of an ablation: the config as it is, and the config with one key changed.

use crate::error::CliError;

/// One variant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    /// Its name in tables: `base`, or the change.
    pub name: String,
    /// What is changed, as `--set` takes it.
    pub set: Option<String>,
}

/// Name of the config as it is.
pub const BASE: &str = "base";

impl Variant {
    /// The name as a part of file names.
    pub fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.=".contains(c) { c } else { '_' };
        self.name.chars().map(plain).collect()
    }
}

/// The base, then each value of each factor, `KEY=V1,V2,…`, by itself.
///
/// # Errors
/// [`CliError::Option`] if a factor has no key or no value, or a variant stands twice.
pub fn variants_of(factors: &[String]) -> Result<Vec<Variant>, CliError> {
    let mut variants = vec![Variant { name: BASE.into(), set: None }];
    for factor in factors {
        let wrong = |expected| CliError::Option { option: "--factor", value: factor.clone(), expected };
        let (key, values) = factor.split_once('=').ok_or_else(|| wrong("expected KEY=V1,V2,…"))?;
        for value in split_values(values) {
            if key.trim().is_empty() || value.is_empty() {
                return Err(wrong("expected KEY=V1,V2,… with a key and no empty value"));
            }
            let set = format!("{}={value}", key.trim());
            let variant = Variant { name: set.clone(), set: Some(set) };
            if variants.iter().any(|other| other.file_name() == variant.file_name()) {
                return Err(wrong("a value stands twice"));
            }
            variants.push(variant);
        }
    }
    Ok(variants)
}

/// The parts of `values` between commas that are in no brackets and no quotation marks.
fn split_values(values: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut is_quoted) = (Vec::new(), 0, 0_i32, false);
    for (index, c) in values.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            '{' | '[' if !is_quoted => depth += 1,
            '}' | ']' if !is_quoted => depth -= 1,
            ',' if !is_quoted && depth == 0 => {
                parts.push(values[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(values[start..].trim());
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
    fn what_is_no_factor_is_refused() {
        for wrong in ["seed", "=1", "seed=", "seed=1,", "seed=1,1"] {
            assert_eq!(names(&[wrong]), None, "{wrong}");
        }
    }
}
