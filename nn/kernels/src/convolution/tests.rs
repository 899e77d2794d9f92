use super::*;
use crate::grid::Grid;
use crate::packed::zeros;
use crate::winograd::PAIRS;

/// Small numbers without a pattern.
fn numbers(len: usize, salt: usize) -> Vec<f32> {
    (0..len).map(|index| ((index * 7919 + salt * 104_729) % 199) as f32 / 100.0 - 1.0).collect()
}

/// A convolution over `boards` boards computed by the definition and by the kernels.
fn check(
    grid: Grid,
    boards: usize,
    inputs: usize,
    outputs: usize,
    kernel: usize,
    finish: Finish,
    bias_per_board: bool,
) {
    let (tables, taps) = (Boards::new(grid, boards), grid.taps(kernel));
    let matrix = numbers(taps.len() * inputs * outputs, 1);
    let mut layer = Convolution::direct(&tables, Window::Square(kernel), inputs, outputs, false);
    let weight = |tap, input, output| matrix[(tap * inputs + input) * outputs + output];
    layer.load(weight, &numbers(outputs, 3));
    let (rows, stride) = (tables.rows(Layout::Bordered).as_slice(), layer.stride());
    let mut input = Cells::new(grid, Layout::Bordered, boards, inputs);
    let values = numbers(rows.len() * inputs, 2);
    for (&cell, values) in rows.iter().zip(values.chunks_exact(inputs)) {
        input.numbers[cell as usize * inputs..][..inputs].copy_from_slice(values);
    }
    let mut bias = vec![0.0; boards * stride];
    for (board, bias) in bias.chunks_exact_mut(stride).enumerate() {
        bias[..outputs].copy_from_slice(&numbers(outputs, if bias_per_board { board + 3 } else { 3 }));
    }
    let mut output = Cells::new(grid, Layout::Bordered, boards, stride);
    let before = numbers(output.numbers.len(), 4);
    output.numbers.copy_from_slice(&before);
    layer.forward(
        &tables,
        boards,
        &input,
        bias_per_board.then_some(&bias[..]),
        &mut output,
        finish,
        &mut Workspace::for_lengths([layer.workspace_len()]),
    );
    for (index, &cell) in rows.iter().enumerate() {
        let cell = cell as usize;
        for column in 0..outputs {
            let products = taps.iter().enumerate().flat_map(|(tap, &step)| {
                let read = cell.wrapping_add_signed(step) * inputs;
                (0..inputs).map(move |channel| (tap, channel, read + channel))
            });
            let sum: f32 =
                products.map(|(tap, channel, read)| weight(tap, channel, column) * input.numbers[read]).sum();
            let bias = bias[index / grid.cells() * stride + column];
            let skip = if finish == Finish::AddAndRectify { before[cell * stride + column] } else { 0.0 };
            let expected = (sum + bias + skip).max(0.0);
            let found = output.numbers[cell * stride + column];
            assert!((found - expected).abs() < 1e-3, "{grid:?} {inputs}→{outputs}: {found} for {expected}");
        }
    }
    for cell in (0..boards * grid.bordered_cells()).filter(|&cell| !rows.contains(&(cell as u32))) {
        let of_cell = cell * stride..(cell + 1) * stride;
        assert_eq!(output.numbers[of_cell.clone()], before[of_cell], "the border is left alone");
    }
}

#[test]
fn convolutions_follow_the_definition() {
    check(Grid { height: 6, width: 6 }, 2, 64, 64, 3, Finish::AddAndRectify, false);
    check(Grid { height: 4, width: 4 }, 1, 5, 33, 3, Finish::Rectify, true);
    check(Grid { height: 3, width: 5 }, 3, 16, 3, 1, Finish::Rectify, false);
    check(Grid { height: 1, width: 1 }, 1, 1, 1, 3, Finish::AddAndRectify, true);
    check(Grid { height: 7, width: 6 }, 5, 8, 40, 3, Finish::AddAndRectify, true);
}

