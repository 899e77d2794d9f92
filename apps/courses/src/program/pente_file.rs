//! The files of the Pente course: `input.txt`, written and read, and `output.txt`, read.

use std::time::Duration;

use selfplay_env::{Action, Game, NotationError, Side};
use selfplay_pente::Pente;

/// The longest time that is read, in seconds; more is cut down to it.
const MAX_SECONDS: f64 = 1e9;
/// The most pairs that a side of a running game has captured.
const MAX_PAIRS: u32 = 4;

/// `input.txt` for the side to move of `position`, with `time_left` for the rest of its game (written as at least
/// a millisecond): colour, seconds, stones captured by White and by Black, then the board from its top row.
pub fn input_text<const N: usize>(position: &Pente<N>, time_left: Duration) -> String {
    let color = if position.side_to_move() == Side::First { "WHITE" } else { "BLACK" };
    // Never more than there is.
    let seconds = (time_left.as_micros() as u64).max(1000) as f64 / 1e6;
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

/// What an `input.txt` says.
#[derive(Clone, PartialEq, Debug)]
pub struct PenteInput<const N: usize> {
    /// The running position, with the side to move.
    pub position: Pente<N>,
    /// What the side to move may still use; zero where the file has a number that is not above zero.
    pub time_left: Duration,
}

/// Why an `input.txt` cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PenteInputError {
    /// A line is not what it should be.
    #[error("line {line}: found `{found}`, expected {expected}")]
    Line {
        /// Number of the line, counted from 1.
        line: usize,
        /// The beginning of what stands there.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// There are too few lines.
    #[error("line {line} is missing, expected {expected}")]
    MissingLine {
        /// Number of the first line that is missing, counted from 1.
        line: usize,
        /// What would be right.
        expected: &'static str,
    },
    /// A line of the board has the wrong length.
    #[error("line {line}: found {found} intersections, expected {expected}")]
    Width {
        /// Number of the line, counted from 1.
        line: usize,
        /// How many there are.
        found: usize,
        /// How many would be right.
        expected: usize,
    },
    /// An intersection holds something else than a stone or nothing.
    #[error("line {line}, column {column}: found `{found}`, expected `w`, `b` or `.`")]
    Intersection {
        /// Number of the line, counted from 1.
        line: usize,
        /// Counted from 1 at the left.
        column: usize,
        /// What stands there.
        found: char,
    },
    /// The numbers of captured stones are not those of a running game, as stones or as pairs.
    #[error(
        "line 3: found `{white},{black}`, expected what White and Black have captured in a running game: \
         even numbers of stones up to 8, or pairs up to 4"
    )]
    Captures {
        /// Captured by White.
        white: u32,
        /// Captured by Black.
        black: u32,
    },
    /// The board is not that of a running game.
    #[error("lines 4 to {last}: {reason}")]
    Board {
        /// Number of the last line of the board.
        last: usize,
        /// What is wrong.
        reason: String,
    },
}

