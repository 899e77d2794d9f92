//! Hundreds of broken lines from a seed: always an answer or a clear error.

use selfplay_env::rng::rng_for;
use selfplay_env::{CompleteGame, rules};
use selfplay_frontends::serve_gtp;
use selfplay_pente::Pente;
use selfplay_pylos::Pylos;

use crate::protocols::broken::broken;
use crate::protocols::support::FirstLegal;

fn gtp_survives<G: CompleteGame>(cases: u64) {
    let commands = "protocol_version\n7 name\nknown_command play\nlist_commands\nboardsize 19\nclear_board\nplay b a1\n\
                    play white 10K\ngenmove b\ngenmove w\nundo\nshowboard\ntime_settings 10 5 2\ntime_left b 3 1\n\
                    final_score\ngogui-rules_legal_moves\ngogui-rules_board\nplay w c2-b1-e3\n";
    for case in 0..cases {
        let mut rng = rng_for(&[case, 1]);
        let mut input = broken(commands.as_bytes(), &mut rng);
        // Whatever came before, the session still answers; `quit` may have been written by chance.
        input.extend(b"\n777 protocol_version\n");
        let mut output = Vec::new();
        serve_gtp(rules::<G>(), &mut FirstLegal, 0, &mut &input[..], &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        assert!(output.ends_with("=777 2\n\n"), "{output}");
        for answer in output.split_terminator("\n\n") {
            assert!(answer.starts_with(['=', '?']), "{answer:?} in {output}");
        }
    }
}

#[test]
fn broken_gtp_is_answered() {
    gtp_survives::<Pente<19>>(250);
    gtp_survives::<Pylos>(250);
    // A line without end is skipped, and held nowhere.
    let mut input = vec![b'x'; 1 << 20];
    input.extend(b"\nname\n");
    let mut output = Vec::new();
    serve_gtp(rules::<Pylos>(), &mut FirstLegal, 0, &mut &input[..], &mut output).unwrap();
    assert_eq!(String::from_utf8(output).unwrap(), "? a line has at most 4096 bytes\n\n= first legal\n\n");
}
