//! Products of bytes in plain code: the definition that the vector paths are tested against.

use super::{ByteOutput, ByteProduct, GROUP, PANEL_WIDTH};

pub(super) fn compute(mut product: ByteProduct<'_>) {
    let weights = product.weights;
    let panel_len = weights.taps * weights.groups() * GROUP * PANEL_WIDTH;
    for index in 0..product.count {
        let from = product.input_rows.as_slice()[index] as usize;
        let to = product.output_rows.as_slice()[index] as usize * product.output_stride;
        let bias = &product.bias.numbers[product.bias_start(index)..];
        for (panel, panel_weights) in weights.panels.chunks_exact(panel_len).enumerate() {
            let mut sums = [0_i32; PANEL_WIDTH];
            for (&tap, weights_of_tap) in product.taps.iter().zip(panel_weights.chunks_exact(panel_len / weights.taps))
            {
                let cell = &product.input[from.wrapping_add_signed(tap) * product.input_stride..];
                let (groups, _) = cell.as_chunks::<GROUP>();
                let (rows, _) = weights_of_tap.as_chunks::<{ GROUP * PANEL_WIDTH }>();
                for (group, row) in groups.iter().zip(rows) {
                    let (columns, _) = row.as_chunks::<GROUP>();
                    for (sum, column) in sums.iter_mut().zip(columns) {
                        for (&byte, &weight) in group.iter().zip(column) {
                            *sum += i32::from(byte) * i32::from(weight);
                        }
                    }
                }
            }
            for (column, &sum) in sums.iter().enumerate() {
                let output = panel * PANEL_WIDTH + column;
                // A multiply-add with one rounding, as the vector paths do it.
                let mut result = (sum as f32).mul_add(product.scale[output], bias[output]);
                match &mut product.output {
                    ByteOutput::Bytes(bytes) => {
                        let byte = &mut bytes[to + output];
                        if let Some(skip) = product.skip {
                            result = f32::from(*byte).mul_add(skip[output], result);
                        }
                        *byte = result.clamp(0.0, 255.0).round_ties_even() as u8;
                    }
                    ByteOutput::Floats { numbers, rectifies } => {
                        numbers[to + output] = if *rectifies { result.max(0.0) } else { result };
                    }
                }
            }
        }
    }
}
