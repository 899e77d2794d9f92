//! A layer of the network by itself: a 3×3 convolution of 64 channels by every way there is, as a share of the peak. Ways
//! with fewer multiplications than the definition may exceed it.

use selfplay_kernels::packed::zeros;
use selfplay_kernels::{
    Bias, Boards, ByteOutput, BytePath, ByteProduct, Cells, Convolution, Finish, Grid, Layout, PackedBytes, Side,
    Window, Workspace,
};

use super::measure::{Bench, Rate, Report};

const SECTION: &str = "kernels";
const CHANNELS: usize = 64;
/// As in a network of six blocks, so that the weights come from where they come from there.
const LAYERS: usize = 12;
/// Rows, columns, and boards that are judged together.
const SIZES: [(usize, usize, usize); 7] =
    [(4, 4, 8), (6, 6, 1), (6, 6, 8), (6, 6, 16), (7, 6, 8), (9, 9, 8), (19, 19, 4)];
/// Tiles of `F(m, 3)` along rows and columns.
const TILES: [(&str, [Side; 2]); 5] = [
    ("F(3)", [Side::Three, Side::Three]),
    ("F(4)", [Side::Four, Side::Four]),
    ("F(5)", [Side::Five, Side::Five]),
    ("F(6)", [Side::Six, Side::Six]),
    ("F(4)×F(6)", [Side::Four, Side::Six]),
];

/// Measures it on all threads, each with boards of its own; the weights are shared, as a network's are.
pub fn measure(bench: &Bench, report: &mut Report) {
    let mut rates: Vec<Rate<'_>> = vec![Box::new(|| bench.peak())];
    for (height, width, boards) in SIZES {
        let grid = Grid { height, width };
        for sides in [None].into_iter().chain(TILES.map(|(_, sides)| Some(sides))) {
            rates.push(Box::new(move || {
                let layers = layers_of(grid, boards, sides);
                bench.rate_on(bench.threads, || floats(grid, boards, &layers))
            }));
        }
        rates.push(Box::new(move || bench.rate_on(bench.threads, || bytes(grid, boards))));
    }
    let medians = bench.medians(&mut rates);
    let peak = medians[0];
    report.row(SECTION, "peak of the cores, multiply-adds", peak / 1e9, "GFLOP/s");
    let ways = ["direct"].into_iter().chain(TILES.map(|(name, _)| name)).chain(["bytes"]);
    for ((height, width, boards), rates) in SIZES.iter().zip(medians[1..].chunks_exact(TILES.len() + 2)) {
        for (way, rate) in ways.clone().zip(rates) {
            report.row(SECTION, format!("{height}×{width}, batch {boards}, {way}, share of peak"), rate / peak, "");
        }
    }
}

/// What a convolution costs by its definition, borders included as far as they are multiplied.
fn operations(grid: Grid, boards: usize) -> u64 {
    (2 * LAYERS * grid.rows(boards).len() * grid.taps(3).len() * CHANNELS * CHANNELS) as u64
}

/// All layers, by tiles if there are any.
fn layers_of(grid: Grid, boards: usize, tiles: Option<[Side; 2]>) -> Vec<Convolution> {
    let tables = Boards::new(grid, boards);
    let mut layer = Convolution::direct(&tables, Window::Square(3), CHANNELS, CHANNELS, false);
    if let Some(sides) = tiles {
        layer = layer.with_tiles(&tables, sides);
    }
    layer.load(|_, _, _| 0.01, &[0.01; CHANNELS]);
    vec![layer; LAYERS]
}

/// Computes all layers once, on boards of the caller's own; returns the operations of their definition.
fn floats(grid: Grid, boards: usize, layers: &[Convolution]) -> impl FnMut() -> u64 {
    let tables = Boards::new(grid, boards);
    let input = Cells::new(grid, Layout::Bordered, boards, CHANNELS);
    let mut output = input.clone();
    let mut workspace = Workspace::for_lengths(layers.iter().map(Convolution::workspace_len));
    move || {
        for layer in layers {
            layer.forward(&tables, boards, &input, None, &mut output, Finish::AddAndRectify, &mut workspace);
        }
        operations(grid, boards)
    }
}

/// The same in int8.
fn bytes(grid: Grid, boards: usize) -> impl FnMut() -> u64 {
    let path = BytePath::detect();
    let (rows, taps) = (grid.rows(boards), grid.taps(3));
    let layers: Vec<_> = (0..LAYERS).map(|_| PackedBytes::new(path, 9, CHANNELS, CHANNELS, |_, _| 1)).collect();
    let numbers = [0.01; CHANNELS];
    let cells = boards * grid.bordered_cells() * CHANNELS;
    let (input, mut output) = (zeros::<u8>(cells), zeros::<u8>(cells));
    move || {
        for weights in &layers {
            ByteProduct {
                count: rows.len(),
                input: &input,
                input_stride: CHANNELS,
                input_rows: &rows,
                taps: &taps,
                weights,
                scale: &numbers,
                bias: Bias { numbers: &numbers, cells_per_board: None },
                skip: Some(&numbers),
                output: ByteOutput::Bytes(&mut output),
                output_stride: CHANNELS,
                output_rows: &rows,
            }
            .compute(path);
        }
        operations(grid, boards)
    }
}
