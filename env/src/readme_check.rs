//! Tells whether a game's README says of planes and actions what its code says.

use crate::failed_check::failed;
use crate::{Action, FailedCheck, Rules};

/// Fewest rows of an actions table.
const MIN_ACTIONS: usize = 3;

/// Compares the tables of a README with the game: every plane as `| number | name |` under a heading `## Planes…`, and at
/// least three actions as ``| index | `notation` |`` under headings `## Actions…`. A heading that names a game's id in
/// backticks is that game's alone.
///
/// # Errors
/// The first row that is wrong, or the table that is too short.
pub fn check_readme(rules: &dyn Rules, readme: &str) -> Result<(), FailedCheck> {
    let (names, action_count) = (rules.plane_names(), rules.shape().action_count);
    let (mut planes, mut actions) = (0, 0);
    let mut section = "";
    for line in readme.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
            continue;
        }
        if section.contains('`') && !section.contains(&format!("`{}`", rules.id())) {
            continue;
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [first, second, ..] = cells[..] else { continue };
        let Ok(index) = first.parse::<usize>() else { continue };
        if section.starts_with("Planes") {
            if names.get(index) != Some(&second) {
                return Err(failed!("plane {index} is {:?}, not `{second}`", names.get(index)));
            }
            planes += 1;
        } else if section.starts_with("Actions") {
            let name = (index < action_count).then(|| rules.action_name(Action::from_index(index)));
            if name.as_deref() != Some(second.trim_matches('`')) {
                return Err(failed!("action {index} is {name:?}, not {second}"));
            }
            actions += 1;
        }
    }
    if planes != names.len() {
        return Err(failed!("{planes} planes are listed of {}", names.len()));
    }
    if actions < MIN_ACTIONS {
        return Err(failed!("{actions} actions are listed, at least {MIN_ACTIONS} must be"));
    }
    Ok(())
}
