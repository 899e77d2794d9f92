//! Tells the program which commit it was built from, for the manifests of its checkpoints, and has it linked so that
//! exported agents start fast.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    tell_commit();
    let target = |key: &str| env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        // A Pente agent is started for every move, and its CPU time is counted. At a fixed address nothing has to be
        // moved to its place at first, and with the unwinder inside no library but C's is loaded.
        println!("cargo::rustc-link-arg-bin=selfplay-agent=-no-pie");
        if linker_has("libgcc_eh.a") {
            println!("cargo::rustc-link-lib=static=gcc_eh");
        }
    }
}

/// Whether the linker has a library of this name; others than gcc's link their own unwinder.
fn linker_has(library: &str) -> bool {
    let linker = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned());
    let told = Command::new(linker).arg(format!("-print-file-name={library}")).output();
    told.is_ok_and(|told| Path::new(String::from_utf8_lossy(&told.stdout).trim()).is_absolute())
}

fn tell_commit() {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
    };
    // Outside a checkout there is no commit to tell, and nothing to watch.
    let Some(commit) = git(&["rev-parse", "HEAD"]) else { return };
    println!("cargo::rustc-env=SELFPLAY_GIT_COMMIT={commit}");
    if let Some(head) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={head}");
    }
}
