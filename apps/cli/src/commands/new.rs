//! `new`: creates a crate with a custom game, which plays, trains and is checked before its first line is changed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::args::NewArgs;
use crate::error::CliError;

/// The template is also built and tested as a member of this workspace; its names stand for those of the new crate.
const TEMPLATE: &[(&str, &str)] = &[
    ("src/lib.rs", include_str!("new/template/src/lib.rs")),
    ("src/main.rs", include_str!("new/template/src/main.rs")),
    ("tests/conformance.rs", include_str!("new/template/tests/conformance.rs")),
    ("configs/quickstart.toml", include_str!("new/template/configs/quickstart.toml")),
    ("README.md", include_str!("new/template/README.md")),
    (".gitignore", "/target\n/checkpoints\n/games\n/ablations\n/agent\n/report\n"),
];
const TEMPLATE_ID: &str = "squava";
const TEMPLATE_TYPE: &str = "Squava";

/// The profiles of this workspace, for the manifest of the new crate: Cargo reads profiles from a crate's own workspace only.
/// The file is a copy, since the workspace's manifest is not part of this crate; a test compares the two.
const PROFILES: &str = include_str!("new/profiles.toml");

/// This crate's folder in a checkout of the workspace.
const FOLDER: &str = "apps/cli";

/// The longest name of a game.
const MAX_LETTERS: usize = 40;

/// Writes the crate, and says what to do with it.
///
/// # Errors
/// A name that no crate can have, a folder that is not empty; if a file cannot be read or written.
pub fn new(args: &NewArgs, commit: Option<&str>, out: &mut dyn Write) -> Result<(), CliError> {
    let name = Name::parse(&args.name)?;
    let folder = args.path.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
        return Err(CliError::NotEmpty { path: folder });
    }
    let source = Source::new(Path::new(env!("CARGO_MANIFEST_DIR")), commit);
    let manifest = ("Cargo.toml", manifest(&name, &source));
    let files = TEMPLATE.iter().map(|&(path, text)| (path, name.put_into(text)));
    for (path, text) in files.chain([manifest]) {
        let path = folder.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(CliError::io(&path))?;
        fs::write(&path, text).map_err(CliError::io(&path))?;
    }
    if let Source::Checkout(checkout) = &source {
        share_dependencies(checkout, &folder).map_err(CliError::io(&folder))?;
    }
    let (id, folder) = (&name.id, folder.display());
    writeln!(
        out,
        "{folder} holds a small game, ready to be changed: its rules are in {folder}/src/lib.rs.\n\n\
         cd {folder}\n\
         cargo test --release                                  # check the rules\n\
         cargo run --release -- check {id}\n\
         cargo run --release -- train configs/quickstart.toml  # an agent, in minutes\n\
         cargo run --release -- serve                          # play against it in the browser"
    )?;
    if let Source::Checkout(checkout) = &source {
        let checkout = checkout.display();
        writeln!(
            out,
            "\nCargo.toml and .cargo/config.toml name {checkout}, where this program was built: it is used from there, \
             with what is compiled there already."
        )?;
    }
    Ok(())
}

/// What a game is called as a crate, as a Rust module and as a type.
struct Name {
    id: String,
    module: String,
    type_name: String,
}

impl Name {
    fn parse(text: &str) -> Result<Name, CliError> {
        let words: Vec<&str> = text.split('-').collect();
        let is_word = |word: &&str| {
            !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
        };
        let begins = text.starts_with(|letter: char| letter.is_ascii_lowercase());
        let unfit = || CliError::UnfitName { name: text.to_owned() };
        if !begins || text.len() > MAX_LETTERS || !words.iter().all(is_word) {
            return Err(unfit());
        }
        let capital = |word: &&str| word[..1].to_ascii_uppercase() + &word[1..];
        let type_name: String = words.iter().map(capital).collect();
        if is_reserved(text, &type_name) {
            return Err(unfit());
        }
        Ok(Name { id: text.to_owned(), module: text.replace('-', "_"), type_name })
    }

    /// The template's text with this name in the place of its own.
    fn put_into(&self, text: &str) -> String {
        let module = format!("{TEMPLATE_ID}::");
        text.replace(&module, &format!("{}::", self.module))
            .replace(TEMPLATE_TYPE, &self.type_name)
            .replace(TEMPLATE_ID, &self.id)
    }
}

