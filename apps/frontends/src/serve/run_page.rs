//! What a caller gives to have a training run shown, and how often it is asked for it.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

/// A training run that can be looked at.
pub trait RunPage: Send + fmt::Debug {
    /// The run as it stands now. Called about once a second while a page is open.
    ///
    /// # Errors
    /// If the run cannot be read.
    fn snapshot(&mut self) -> Result<RunSnapshot, RunPageError>;

    /// The picture of this name as SVG, as of the last snapshot. Called once for each version, when a page asks for it.
    ///
    /// # Errors
    /// If it cannot be drawn.
    fn svg(&mut self, name: &str) -> Result<String, RunPageError>;
}

/// Why a [`RunPage`] cannot be read or drawn: an error of the caller's own.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct RunPageError(#[source] Arc<dyn Error + Send + Sync>);

impl RunPageError {
    /// Wraps the caller's error; its message is shown on the page.
    pub fn new(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        RunPageError(Arc::from(source.into()))
    }
}

/// A run at one moment.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RunSnapshot {
    /// The newest numbers, an object: the server passes them on as they are.
    #[serde(flatten)]
    pub status: Value,
    /// The pictures there are, in the order they are shown.
    pub pictures: Vec<RunPicture>,
}

/// A picture of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RunPicture {
    /// Its name in addresses: letters, digits, `-` and `_`.
    pub name: String,
    /// What stands above it.
    pub title: String,
    /// What it shows, for those who do not see it.
    pub description: String,
    /// Changes whenever the picture would; anything, such as the number of rows it is drawn from.
    pub version: u64,
}

/// A drawn picture.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) version: u64,
    pub(super) svg: Arc<str>,
}

/// Keeps what a [`RunPage`] said for as long as it holds.
#[derive(Debug)]
pub(super) struct RunPageCache(Mutex<CachedRun>);

#[derive(Debug)]
struct CachedRun {
    page: Box<dyn RunPage>,
    /// How long a snapshot holds.
    holds: Duration,
    looked: Option<(Instant, Result<Arc<RunSnapshot>, RunPageError>)>,
    drawn: HashMap<String, Drawn>,
}

/// Why there is no picture.
#[derive(Debug)]
pub(super) enum NoPicture {
    /// There is none of this name; those there are.
    Unknown(Vec<String>),
    /// The run cannot be read, or the picture not be drawn.
    Failed(RunPageError),
}

impl RunPageCache {
    /// Asks `page` again for what is older than `holds`.
    pub(super) fn new(page: impl RunPage + 'static, holds: Duration) -> Self {
        RunPageCache(Mutex::new(CachedRun { page: Box::new(page), holds, looked: None, drawn: HashMap::new() }))
    }

    /// The run as it stands, or stood a moment ago.
    pub(super) fn snapshot(&self) -> Result<Arc<RunSnapshot>, RunPageError> {
        // A page that panicked is asked again: what is kept is replaced as a whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).snapshot()
    }

    /// The picture of this name, drawn at most once for each version.
    pub(super) fn picture(&self, name: &str) -> Result<Drawn, NoPicture> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = cache.snapshot().map_err(NoPicture::Failed)?;
        let Some(picture) = snapshot.pictures.iter().find(|picture| picture.name == name) else {
            let names = snapshot.pictures.iter().map(|picture| picture.name.clone());
            return Err(NoPicture::Unknown(names.collect()));
        };
        if let Some(drawn) = cache.drawn.get(name).filter(|drawn| drawn.version == picture.version) {
            return Ok(drawn.clone());
        }
        let svg = cache.page.svg(name).map_err(NoPicture::Failed)?.into();
        let drawn = Drawn { version: picture.version, svg };
        cache.drawn.insert(name.to_owned(), drawn.clone());
        Ok(drawn)
    }
}

impl CachedRun {
    fn snapshot(&mut self) -> Result<Arc<RunSnapshot>, RunPageError> {
        if let Some((when, snapshot)) = &self.looked
            && when.elapsed() < self.holds
        {
            return snapshot.clone();
        }
        let snapshot = self.page.snapshot().map(Arc::new);
        self.looked = Some((Instant::now(), snapshot.clone()));
        snapshot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run whose picture changes with every other snapshot.
    #[derive(Debug, Default)]
    struct Counted {
        snapshots: u64,
        drawn: u64,
    }

    impl RunPage for Counted {
        fn snapshot(&mut self) -> Result<RunSnapshot, RunPageError> {
            self.snapshots += 1;
            let status = serde_json::json!({ "generation": self.snapshots });
            let (name, version) = ("elo".to_owned(), self.snapshots / 2);
            let picture = RunPicture { name, title: String::new(), description: String::new(), version };
            Ok(RunSnapshot { status, pictures: vec![picture] })
        }

        fn svg(&mut self, _name: &str) -> Result<String, RunPageError> {
            self.drawn += 1;
            Ok(self.drawn.to_string())
        }
    }

    #[test]
    fn a_snapshot_is_asked_for_again_when_it_no_longer_holds() {
        let generations = |holds| {
            let cache = RunPageCache::new(Counted::default(), holds);
            [(); 3].map(|()| cache.snapshot().unwrap().status["generation"].as_u64().unwrap())
        };
        assert_eq!(generations(Duration::MAX), [1, 1, 1]);
        assert_eq!(generations(Duration::ZERO), [1, 2, 3]);
    }

    #[test]
    fn a_picture_is_drawn_again_when_its_version_changes() {
        let cache = RunPageCache::new(Counted::default(), Duration::ZERO);
        let drawn = [(); 5].map(|()| cache.picture("elo").unwrap());
        assert_eq!(drawn.each_ref().map(|drawn| drawn.version), [0, 1, 1, 2, 2]);
        assert_eq!(drawn.each_ref().map(|drawn| drawn.svg.to_string()), ["1", "2", "2", "3", "3"]);
    }
}
