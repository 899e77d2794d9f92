//! A game in a Python file: what it does wrong is said in one sentence with its member and the position, and nothing is lost.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Tic-tac-toe without a fault.
const GAME: &str = r#"
class Noughts:
    """Three in a row win."""

    id = "noughts"
    side_names = ("X", "O")
    action_count = 9
    grid = (3, 3)
    symmetries = "square"

    def __init__(self):
        self.board = [None] * 9
        self.to_move = 0

    def copy(self):
        other = Noughts()
        other.board = list(self.board)
        other.to_move = self.to_move
        return other

    def side_to_move(self):
        return self.to_move

    def outcome(self):
        for a, b, c in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
            if self.board[a] is not None and self.board[a] == self.board[b] == self.board[c]:
                return self.board[a]
        return None if None in self.board else "draw"

    def legal_actions(self):
        return [] if self.outcome() is not None else [cell for cell in range(9) if self.board[cell] is None]

    def play(self, cell):
        self.board[cell] = self.to_move
        self.to_move = 1 - self.to_move

    def cells(self):
        return self.board
"#;

const CONFIG: &str = "game = \"noughts\"\ngenerations = 2\n[network]\nblocks = 1\nchannels = 8\n[selfplay]\n\
    games_per_generation = 16\nnum_simulations = 8\n[gate]\npairs = 2\neval_pairs = 1\n";

/// What `selfplay` does with these words in a folder where the game is `game.py`.
fn selfplay(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selfplay")).args(words).current_dir(folder).output().unwrap()
}

