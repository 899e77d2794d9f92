//! Products of bytes with AMX, the matrix unit of newer Intel servers: 16,384 multiply-adds an instruction.
//!
//! An instruction multiplies a tile of 16 cells × 64 inputs with a tile of 64 inputs × 16 outputs. Cells lie anywhere,
//! a tile's rows must not, so the cells around 32 cells are copied side by side first; the copy serves all outputs.
//! Weights need no other order than the one they have. There are no intrinsics for these instructions in stable Rust,
//! hence the assembly; the compiler itself never touches a tile register.
#![allow(unsafe_code, reason = "assembly and pointers; `ByteProduct::check` has checked every range")]

use std::arch::asm;
use std::arch::x86_64::{__cpuid_count, __m512i, _mm512_loadu_si512, _mm512_setzero_si512};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use super::vnni::{self, VECTORS};
use super::{ByteProduct, GROUP, PANEL_WIDTH, TILE_DEPTH as DEPTH};

/// Cells of a tile, and outputs of one.
const TILE: usize = 16;
/// Cells computed together: two tiles.
const CELLS: usize = 2 * TILE;
/// Tiles of inputs that a sum is made of, at most: a 3×3 convolution of 256 channels.
const MAX_STEPS: usize = 36;

/// Inputs of [`CELLS`] cells, 64 of each in each step.
type Gathered = [MaybeUninit<__m512i>; MAX_STEPS * CELLS];

/// Sums of [`CELLS`] cells and one panel of outputs.
type Sums = [[__m512i; VECTORS]; CELLS];

/// The shapes of the tile registers (Intel's manual, volume 1, section 18.2.1): palette 1, 16 rows of 64 bytes each.
#[repr(C, align(64))]
struct TileConfig {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

static CONFIG: TileConfig = TileConfig {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    row_bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// Whether the CPU has the unit and the system lets this process use it.
pub(super) fn is_usable() -> bool {
    static USABLE: OnceLock<bool> = OnceLock::new();
    *USABLE.get_or_init(|| {
        const TILES_AND_BYTES: u32 = 1 << 24 | 1 << 25;
        vnni::is_usable() && __cpuid_count(7, 0).edx & TILES_AND_BYTES == TILES_AND_BYTES && is_permitted()
    })
}

/// Asks Linux for the tile registers, which it gives to processes that ask only (they make a thread's state larger).
#[cfg(target_os = "linux")]
fn is_permitted() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_long = 18;
    // SAFETY: the call takes two numbers and touches no memory.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn is_permitted() -> bool {
    false
}

/// Whether the layer fills tiles: others are for [`vnni`].
pub(super) fn suits(product: &ByteProduct<'_>) -> bool {
    let inputs = product.weights.padded_inputs();
    let steps = product.weights.taps * (inputs / DEPTH);
    inputs.is_multiple_of(DEPTH) && (1..=MAX_STEPS).contains(&steps)
}

/// # Panics
/// If the CPU lacks the unit, or the layer does not [suit](suits) it.
pub(super) fn compute(product: ByteProduct<'_>) {
    assert!(is_usable() && suits(&product), "tiles need a CPU and a layer for them");
    // SAFETY: the instructions are there.
    unsafe { compute_tiles(product) }
}

/// # Safety
/// The CPU has the unit and AVX-512 VNNI, and the layer suits.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn compute_tiles(mut product: ByteProduct<'_>) {
    let mut gathered: Gathered = [MaybeUninit::uninit(); MAX_STEPS * CELLS];
    let mut sums: Sums = [[_mm512_setzero_si512(); VECTORS]; CELLS];
    // SAFETY: the unit is there. Tiles are configured from here to the release; nothing in between changes that.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const CONFIG, options(nostack, readonly)) };
    for first in (0..product.count).step_by(CELLS) {
        let cells = CELLS.min(product.count - first);
        // SAFETY: `ByteProduct::check` has seen that all cells lie in the buffers.
        unsafe {
            let steps = gather(&product, first, cells, &mut gathered);
            for panel in 0..product.weights.padded_outputs() / PANEL_WIDTH {
                multiply(&product, panel, steps, cells > TILE, &gathered, &mut sums);
                vnni::finish(&mut product, panel, first, &sums[..cells]);
            }
        }
    }
    // SAFETY: the unit is there.
    unsafe { asm!("tilerelease", options(nostack, nomem)) };
}

