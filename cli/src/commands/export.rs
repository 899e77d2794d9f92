//! `export`: an agent to hand on.

use std::io::Write;
use std::path::Path;

use selfplay_env::{GameVisitor, PlayableGame, with_game};
use selfplay_network::checkpoint::{Bundle, bundle, load_network};
use selfplay_network::{DeviceKind, onnx};
use selfplay_notebooks_export::files::write_file;

use crate::agents::checkpoint_of;
use crate::args::{ExportArgs, ExportFormat};
use crate::carrier::{AgentHead, write_program};
use crate::error::CliError;

/// Writes the file or the folder.
///
/// # Errors
/// If the game or the checkpoint is wrong, what is to be written is there already or cannot be written, or the output
/// refuses.
pub fn export(args: &ExportArgs, out: &mut dyn Write) -> Result<(), CliError> {
    struct Export<'a>(&'a ExportArgs, &'a mut dyn Write);
    impl GameVisitor for Export<'_> {
        type Output = Result<(), CliError>;

        fn visit<G: PlayableGame>(self) -> Self::Output {
            let Export(args, out) = self;
            let checkpoint = checkpoint_of(&args.checkpoint)?;
            // Everything is checked here, not when the file is used.
            let (network, manifest) = load_network::<G>(&checkpoint, &DeviceKind::Flex.open()?)?;
            let len = match args.format {
                ExportFormat::Program => {
                    let name = args.name.clone().unwrap_or_else(|| format!("selfplay-{}", G::ID));
                    let Bundle { manifest, weights } = bundle(&checkpoint)?;
                    let head = AgentHead { name, game: G::ID.into(), proofs: !args.pure, manifest };
                    write_program(&head, &weights, &args.out)?
                }
                ExportFormat::Checkpoint => bundle(&checkpoint)?.save(&args.out)?,
                ExportFormat::Onnx => write(&args.out, &onnx::encode::<G>(&network, &manifest))?,
                ExportFormat::Safetensors => write(&args.out, &onnx::safetensors::<G>(&network, &manifest)?)?,
            };
            writeln!(out, "{}, {:.1} MiB", args.out.display(), len as f64 / f64::from(1 << 20))?;
            Ok(())
        }
    }
    // A folder is never replaced.
    let may_replace = args.force || args.format == ExportFormat::Checkpoint;
    if !may_replace && args.out.symlink_metadata().is_ok() {
        return Err(CliError::FileExists { path: args.out.clone() });
    }
    with_game(&args.game, Export(args, out))?
}

/// Writes `bytes` to `path`, all or nothing; their number.
fn write(path: &Path, bytes: &[u8]) -> Result<u64, CliError> {
    write_file(path, bytes)?;
    Ok(bytes.len() as u64)
}