/// A convolution by its definition, in doubles, and by tiles: the greatest error of outputs of size about 1.
fn error_of_tiles(grid: Grid, sides: [Side; 2], boards: usize, inputs: usize, outputs: usize) -> f64 {
    let tables = Boards::new(grid, boards);
    let mut layer = Convolution::direct(&tables, Window::Square(3), inputs, outputs, false).with_tiles(&tables, sides);
    let size = 1.0 / (9.0 * inputs as f32).sqrt();
    let matrix: Vec<f32> = numbers(9 * inputs * outputs, 1).iter().map(|number| number * size).collect();
    let weight = |tap, input, output| matrix[(tap * inputs + input) * outputs + output];
    layer.load(weight, &numbers(outputs, 3));
    let mut input = Cells::new(grid, Layout::Bordered, boards, inputs);
    let rows = tables.rows(Layout::Bordered).as_slice();
    let values = numbers(rows.len() * inputs, 2);
    for (&cell, values) in rows.iter().zip(values.chunks_exact(inputs)) {
        input.numbers[cell as usize * inputs..][..inputs].copy_from_slice(values);
    }
    let mut output = Cells::new(grid, Layout::Dense, boards, layer.stride());
    let mut workspace = Workspace::for_lengths([layer.workspace_len()]);
    layer.forward(&tables, boards, &input, None, &mut output, Finish::Plain, &mut workspace);
    let (bias, taps) = (numbers(outputs, 3), grid.taps(3));
    let mut greatest: f64 = 0.0;
    for (index, &cell) in rows.iter().enumerate() {
        for (column, &bias) in bias.iter().enumerate() {
            let mut sum = f64::from(bias);
            for (tap, &step) in taps.iter().enumerate() {
                let read = (cell as usize).wrapping_add_signed(step) * inputs;
                for channel in 0..inputs {
                    sum += f64::from(weight(tap, channel, column)) * f64::from(input.numbers[read + channel]);
                }
            }
            greatest = greatest.max((f64::from(output.numbers[index * layer.stride() + column]) - sum).abs());
        }
    }
    greatest
}

#[test]
fn tiles_follow_the_definition() {
    let grids = [(1, 1), (2, 5), (3, 3), (4, 4), (6, 6), (7, 6), (9, 9), (13, 5), (19, 19)];
    for (number, (height, width)) in grids.into_iter().enumerate() {
        let grid = Grid { height, width };
        for (index, sides) in PAIRS.into_iter().enumerate() {
            let channels = [1, 7, 16, 33, 64, 100, 256];
            let (inputs, outputs) = (channels[(number + index) % 7], channels[(number * 3 + index * 2 + 1) % 7]);
            let error = error_of_tiles(grid, sides, 1 + (number + index) % 3, inputs, outputs);
            let bound = if sides.contains(&Side::Six) { 1e-4 } else { 3e-5 };
            assert!(error < bound, "{grid:?} {sides:?} {inputs}→{outputs}: {error}");
        }
    }
}

#[test]
fn gradients_by_tiles_are_the_direct_ones() {
    for (number, sides) in PAIRS.into_iter().flat_map(|sides| [sides; 2]).enumerate() {
        let grid =
            [Grid { height: 7, width: 6 }, Grid { height: 4, width: 9 }, Grid { height: 1, width: 1 }][number % 3];
        let (inputs, outputs, boards) =
            ([24, 5, 64][number / 3 % 3], [40, 70, 3][number % 3], [3, 40, 1][number / 3 % 3]);
        let tables = Boards::new(grid, boards);
        let matrix = numbers(9 * inputs * outputs, 1);
        let mut direct = Convolution::direct(&tables, Window::Square(3), inputs, outputs, true);
        let mut tiled = direct.clone().with_tiles(&tables, sides);
        let mut gradient = Cells::new(grid, Layout::Bordered, boards, direct.stride());
        let mut input = Cells::new(grid, Layout::Bordered, boards, inputs.next_multiple_of(4));
        for (index, &cell) in tables.rows(Layout::Bordered).as_slice().iter().enumerate() {
            let values = numbers(outputs, index);
            gradient.numbers[cell as usize * direct.stride()..][..outputs].copy_from_slice(&values);
            let values = numbers(inputs, index + 7);
            input.numbers[cell as usize * input.stride..][..inputs].copy_from_slice(&values);
        }
        let [expected, found] = [&mut direct, &mut tiled].map(|layer| {
            layer.load(|tap, input, output| matrix[(tap * inputs + input) * outputs + output], &[]);
            let mut output = Cells::new(grid, Layout::Dense, boards, layer.input_stride());
            output.numbers.fill(0.5);
            let mut workspace = Workspace::for_lengths([layer.training_workspace_len()]);
            let mut sums = vec![f32::NAN; layer.sums_len()];
            layer.gather_weights(&tables, boards, &input, &gradient, &mut sums, &mut workspace);
            layer.input_gradient(&tables, boards, &gradient, &mut output, true, &mut workspace);
            (output, sums)
        });
        for (expected, found) in expected.0.numbers.iter().zip(found.0.numbers.iter()) {
            assert!((expected - found).abs() < 1e-3, "{sides:?}: {found} for {expected}");
        }
        let size = (grid.cells() * boards) as f32;
        for (expected, found) in expected.1.iter().zip(&found.1) {
            assert!((expected - found).abs() < 2e-5 * size, "{grid:?} {sides:?}: a weight's {found} for {expected}");
        }
    }
}