/// Copies what the sums of `cells` cells are made of, and returns how many steps that is.
///
/// # Safety
/// The product passed `ByteProduct::check`, `first + cells` is at most its count, and it suits.
#[target_feature(enable = "avx512f")]
unsafe fn gather(product: &ByteProduct<'_>, first: usize, cells: usize, gathered: &mut Gathered) -> usize {
    let rows = &product.input_rows.as_slice()[first..first + cells];
    let depths = product.weights.padded_inputs() / DEPTH;
    // Cells that fill up the last tile are copies of the last: their sums are not stored.
    let filled = cells.next_multiple_of(TILE);
    for index in 0..filled {
        let cell = product.input.as_ptr().wrapping_add(rows[index.min(cells - 1)] as usize * product.input_stride);
        for (tap, &step) in product.taps.iter().enumerate() {
            let from = cell.wrapping_offset(step * product.input_stride as isize);
            for depth in 0..depths {
                // SAFETY: the row is one of the first `count`, so `ByteProduct::check` has seen that its cell, moved by any tap,
                // has all padded inputs in the buffer: `depths` times 64 bytes.
                let inputs = unsafe { _mm512_loadu_si512(from.add(depth * DEPTH).cast()) };
                gathered[(tap * depths + depth) * CELLS + index].write(inputs);
            }
        }
    }
    product.taps.len() * depths
}

/// Computes the sums of one panel for the gathered cells, for the first tile of them alone unless `both`.
///
/// # Safety
/// Tiles are configured by `CONFIG`, and `steps` steps, at least one, are gathered: of all cells if `both`, else of the first
/// tile.
unsafe fn multiply(
    product: &ByteProduct<'_>,
    panel: usize,
    steps: usize,
    both: bool,
    gathered: &Gathered,
    sums: &mut Sums,
) {
    let panel_len = steps * DEPTH * PANEL_WIDTH;
    let weights = product.weights.panels[panel * panel_len..][..panel_len].as_ptr();
    let cells = gathered.as_ptr();
    let sums = sums.as_mut_ptr();
    // Registers 0 to 3 hold sums, 4 and 5 cells, 6 and 7 weights. A row of weights has 32 outputs, 128 bytes, and so
    // does a row of sums; a step has 16 rows of weights and 32 rows of cells, 2048 bytes each.
    const { assert!(DEPTH / GROUP * PANEL_WIDTH * GROUP == 2048 && CELLS * DEPTH == 2048) };
    // SAFETY: each step reads at most 2048 bytes of the gathered cells, of which `steps` are initialised, and 2048 of the weights, which
    // the slice above has; `Sums` has the 4096 bytes that are written. The registers named are all that change.
    unsafe {
        if both {
            asm!(
                "tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3",
                "2:",
                "tileloadd tmm4, [{cells} + {narrow}]",
                "tileloadd tmm6, [{weights} + {wide}]",
                "tileloadd tmm7, [{weights} + {wide} + 64]",
                "tileloadd tmm5, [{cells} + {narrow} + 1024]",
                "tdpbusd tmm0, tmm4, tmm6",
                "tdpbusd tmm1, tmm4, tmm7",
                "tdpbusd tmm2, tmm5, tmm6",
                "tdpbusd tmm3, tmm5, tmm7",
                "add {cells}, 2048",
                "add {weights}, 2048",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{sums} + {wide}], tmm0",
                "tilestored [{sums} + {wide} + 64], tmm1",
                "tilestored [{sums} + {wide} + 2048], tmm2",
                "tilestored [{sums} + {wide} + 2112], tmm3",
                cells = inout(reg) cells => _,
                weights = inout(reg) weights => _,
                steps = inout(reg) steps => _,
                sums = in(reg) sums,
                narrow = in(reg) 64_usize,
                wide = in(reg) 128_usize,
                options(nostack),
            );
        } else {
            asm!(
                "tilezero tmm0", "tilezero tmm1",
                "2:",
                "tileloadd tmm4, [{cells} + {narrow}]",
                "tileloadd tmm6, [{weights} + {wide}]",
                "tileloadd tmm7, [{weights} + {wide} + 64]",
                "tdpbusd tmm0, tmm4, tmm6",
                "tdpbusd tmm1, tmm4, tmm7",
                "add {cells}, 2048",
                "add {weights}, 2048",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{sums} + {wide}], tmm0",
                "tilestored [{sums} + {wide} + 64], tmm1",
                cells = inout(reg) cells => _,
                weights = inout(reg) weights => _,
                steps = inout(reg) steps => _,
                sums = in(reg) sums,
                narrow = in(reg) 64_usize,
                wide = in(reg) 128_usize,
                options(nostack),
            );
        }
    }
}
