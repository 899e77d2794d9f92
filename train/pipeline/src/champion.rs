//! Which generation of a run is its champion. The gate reports decide this; a file repeats it for copies without
//! phases.

use crate::error::RunError;
use crate::phase::{GateReport, Phase};
use crate::run_folder::RunFolder;

const CHAMPION: &str = "champion.toml";

/// The file's content.
#[derive(serde::Serialize, serde::Deserialize)]
struct Champion {
    generation: u32,
}

impl RunFolder {
    /// The champion's generation, or `None` before the first gate: what the gate reports say, or the champion's own file where
    /// there are none, as in a copy without phases.
    ///
    /// # Errors
    /// If a file is there but unreadable, or a report is missing that the run went on from.
    pub fn champion(&self) -> Result<Option<u32>, RunError> {
        let (mut champion, mut generation) = (None, 0);
        while let Some(report) = self.completed::<GateReport>(generation, Phase::Gate)? {
            if report.is_promoted() {
                champion = Some(generation);
            }
            generation += 1;
        }
        // Missing reports would make an earlier generation the champion, or none.
        let missing = self.missing_phases().into_iter().find(|path| *path == self.phase_path(generation, Phase::Gate));
        match missing {
            Some(path) => Err(RunError::MissingReport { path }),
            None if generation > 0 => Ok(champion),
            None => self.named_champion(),
        }
    }

    /// The generation that the champion's file names.
    fn named_champion(&self) -> Result<Option<u32>, RunError> {
        let Some(text) = self.read(CHAMPION)? else { return Ok(None) };
        let damaged = |source: toml::de::Error| RunError::DamagedToml {
            path: self.path().join(CHAMPION),
            reason: source.message().into(),
        };
        toml::from_str::<Champion>(&text).map(|champion| Some(champion.generation)).map_err(damaged)
    }

    /// Has the champion's file name this generation, whatever it named before.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn name_champion(&self, generation: u32) -> Result<(), RunError> {
        // One that cannot be read is replaced as well.
        if self.named_champion().is_ok_and(|named| named == Some(generation)) {
            return Ok(());
        }
        let text = toml::to_string(&Champion { generation }).expect("plain data");
        self.write(CHAMPION, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_champion_s_file_is_written_again_whatever_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::at(folder.path());
        for spoilt in ["generation = 8\n", "generation = x", ""] {
            fs::write(folder.path().join(CHAMPION), spoilt).unwrap();
            run.name_champion(3).unwrap();
            assert_eq!(run.champion().unwrap(), Some(3));
        }
    }
}
