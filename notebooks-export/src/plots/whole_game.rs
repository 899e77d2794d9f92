//! How far from the end the positions of a tablebase are, and what they are worth by their pieces.

use super::lines::{Curve, LinePlot, XAxis, line_plot};
use super::palette;
use super::picture::Picture;

/// Plots which share of all positions is won and lost for the side to move in how many turns, given how many are won and lost
/// in 0, 1, 2, … turns, among `positions` in all.
pub fn turns_plot(wins: &[u64], losses: &[u64], positions: u64) -> Picture {
    let curve = |name: &str, color, counts: &[u64]| {
        let all: u64 = counts.iter().sum();
        let share = |count: u64| 100.0 * count as f64 / positions.max(1) as f64;
        // Wins end with a turn of the winner's and losses with one of the other side's: every second number is none.
        let points = (0u32..).map(f64::from).zip(counts).filter(|&(_, &count)| count > 0);
        let points = points.map(|(turns, &count)| (turns, share(count))).collect();
        Curve::new(format!("{name} for the side to move, {:.1} % in all", share(all)), color, points)
    };
    line_plot(LinePlot {
        heading: "Turns to the end",
        reason: "No position is decided.",
        x_title: "Turns of both sides to the end of the game",
        x: XAxis::FromZero(1.0),
        y_title: "Share of all positions / %",
        min_y_step: 0.1,
        y_from_zero: true,
        curves: vec![curve("won", palette::BLUE, wins), curve("lost", palette::ORANGE, losses)],
        notes: Vec::new(),
    })
}

/// Plots which share of the positions with so many pieces on the board is won, drawn and lost for the side to move, given how
/// many are.
pub fn pieces_plot(counts: &[(usize, [u64; 3])]) -> Picture {
    let curve = |name: &str, color, which: usize| {
        let share = |&(pieces, counts): &(usize, [u64; 3])| {
            let all: u64 = counts.iter().sum();
            (pieces as f64, 100.0 * counts[which] as f64 / all.max(1) as f64)
        };
        Curve::new(format!("{name} for the side to move"), color, counts.iter().map(share).collect())
    };
    line_plot(LinePlot {
        heading: "Value by pieces on the board",
        reason: "The game does not tell how many pieces there are.",
        x_title: "Pieces on the board",
        x: XAxis::FromZero(1.0),
        y_title: "Share of the positions / %",
        min_y_step: 0.1,
        y_from_zero: true,
        curves: vec![
            curve("won", palette::BLUE, 0),
            curve("drawn", palette::DARK_GREY, 1),
            curve("lost", palette::ORANGE, 2),
        ],
        notes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_curves_are_drawn_with_their_shares() {
        let svg = turns_plot(&[0, 30, 0, 20], &[10, 0, 25, 0], 100).to_svg().unwrap();
        assert!(svg.contains("won for the side to move, 50.0 % in all"), "{svg}");
        assert!(svg.contains("lost for the side to move, 35.0 % in all"));
        let svg = pieces_plot(&[(0, [0, 1, 0]), (1, [1, 0, 3])]).to_svg().unwrap();
        assert!(svg.contains("drawn for the side to move") && svg.contains("Pieces on the board"));
        assert!(turns_plot(&[], &[], 0).to_svg().unwrap().contains("No position is decided."));
    }
}
