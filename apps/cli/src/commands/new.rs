//! `new`: a crate with a game of one's own, which plays, trains and is checked before its first line is changed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::args::NewArgs;
use crate::error::CliError;

/// The template is a crate of its own, built and tested beside this one; its names stand for those of the new crate.
const TEMPLATE: &[(&str, &str)] = &[
    ("src/lib.rs", include_str!("../../template/src/lib.rs")),
    ("src/main.rs", include_str!("../../template/src/main.rs")),
    ("tests/laws.rs", include_str!("../../template/tests/laws.rs")),
    ("configs/quickstart.toml", include_str!("../../template/configs/quickstart.toml")),
    ("README.md", include_str!("../../template/README.md")),
    (".gitignore", "/target\n/checkpoints\n/games\n/ablations\n/agent\n/report\n"),
];
const TEMPLATE_ID: &str = "squava";
const TEMPLATE_TYPE: &str = "Squava";

/// The workspace's manifest, whose profiles the new crate takes over: a crate's profiles are those of its own workspace.
const WORKSPACE: &str = include_str!("../../../../Cargo.toml");
const PROFILES: &str = "[profile.dev]";

/// The longest name of a game.
const MAX_LETTERS: usize = 40;

/// Writes the crate, and says what to do with it.
///
/// # Errors
/// A name that no crate can have, a folder that is not empty; if a file refuses.
pub fn new(args: &NewArgs, commit: Option<&str>, out: &mut dyn Write) -> Result<(), CliError> {
    let name = Name::of(&args.name)?;
    let folder = args.path.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
        return Err(CliError::NotEmpty { path: folder });
    }
    let source = Source::of(commit);
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
         cargo test --release                                  # do the rules keep the laws?\n\
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
    fn of(text: &str) -> Result<Name, CliError> {
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
enum Source {
    /// The checkout from which this program was built, which is still there.
    Checkout(PathBuf),
    /// The repository, at the commit that the program was built from if that is known.
    Repository(Option<String>),
}

impl Source {
    fn of(commit: Option<&str>) -> Source {
        let library = Path::new(env!("CARGO_MANIFEST_DIR"));
        match library.ancestors().nth(2) {
            Some(checkout) if library.join("Cargo.toml").is_file() => Source::Checkout(checkout.to_owned()),
            _ => Source::Repository(commit.map(str::to_owned)),
        }
    }

    /// The dependency as it stands in a manifest.
    fn dependency(&self) -> String {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        match self {
            Source::Checkout(checkout) => {
                format!("{{ path = {} }}", quoted(&checkout.join("apps/cli").to_string_lossy()))
            }
            Source::Repository(None) => format!("{{ git = {} }}", quoted(env!("CARGO_PKG_REPOSITORY"))),
            Source::Repository(Some(commit)) => {
                format!("{{ git = {}, rev = {} }}", quoted(env!("CARGO_PKG_REPOSITORY")), quoted(commit))
            }
        }
    }
}

fn manifest(name: &Name, source: &Source) -> String {
    let profiles = WORKSPACE.find(PROFILES).map_or("", |start| &WORKSPACE[start..]);
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
         {profiles}",
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