fn folder_with(game: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.py"), game).unwrap();
    fs::write(folder.path().join("config.toml"), CONFIG).unwrap();
    folder
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// What `check` says of the game with a fault in it.
fn checked(right: &str, wrong: &str) -> String {
    assert!(GAME.contains(right), "{right}");
    let folder = folder_with(&GAME.replacen(right, wrong, 1));
    let output = selfplay(folder.path(), &["check", "game.py", "--games", "20"]);
    assert_ne!(output.status.code(), Some(0), "{wrong}: {}", said(&output));
    assert_ne!(output.status.code(), None, "{wrong}: {}", said(&output));
    said(&output)
}

#[test]
fn a_game_without_a_fault_conforms() {
    let folder = folder_with(GAME);
    let output = selfplay(folder.path(), &["check", "game.py"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("noughts passes all conformance checks in 100 random games"), "{}", said(&output));
    // Neither does one whose positions have slots.
    let folder = folder_with(&GAME.replacen("    id = ", "    __slots__ = (\"board\", \"to_move\")\n    id = ", 1));
    let output = selfplay(folder.path(), &["check", "game.py", "--games", "20"]);
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn each_fault_is_named_with_its_member_and_the_position() {
    for (right, wrong, expected) in [
        // It says what is wrong with itself before there is any position.
        ("    def outcome", "    def result", &["has no method `outcome`"][..]),
        ("    def play", "    def make", &["has no method `play`"]),
        ("id = \"noughts\"", "id = \"Noughts!\"", &["`id` is 'Noughts!'"]),
        ("id = \"noughts\"", "id = \"connect4\"", &["the game's `id` connect4"]),
        ("action_count = 9", "action_count = 0", &["`action_count` is 0", "from 1 to 65,535"]),
        ("class Noughts:", "class Noughts", &["expected ':'", "(line 2)"]),
        ("self.to_move = 0", "self.to_move = 1 // 0", &["`__init__` raised ZeroDivisionError", "(line 13)"]),
        // It raises, returns nonsense, or takes for ever.
        (
            "self.board[cell] = self.to_move\n",
            "self.board[cell + 1] = self.to_move\n",
            &["`play` raised IndexError: list assignment index out of range (line 34)", ", after "],
        ),
        ("return self.board[a]\n", "return 7\n", &["`outcome` returned 7: expected None, 0, 1 or \"draw\", after "]),
        ("return self.to_move", "return -1", &["`side_to_move` returned -1: expected 0 or 1, in the initial position"]),
        ("range(9) if", "range(10) if", &["`legal_actions` raised IndexError", "in the initial position"]),
        ("[cell for cell", "[cell + 1 for cell", &["`legal_actions` lists 9: expected numbers from 0 to 8"]),
        ("[cell for cell", "[0 for cell", &["`legal_actions` lists 0 twice"]),
        ("[] if self.outcome() is not None else ", "", &["`legal_actions` is not empty, but `outcome` is terminal"]),
        ("return self.board\n", "return self.board[:8]\n", &["`cells` returned", "expected 9 times None, 0 or 1"]),
        ("self.to_move = 1 - self.to_move", "self.last = cell", &["the attributes", "`last`, after "]),
        (
            "    def cells",
            "    def heuristic(self):\n        return 15000\n\n    def cells",
            &["`heuristic` returned 15000: expected a whole number from -9999 to 9999, in the initial position"],
        ),
        (
            "    def cells(self):\n        return self.board\n",
            "    plane_names = (\"x\",)\n    discs_fall = True\n\n    def observation(self):\n        return [0.0] * 9\n",
            &["there is `discs_fall` and no `cells`"],
        ),
        (
            "    def cells",
            "    plane_names = (\"x\",)\n\n    def observation(self):\n        return [0.0] * 9\n\n    def heuristic(self):\n        \
             return 0.5\n\n    def cells",
            &["`heuristic` returned 0.5: expected a whole number"],
        ),
        // It does not keep the conformance checks.
        ("list(self.board)", "self.board", &["in a copy (does `copy` share a list?)", "in the initial position"]),
        (
            "self.board[cell] = self.to_move\n",
            "import random; self.board[cell] = random.randrange(2)\n",
            &["leads to two", "in the initial position"],
        ),
        (
            "self.board[cell] = self.to_move",
            "self.board[cell or 8] = self.to_move",
            &["a1 and c3 lead to the same position"],
        ),
        (
            "    def play",
            "    def key(self):\n        return self.board[:8]\n\n    def play",
            &["`key` is that of another position", "`side_to_move` is another"],
        ),
        ("(2, 4, 6)", "(2, 4, 7)", &["`symmetries` claims too much", "in the position after"]),
        ("self.to_move = 1 - self.to_move", "pass", &["O never decides"]),
    ] {
        let found = checked(right, wrong);
        // However wide the terminal is.
        let found = found.split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
        for part in expected {
            assert!(found.contains(part), "{wrong}\nexpected: {part}\nfound: {found}");
        }
    }
}

#[test]
fn a_run_stopped_by_a_fault_ends_with_the_weights_of_one_that_was_not() {
    // A fault that shows itself late in some games, while a file is not there.
    let fault = "\nimport os\nPLAY = Noughts.play\ndef play(self, cell):\n    \
        if self.board.count(None) < 3 and not os.path.exists('mended'):\n        raise RuntimeError('out of order')\n    \
        PLAY(self, cell)\nNoughts.play = play\n";
    let folder = folder_with(&format!("{GAME}{fault}"));
    let (game, mended) = (folder.path().join("game.py"), folder.path().join("mended"));
    let train = |run: &str, generations: u32, threads: &str| {
        let set = format!("generations={generations}");
        let words =
            ["train", "config.toml", "--game-file", "game.py", "--run", run, "--set", &set, "--threads", threads];
        selfplay(folder.path(), &words)
    };
    let weights = |run: &str| {
        fs::read(folder.path().join("checkpoints").join(run).join("networks/gen-00002/weights.safetensors")).unwrap()
    };
    fs::write(&mended, "").unwrap();
    let whole = train("whole", 2, "1");
    assert!(whole.status.success(), "{}", said(&whole));
    assert!(train("halved", 1, "3").status.success());

    fs::remove_file(&mended).unwrap();
    let stopped = train("halved", 2, "2");
    assert_eq!(stopped.status.code(), Some(1), "{}", said(&stopped));
    let words = said(&stopped);
    assert!(
        words.contains("game.py: `play` raised RuntimeError: out of order") && words.contains(", after "),
        "{words}"
    );

    fs::write(&mended, "").unwrap();
    // Other rules are rejected, even where they would play the same.
    let rules = fs::read_to_string(&game).unwrap();
    fs::write(&game, format!("{rules}\n")).unwrap();
    let refused = said(&train("halved", 2, "2"));
    assert!(refused.contains("started with other rules"), "{refused}");
    fs::write(&game, rules).unwrap();
    let gone_on = train("halved", 2, "2");
    assert!(gone_on.status.success(), "{}", said(&gone_on));
    assert_eq!(weights("halved"), weights("whole"));
}
