//! The objects that belong on the server, and what they are made of.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long an object stays on the server that no task takes.
const UNNEEDED: Duration = Duration::from_secs(120);

/// What an object is made of, should it have to be put again.
#[derive(Clone)]
pub enum ObjectSource {
    /// The checkpoint in a folder.
    Checkpoint(PathBuf),
    /// These bytes.
    Bytes(Arc<Vec<u8>>),
}

/// The objects of a run.
#[derive(Default)]
pub struct ObjectCatalog {
    /// With the time when each was needed last.
    sources: HashMap<String, (ObjectSource, Instant)>,
    /// Objects that a worker could not read.
    unreadable: HashSet<String>,
}

/// What has to be done on the server.
pub struct ObjectChanges {
    /// The objects that belong there.
    pub present: Vec<(String, ObjectSource)>,
    /// Those of them that a worker could not read.
    pub unreadable: HashSet<String>,
    /// The objects that no task has needed for some time. The catalogue has forgotten them.
    pub unneeded: Vec<String>,
}

impl ObjectCatalog {
    /// Adds an object that tasks take.
    pub fn insert(&mut self, name: &str, source: ObjectSource) {
        self.sources.insert(name.to_owned(), (source, Instant::now()));
    }

    /// A worker could not read these objects; names of no object are ignored.
    pub fn report_unreadable(&mut self, names: &[String]) {
        self.unreadable.extend(names.iter().filter(|&name| self.sources.contains_key(name)).cloned());
    }

    /// What has to be done on the server while the objects `needed` are in use.
    pub fn changes(&mut self, needed: &HashSet<String>) -> ObjectChanges {
        let now = Instant::now();
        for (name, (_, last)) in &mut self.sources {
            if needed.contains(name) {
                *last = now;
            }
        }
        let unneeded = self.sources.extract_if(|_, (_, last)| now.duration_since(*last) > UNNEEDED);
        let unneeded = unneeded.map(|(name, _)| name).collect();
        let present = self.sources.iter().map(|(name, (source, _))| (name.clone(), source.clone())).collect();
        ObjectChanges { present, unreadable: std::mem::take(&mut self.unreadable), unneeded }
    }
}
