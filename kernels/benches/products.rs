//! A 3×3 convolution of 64 channels in floats and in bytes, beside the multiply-add loop it is a share of.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use selfplay_kernels::packed::zeros;
use selfplay_kernels::peak::multiply_add_loop;
use selfplay_kernels::{
    Bias, Boards, ByteOutput, BytePath, ByteProduct, Cells, Convolution, Finish, Grid, Layout, PackedBytes, Window,
};

const CHANNELS: usize = 64;
/// As in a network of six blocks, so that the weights come from where they come from there.
const LAYERS: usize = 12;

fn convolutions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("convolution");
    for (side, boards) in [(6, 1), (6, 8), (19, 4)] {
        let grid = Grid { height: side, width: side };
        let (rows, taps) = (grid.rows(boards), grid.taps(3));
        let cells = boards * grid.bordered_cells();
        let operations = 2 * LAYERS * rows.len() * taps.len() * CHANNELS * CHANNELS;
        group.throughput(Throughput::Elements(operations as u64));
        let (numbers, mut bytes) = (vec![0.01; CHANNELS], zeros::<u8>(cells * CHANNELS));

        let tables = Boards::new(grid, boards);
        let mut layer = Convolution::new(&tables, Window::Square(3), CHANNELS, CHANNELS, false);
        layer.load(|_, _, _| 0.01, &numbers);
        let layers = vec![layer; LAYERS];
        let input = Cells::new(grid, Layout::Bordered, boards, CHANNELS);
        let mut output = input.clone();
        group.bench_function(format!("floats {side}×{side}, {boards} boards"), |bencher| {
            bencher.iter(|| {
                for layer in &layers {
                    layer.forward(&tables, boards, &input, None, &mut output, Finish::AddAndRectify);
                }
            });
        });

        let weights: Vec<_> =
            (0..LAYERS).map(|_| PackedBytes::new(BytePath::detect(), 9, CHANNELS, CHANNELS, |_, _| 1)).collect();
        let input = zeros::<u8>(cells * CHANNELS);
        group.bench_function(format!("bytes {side}×{side}, {boards} boards"), |bencher| {
            bencher.iter(|| {
                for weights in &weights {
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
                        output: ByteOutput::Bytes(&mut bytes),
                        output_stride: CHANNELS,
                        output_rows: &rows,
                    }
                    .compute(BytePath::detect());
                }
            });
        });
    }
    group.finish();
}

fn peak(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("peak");
    group.throughput(Throughput::Elements(multiply_add_loop(100_000)));
    group.bench_function("multiply-adds", |bencher| bencher.iter(|| multiply_add_loop(black_box(100_000))));
    group.finish();
}

criterion_group!(benches, peak, convolutions);
criterion_main!(benches);
