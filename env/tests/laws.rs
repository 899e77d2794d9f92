//! Every game of the registry keeps the laws, and its README tells the truth about planes and actions.

use std::path::Path;

use selfplay_env::registry::GAME_IDS;
use selfplay_env::{GameVisitor, WholeGame, laws, with_game};

struct Laws;

impl GameVisitor for Laws {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        // Enough random games to reach every phase; big boards check hundreds of actions at each position.
        let games = if G::ACTION_COUNT > 100 { 12 } else { 60 };
        laws::check_laws::<G>(games, 400, 1).unwrap_or_else(|violation| panic!("{violation}"));
    }
}

#[test]
fn every_game_keeps_the_laws() {
    for id in GAME_IDS {
        with_game(id, Laws).unwrap();
    }
}

struct Readme;

impl GameVisitor for Readme {
    type Output = ();

    /// Tables rows are `| number | phrase |` below a `## Planes` heading, `| index | `notation` |` below `## Actions`.
    fn visit<G: WholeGame>(self) {
        let folder = G::ID.split('-').next().unwrap();
        let folder = if folder == "pentago" { "pentago_swap" } else { folder };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games").join(folder).join("README.md");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut section = "";
        let (mut planes, mut actions) = (0, 0);
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                section = title;
                continue;
            }
            // Games of several sizes name the id in the heading of the part that is theirs.
            if section.contains('`') && !section.contains(&format!("`{}`", G::ID)) {
                continue;
            }
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [first, second, ..] = cells[..] else { continue };
            let Ok(index) = first.parse::<usize>() else { continue };
            if section.starts_with("Planes") {
                assert_eq!(second, G::PLANE_NAMES[index], "{}: plane {index}", path.display());
                planes += 1;
            } else if section.starts_with("Actions") {
                let name = G::action_name(selfplay_env::Action::from_index(index));
                assert_eq!(second.trim_matches('`'), name, "{}: action {index}", path.display());
                actions += 1;
            }
        }
        assert_eq!(planes, G::PLANES, "{} must list every plane", path.display());
        assert!(actions >= 3, "{} must give examples of action indices", path.display());
    }
}

#[test]
fn the_readmes_tell_the_truth() {
    for id in GAME_IDS {
        with_game(id, Readme).unwrap();
    }
}
