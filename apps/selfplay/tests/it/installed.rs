//! The program as it is installed: `bin/selfplay` and `share/selfplay`, called from a folder that has nothing of them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

#[test]
fn an_installed_program_has_its_configs_and_agents_in_any_folder() {
    let installed = tempfile::tempdir().unwrap();
    let [bin, share, released, work] =
        ["bin", "share/selfplay", "share/selfplay/checkpoints", "work"].map(|name| installed.path().join(name));
    for folder in [&bin, &released, &work] {
        fs::create_dir_all(folder).unwrap();
    }
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    symlink(tree.join("configs"), share.join("configs")).unwrap();
    symlink(tree.join("docs"), share.join("docs")).unwrap();
    symlink(tree.join("checkpoints/released"), released.join("released")).unwrap();
    let (built, program) = (Path::new(env!("CARGO_BIN_EXE_selfplay")), bin.join("selfplay"));
    // A link of the file itself: it is large.
    fs::hard_link(built, &program).or_else(|_| fs::copy(built, &program).map(drop)).unwrap();
    let call = |arguments: &str| {
        let done = Command::new(&program).args(arguments.split(' ')).current_dir(&work).output().unwrap();
        let [told, error] = [done.stdout, done.stderr].map(|text| String::from_utf8(text).unwrap());
        let words = error.split(|c: char| c.is_whitespace() || c == '│').filter(|word| !word.is_empty());
        (done.status.success(), format!("{told}{}", words.collect::<Vec<_>>().join(" ")))
    };

    let (is_done, told) = call("train sum15-4/smoke --set generations=1");
    assert!(is_done && work.join("checkpoints/sum15-4-smoke/config.toml").is_file(), "{told}");
    let (is_done, told) = call("match connect4 released:simulations=20 random --games 2");
    assert!(is_done && told.contains("2 games"), "{told}");
    let (is_done, told) = call("export connect4 released --out agent");
    assert!(is_done && work.join("agent").is_file(), "{told}");

    let (is_done, told) = call("docs");
    assert!(is_done && told.contains("\nplayers ") && told.contains("\ncheckpoints/released/pylos "), "{told}");
    let (is_done, told) = call("docs players");
    assert!(is_done && told.starts_with("# Players\n"), "{told}");
    let (is_done, told) = call("docs player");
    assert!(!is_done && told.contains("unknown documentation page `player` (did you mean `players`?)"), "{told}");

    let (is_done, told) = call("train sum15-4/smok");
    assert!(!is_done && told.contains("did you mean") && told.contains("configs/sum15-4/smoke.toml"), "{told}");
    let (is_done, told) = call("match tictactoe released random --games 2");
    assert!(!is_done && told.contains("no released agent for tictactoe"), "{told}");
}