#[test]
fn a_board_by_tiles_depends_on_itself_alone() {
    let (grid, channels, boards) = (Grid { height: 9, width: 9 }, 32, 7);
    let tables = Boards::new(grid, boards);
    let mut layer = Convolution::new(&tables, Window::Square(3), channels, channels, false);
    layer.load(|tap, input, output| ((tap + 3 * input + 7 * output) % 13) as f32 - 6.0, &numbers(channels, 3));
    let board_len = grid.bordered_cells() * channels;
    let mut input = Cells::new(grid, Layout::Bordered, boards, channels);
    for &cell in tables.rows(Layout::Bordered).as_slice() {
        input.numbers[cell as usize * channels..][..channels].copy_from_slice(&numbers(channels, cell as usize));
    }
    let mut workspace = Workspace::for_lengths([layer.workspace_len()]);
    let mut together = Cells::new(grid, Layout::Dense, boards, channels);
    layer.forward(&tables, boards, &input, None, &mut together, Finish::Plain, &mut workspace);
    for board in 0..boards {
        let mut own = Cells::new(grid, Layout::Bordered, 1, channels);
        own.numbers.copy_from_slice(&input.numbers[board * board_len..][..board_len]);
        let mut alone = Cells::new(grid, Layout::Dense, 1, channels);
        layer.forward(&tables, 1, &own, None, &mut alone, Finish::Plain, &mut workspace);
        assert_eq!(*alone.numbers, together.numbers[board * grid.cells() * channels..][..alone.numbers.len()]);
    }
}

#[test]
fn a_linear_layer_reads_a_whole_board() {
    let (boards, grid, outputs) = (13, Grid { height: 3, width: 4 }, 7);
    let cells = grid.cells();
    let matrix = numbers(cells * outputs, 2);
    let tables = Boards::new(grid, boards);
    let mut layer = Convolution::new(&tables, Window::Board, 1, outputs, false);
    layer.load(|cell, _, output| matrix[cell * outputs + output], &[0.5; 7]);
    let mut input = Cells::new(grid, Layout::Dense, boards, 1);
    input.numbers.copy_from_slice(&numbers(boards * cells, 1));
    let mut output = Cells::new(grid, Layout::Single, boards, layer.stride());
    layer.forward(&tables, boards, &input, None, &mut output, Finish::Plain, &mut Workspace::none());
    for board in 0..boards {
        for column in 0..outputs {
            let product = |k: usize| input.numbers[board * cells + k] * matrix[k * outputs + column];
            let sum: f32 = (0..cells).map(product).sum();
            assert!((output.numbers[board * layer.stride() + column] - sum - 0.5).abs() < 1e-4);
        }
    }
}

#[test]
#[should_panic(expected = "the last tap lies in the input")]
fn short_inputs_are_refused() {
    let boards = Boards::new(Grid { height: 2, width: 2 }, 1);
    let layer = Convolution::new(&boards, Window::Square(3), 1, 1, false);
    let input = Cells { numbers: zeros(15), stride: 1, layout: Layout::Bordered };
    let mut output = Cells::new(boards.grid, Layout::Bordered, 1, layer.stride());
    layer.forward(&boards, 1, &input, None, &mut output, Finish::Plain, &mut Workspace::none());
}