/// What a crate cannot be called: the words of Rust, its own crates, what Cargo makes folders of, and this library.
const RESERVED: &str = "abstract as async await become box break const continue crate do dyn else enum extern false final fn \
    for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true \
    try type typeof unsafe unsized use virtual where while yield alloc core std test build deps examples incremental selfplay";

/// Whether Rust or the template means something else by the crate's or by the type's name.
fn is_reserved(name: &str, type_name: &str) -> bool {
    let code = TEMPLATE.iter().filter(|(path, _)| path.ends_with(".rs")).flat_map(|(_, text)| text.lines());
    let code = code.filter(|line| !line.trim_start().starts_with("//"));
    let mut words = code.flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    RESERVED.split_whitespace().any(|word| word == name) || words.any(|word| word == type_name && word != TEMPLATE_TYPE)
}

/// Where the new crate finds this library.
#[derive(PartialEq, Debug)]
enum Source<'a> {
    /// The checkout from which this program was built, if it still exists.
    Checkout(&'a Path),
    /// The repository, at the commit from which this program was built if that is known: the checkout no longer exists.
    Repository(Option<&'a str>),
    /// The registry: this program was built from the published crate.
    Registry,
}

impl<'a> Source<'a> {
    /// `library` is the folder in which this crate was compiled.
    fn new(library: &'a Path, commit: Option<&'a str>) -> Self {
        // Archives of the crate are unpacked into a folder with the crate's name and version.
        let checkout = library.ends_with(FOLDER).then(|| library.ancestors().nth(2)).flatten();
        match checkout {
            Some(checkout) if library.join("Cargo.toml").is_file() => Source::Checkout(checkout),
            Some(_) => Source::Repository(commit),
            None => Source::Registry,
        }
    }

    /// The dependency as it stands in a manifest.
    fn dependency(&self) -> String {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let repository = || quoted(env!("CARGO_PKG_REPOSITORY"));
        match self {
            Source::Checkout(checkout) => format!("{{ path = {} }}", quoted(&checkout.join(FOLDER).to_string_lossy())),
            Source::Repository(None) => format!("{{ git = {} }}", repository()),
            Source::Repository(Some(commit)) => format!("{{ git = {}, rev = {} }}", repository(), quoted(commit)),
            Source::Registry => quoted(env!("CARGO_PKG_VERSION")),
        }
    }
}

fn manifest(name: &Name, source: &Source) -> String {
    format!(
        "[package]\n\
         name = \"{}\"\n\
         version = \"0.1.0\"\n\
         edition = \"2024\"\n\
         \n\
         [dependencies]\n\
         selfplay = {}\n\
         \n\
         # A workspace of its own, wherever it lies.\n\
         [workspace]\n\
         \n\
         # The profiles of selfplay.\n\
         {PROFILES}",
        name.id,
        source.dependency()
    )
}

/// Has the crate use the versions of all libraries that the `checkout` is tested with, and what is compiled there already.
fn share_dependencies(checkout: &Path, folder: &Path) -> std::io::Result<()> {
    let lock = checkout.join("Cargo.lock");
    if lock.is_file() {
        fs::copy(lock, folder.join("Cargo.lock"))?;
    }
    let target = toml::Value::from(&*checkout.join("target").to_string_lossy());
    fs::create_dir_all(folder.join(".cargo"))?;
    let text = format!(
        "# What is compiled goes where selfplay's does, so that libraries that are there already are not built again.\n\
         [build]\n\
         target-dir = {target}\n"
    );
    fs::write(folder.join(".cargo/config.toml"), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_is_used_by_path_its_repository_without_it_and_a_published_crate_by_version() {
        let folder = tempfile::tempdir().unwrap();
        let library = |path: &str| {
            let library = folder.path().join(path);
            fs::create_dir_all(&library).unwrap();
            fs::write(library.join("Cargo.toml"), "").unwrap();
            library
        };
        let checkout = library("checkout/apps/cli");
        assert_eq!(Source::new(&checkout, Some("abc")), Source::Checkout(&folder.path().join("checkout")));
        assert!(Source::new(&checkout, None).dependency().contains("apps/cli"));

        let removed = Path::new("/removed/apps/cli");
        assert_eq!(Source::new(removed, None), Source::Repository(None));
        assert!(Source::new(removed, Some("abc")).dependency().ends_with(", rev = \"abc\" }"));

        let published = library("registry/src/index.crates.io-0123456789abcdef/selfplay-0.1.0");
        assert_eq!(Source::new(&published, None).dependency(), format!("\"{}\"", env!("CARGO_PKG_VERSION")));
    }
}