/// Reads `input.txt`. Line ends may be those of any system, space around a line's contents is skipped, and what follows
/// the board is ignored.
///
/// Captured counts are stones by the course's text, and pairs with some judges. The stones that each side has placed,
/// on the board and captured, tell which: White has placed as many as Black when White is to move, else one more. If
/// both fit or neither does, odd counts can only be pairs and counts above four only stones; if it is still open, they
/// are stones.
///
/// # Errors
/// [`PenteInputError`] with the first line that is wrong.
pub fn read_input<const N: usize>(text: &str) -> Result<PenteInput<N>, PenteInputError> {
    let mut lines = text.lines().map(str::trim);
    let mut line = |line, expected| lines.next().ok_or(PenteInputError::MissingLine { line, expected });
    let wrong = |line, found: &str, expected| PenteInputError::Line { line, found: beginning(found), expected };

    let color = "the colour to play, `BLACK` or `WHITE`";
    let found = line(1, color)?;
    let side = match found.trim_start_matches('\u{feff}').to_ascii_uppercase().as_str() {
        "WHITE" => Side::First,
        "BLACK" => Side::Second,
        _ => return Err(wrong(1, found, color)),
    };
    let time = "the seconds left for the game, such as `100.0`";
    let found = line(2, time)?;
    let seconds = found.parse::<f64>().ok().filter(|seconds| seconds.is_finite());
    let seconds = seconds.ok_or_else(|| wrong(2, found, time))?.clamp(0.0, MAX_SECONDS);
    let counts = "what White and Black have captured, such as `0,2`";
    let found = line(3, counts)?;
    let captured = read_counts(found).ok_or_else(|| wrong(3, found, counts))?;

    let [mut first, mut second] = [[0u32; N]; 2];
    for (row, (first, second)) in first.iter_mut().zip(&mut second).enumerate() {
        let number = row + 4;
        let cells = line(number, "a line of the board")?;
        let found = cells.chars().count();
        for (index, cell) in cells.chars().take(N).enumerate() {
            match cell {
                'w' | 'W' => *first |= 1 << index,
                'b' | 'B' => *second |= 1 << index,
                '.' => {}
                found => return Err(PenteInputError::Intersection { line: number, column: index + 1, found }),
            }
        }
        if found != N {
            return Err(PenteInputError::Width { line: number, found, expected: N });
        }
    }
    let stones = [first, second];
    let pairs = captured_pairs(captured, stones.map(|rows| rows.iter().map(|row| row.count_ones()).sum()), side)?;
    let position = Pente::set_up(stones, pairs, side)
        .map_err(|error| PenteInputError::Board { last: N + 3, reason: error.to_string() })?;
    Ok(PenteInput { position, time_left: Duration::from_secs_f64(seconds) })
}

fn read_counts(text: &str) -> Option<[u32; 2]> {
    let (white, black) = text.split_once(',')?;
    Some([white.trim().parse().ok()?, black.trim().parse().ok()?])
}

/// The pairs that counts of stones or of pairs stand for, with `on_board` stones of each side and `side` to move.
fn captured_pairs(counts: [u32; 2], on_board: [u32; 2], side: Side) -> Result<[u8; 2], PenteInputError> {
    let as_stones = counts.iter().all(|&count| count % 2 == 0 && count <= 2 * MAX_PAIRS).then(|| counts.map(|c| c / 2));
    let as_pairs = counts.iter().all(|&count| count <= MAX_PAIRS).then_some(counts);
    // White's placed stones less Black's.
    let expected = i64::from(side == Side::Second);
    let fits = |pairs: &[u32; 2]| {
        let [white, black] = [on_board[0] + 2 * pairs[1], on_board[1] + 2 * pairs[0]].map(i64::from);
        white - black == expected
    };
    let pairs = match (as_stones, as_pairs) {
        (Some(stones), Some(pairs)) if fits(&pairs) && !fits(&stones) => pairs,
        (Some(stones), _) => stones,
        (None, Some(pairs)) => pairs,
        (None, None) => return Err(PenteInputError::Captures { white: counts[0], black: counts[1] }),
    };
    Ok(pairs.map(|count| count as u8))
}

