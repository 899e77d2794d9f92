//! The points that the reference agents of the Pente course look at: those near stones.

use selfplay_env::{Action, Side};
use selfplay_pente::Pente;

/// Replaces the contents of `points` by the legal points next to a stone of either side, by row and column.
///
/// Where there is none, because the board is empty or the opening rule keeps White away, the nearest legal ones.
pub(super) fn points_near_stones<const N: usize>(position: &Pente<N>, points: &mut Vec<Action>) {
    points.clear();
    let (first, second) = (position.rows(Side::First), position.rows(Side::Second));
    let mut near: [u32; N] = std::array::from_fn(|row| first[row] | second[row]);
    if near.iter().all(|&row| row == 0) {
        near = [u32::MAX; N];
    }
    // The whole board is reached in N steps.
    for _ in 0..N {
        near = widen(&near);
        for (row, &columns) in near.iter().enumerate() {
            let mut columns = columns & position.playable(row);
            while columns != 0 {
                points.push(Action::from_index(row * N + columns.trailing_zeros() as usize));
                columns &= columns - 1;
            }
        }
        if !points.is_empty() {
            return;
        }
    }
}

/// The cells of `rows` and their up to eight neighbours, and perhaps bits beyond the last column.
fn widen<const N: usize>(rows: &[u32; N]) -> [u32; N] {
    let sideways = rows.map(|row| row | row << 1 | row >> 1);
    std::array::from_fn(|row| {
        let above = if row > 0 { sideways[row - 1] } else { 0 };
        sideways[row] | above | sideways.get(row + 1).copied().unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use selfplay_env::Game;
    use selfplay_env::game_text::play_line;

    use super::*;

    fn points(actions: &[&str]) -> Vec<String> {
        let (position, _) = play_line::<Pente<9>>(actions).unwrap();
        let mut points = Vec::new();
        points_near_stones(&position, &mut points);
        points.into_iter().map(Pente::<9>::action_name).collect()
    }

    #[test]
    fn neighbours_of_stones_or_the_nearest_that_are_legal() {
        assert_eq!(points(&[]), ["5E"]);
        assert_eq!(points(&["5E"]), ["6D", "6E", "6F", "5D", "5F", "4D", "4E", "4F"]);
        // White must keep away: Black's stone at the edge of the forbidden square has legal neighbours, one inside none.
        assert_eq!(points(&["5E", "7G"]), ["8F", "8G", "8H", "7H", "6H"]);
        let ring = points(&["5E", "5F"]);
        assert_eq!(ring, ["7H", "6H", "5H", "4H", "3H"], "two columns from Black's stone, three from the centre");
        // In the corner, where nothing may wrap around.
        let corner = points(&["5E", "1A", "9J", "1B"]);
        assert!(["2A", "2B", "2C", "1C", "9H", "8J", "8H"].iter().all(|point| corner.contains(&(*point).into())));
        assert_eq!(corner.len(), 8 + 4 + 3);
    }
}
