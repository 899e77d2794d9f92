//! What the file protocol of the Pente course writes and reads: `input.txt` and `output.txt`.

use selfplay_env::games::pente::Pente;
use selfplay_env::{Action, Game, Side};

/// `input.txt` for the side to move of `position`, with `time_left_ms` milliseconds for the rest of its game (written as
/// at least one): colour, seconds, stones captured by White and by Black, then the board from its top row.
pub fn input_text<const N: usize>(position: &Pente<N>, time_left_ms: u64) -> String {
    let color = if position.side_to_move() == Side::First { "WHITE" } else { "BLACK" };
    let seconds = time_left_ms.max(1) as f64 / 1000.0;
    let [white, black] = Side::BOTH.map(|side| 2 * u32::from(position.captured_pairs(side)));
    let mut text = format!("{color}\n{seconds:?}\n{white},{black}\n");
    let (first, second) = (position.rows(Side::First), position.rows(Side::Second));
    for (first, second) in first.iter().zip(second) {
        text.extend((0..N).map(|column| match (first >> column & 1, second >> column & 1) {
            (1, _) => 'w',
            (_, 1) => 'b',
            _ => '.',
        }));
        text.push('\n');
    }
    text
}

/// The legal move that the contents of `output.txt` name: one line such as `9N`, and nothing else but space around it.
///
/// # Errors
/// Why there is no such move.
pub fn read_output<const N: usize>(position: &Pente<N>, text: &str) -> Result<Action, String> {
    let action = Pente::<N>::parse_action(text.trim()).map_err(|error| error.to_string())?;
    if position.is_legal(action) { Ok(action) } else { Err(position.illegal_reason(action)) }
}

#[cfg(test)]
mod tests {
    use selfplay_env::game_text::play_line;

    use super::*;

    #[test]
    fn the_files_are_those_of_the_course() {
        // The example of the course's text, reached by a game.
        let (position, _) = play_line::<Pente<19>>(&["10K", "11L", "10N", "10M", "12K"]).unwrap();
        let text = input_text(&position, 100_000);
        let lines: Vec<&str> = text.split('\n').collect();
        assert_eq!(lines[..3], ["BLACK", "100.0", "0,0"]);
        assert_eq!(lines[10], ".........w.........");
        assert_eq!(lines[11], "..........b........");
        assert_eq!(lines[12], ".........w.bw......");
        assert_eq!((lines.len(), lines[22], lines[21].len()), (23, "", 19));
        assert_eq!(read_output(&position, "9N\n").map(Pente::<19>::action_name), Ok("9N".into()));
        for wrong in ["", "9N\n9M\n", "N9", "10K\n", "9n"] {
            assert!(read_output(&position, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn captures_are_counted_in_stones_and_times_never_zero() {
        let (position, _) = play_line::<Pente<19>>(&["10K", "10L", "10N", "10M", "14K"]).unwrap();
        assert!(input_text(&position, 0).starts_with("BLACK\n0.001\n0,0\n"));
        let (captured, _) = play_line::<Pente<19>>(&["10K", "10L", "1A", "10M", "10N", "5E"]).unwrap();
        assert!(input_text(&captured, 12_345).starts_with("WHITE\n12.345\n2,0\n"));
    }
}