/// The first characters of `text`, without control characters.
fn beginning(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Why `output.txt` holds no legal move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PenteOutputError {
    /// It does not name a move.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The rules forbid it.
    #[error("{reason}")]
    Illegal {
        /// The rule that it breaks.
        reason: String,
    },
}

/// The legal move that the contents of `output.txt` name: one line such as `9N`, and nothing else but space around it.
///
/// # Errors
/// [`PenteOutputError`].
pub fn read_output<const N: usize>(position: &Pente<N>, text: &str) -> Result<Action, PenteOutputError> {
    let action = Pente::<N>::parse_action(text.trim())?;
    if position.is_legal(action) {
        Ok(action)
    } else {
        Err(PenteOutputError::Illegal { reason: position.illegal_reason(action) })
    }
}

#[cfg(test)]
mod tests {
    use selfplay_env::game_text::play_line;
    use selfplay_env::random_play::play_random;
    use selfplay_env::rng::rng_for;

    use super::*;

    #[test]
    fn the_files_are_those_of_the_course() {
        // The example of the course's text, reached by a game.
        let (position, _) = play_line::<Pente<19>>(&["10K", "11L", "10N", "10M", "12K"]).unwrap();
        let text = input_text(&position, Duration::from_secs(100));
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
        assert_eq!(read_input(&text), Ok(PenteInput { position, time_left: Duration::from_secs(100) }));
        // As some editors leave it.
        let windows = format!("\u{feff}{}\r\n", text.trim_end().replace('\n', " \r\n").to_lowercase());
        assert_eq!(read_input::<19>(&windows).map(|input| input.position), Ok(position));
    }

    #[test]
    fn captures_are_counted_in_stones_and_times_never_zero() {
        let (position, _) = play_line::<Pente<19>>(&["10K", "10L", "10N", "10M", "14K"]).unwrap();
        assert!(input_text(&position, Duration::ZERO).starts_with("BLACK\n0.001\n0,0\n"));
        let (captured, _) = play_line::<Pente<19>>(&["10K", "10L", "1A", "10M", "10N", "5E"]).unwrap();
        assert!(input_text(&captured, Duration::from_micros(12_345_678)).starts_with("WHITE\n12.345678\n2,0\n"));
    }

    #[test]
    fn every_position_is_read_back_whether_stones_or_pairs_are_counted() {
        let (mut captures, mut ambiguous) = (0, 0);
        for seed in 0..60 {
            let mut position = Pente::<9>::initial();
            let mut rng = rng_for(&[seed]);
            while position.outcome().is_none() {
                let text = input_text(&position, Duration::from_millis(5200));
                assert_eq!(read_input(&text).map(|input| input.position), Ok(position), "{text}");
                let [white, black] = Side::BOTH.map(|side| position.captured_pairs(side));
                let in_pairs = text.replacen(&format!("{},{}", 2 * white, 2 * black), &format!("{white},{black}"), 1);
                let read = read_input::<9>(&in_pairs).unwrap().position;
                if white == black && white % 2 == 0 {
                    // The placed stones fit both; the text's unit is assumed.
                    ambiguous += usize::from(read != position);
                } else {
                    assert_eq!(read, position, "{in_pairs}");
                }
                captures += usize::from(white + black > 0);
                play_random(&mut position, 1, &mut rng);
            }
        }
        assert!(captures > 500 && ambiguous > 0, "{captures} {ambiguous}");
    }

    #[test]
    fn errors_say_what_and_where() {
        let good = input_text(&Pente::<9>::initial(), Duration::from_secs(5));
        let error = |from: &str, to: &str| read_input::<9>(&good.replacen(from, to, 1)).unwrap_err().to_string();
        let row = ".........";
        assert_eq!(error("WHITE", "GREEN"), "line 1: found `GREEN`, expected the colour to play, `BLACK` or `WHITE`");
        for time in ["", "soon", "NaN", "inf", "1,5"] {
            assert!(error("5.0", time).starts_with(&format!("line 2: found `{time}`")), "{time}");
        }
        for counts in ["0", "-1,0", "0;0", "4294967296,0", "0,0,0"] {
            assert!(error("0,0", counts).starts_with(&format!("line 3: found `{counts}`")), "{counts}");
        }
        for counts in ["10,0", "5,0", "0,12", "7,2"] {
            assert!(error("0,0", counts).contains("in a running game"), "{counts}");
        }
        assert_eq!(error(row, "..x......"), "line 4, column 3: found `x`, expected `w`, `b` or `.`");
        assert_eq!(error(row, "........"), "line 4: found 8 intersections, expected 9");
        assert_eq!(error(row, ".........."), "line 4: found 10 intersections, expected 9");
        assert_eq!(error(row, ".....wwwww.").split(',').next(), Some("line 4: found 11 intersections"));
        assert_eq!(error(row, "....bbbbb"), "lines 4 to 12: Black has five in a row through 9E: the game is over");
        assert_eq!(read_input::<9>("").unwrap_err().to_string().split(',').next(), Some("line 1 is missing"));
        let cut = &good[..good.len() - 10];
        assert_eq!(read_input::<9>(cut).unwrap_err().to_string(), "line 12 is missing, expected a line of the board");
        // Times that are none leave nothing; what is absurd is cut down.
        assert_eq!(read_input::<9>(&good.replace("5.0", "-3")).unwrap().time_left, Duration::ZERO);
        assert_eq!(
            read_input::<9>(&good.replace("5.0", "1e300")).unwrap().time_left,
            Duration::from_secs(1_000_000_000)
        );
    }
}
