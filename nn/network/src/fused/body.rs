//! The tower in either precision: from encoded boards to the features that the heads read, layer by layer as the plan
//! says.

use std::sync::Arc;

use selfplay_kernels::{Boards, ByteOutput, Cells, Convolution, Finish, Layout, Window, Workspace};

use super::byte_layer::{ByteLayer, PLANE_ZERO, plane_byte};
use super::folded::FoldedLayer;
use super::precision::Precision;
use crate::plan::{Plan, Role, TowerLayer};
use crate::weights::NetworkWeights;

/// The tower's layers with what makes their pooled biases.
#[derive(Clone, Debug)]
pub(super) struct Body {
    plan: Arc<Plan>,
    precision: Precision,
    layers: Vec<(Layer, Option<Convolution>)>,
}

/// A convolution of the tower, rectified.
#[derive(Clone, Debug)]
enum Layer {
    Floats(Convolution, Finish),
    Bytes(ByteLayer),
}

/// The memory of one worker.
#[derive(Clone, Debug)]
pub(super) struct BodyScratch {
    /// The newest results of each role.
    results: [Buffer; Role::COUNT],
    /// Means and maxima of each board.
    summary: Cells,
    board_bias: Cells,
    workspace: Workspace,
}

/// Results for one role: bytes are only what another convolution of the tower reads.
#[derive(Clone, Debug)]
enum Buffer {
    Floats(Cells),
    Bytes(Cells<u8>),
}

impl Body {
    /// The tower in floats.
    pub fn in_floats(network: &NetworkWeights, boards: &Boards) -> Self {
        let layer = |_, planned: &TowerLayer, folded: &FoldedLayer| {
            let finish = if planned.skip.is_some() { Finish::AddAndRectify } else { Finish::Rectify };
            Layer::Floats(folded.packed(boards, Window::Square(planned.weights.kernel())), finish)
        };
        Self::new(network, boards, Precision::F32, layer, |_, bias| bias)
    }

    /// The tower in int8; `units` are what one step of a byte stands for, for each channel of each layer.
    pub fn in_bytes(network: &NetworkWeights, boards: &Boards, units: &[Vec<f32>]) -> Self {
        let layer = |number, planned: &TowerLayer, folded: &FoldedLayer| {
            Layer::Bytes(ByteLayer::new(boards, planned, folded, units, number))
        };
        Self::new(network, boards, Precision::Int8, layer, |number, bias| bias.in_units(&units[number]))
    }

    /// `layer` and `bias` make the layer with the given number, and its pooled bias, from what is folded.
    fn new(
        network: &NetworkWeights,
        boards: &Boards,
        precision: Precision,
        layer: impl Fn(usize, &TowerLayer, &FoldedLayer) -> Layer,
        bias: impl Fn(usize, FoldedLayer) -> FoldedLayer,
    ) -> Self {
        let plan = Arc::clone(network.plan());
        let layers = plan.tower.iter().enumerate().map(|(number, planned)| {
            let pooled_bias = planned.pooled_bias.as_ref().map(|pooled| {
                let folded = FoldedLayer::from_pooled_bias(network, &pooled.weights, planned);
                bias(number, folded).packed(boards, Window::Square(1))
            });
            (layer(number, planned, &FoldedLayer::from_conv_norm(network, planned)), pooled_bias)
        });
        Body { layers: layers.collect(), precision, plan }
    }

    /// What it computes in.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Numbers of a cell of the results of `role`; 0 if there are none.
    pub fn stride(&self, role: Role) -> usize {
        let mut layers = self.plan.tower.iter().zip(&self.layers);
        match role {
            Role::Planes => self.plan.tower[0].weights.inputs,
            _ => layers.find(|(planned, _)| planned.role() == role).map_or(0, |(_, (layer, _))| layer.stride()),
        }
    }

    pub fn scratch(&self, boards: &Boards) -> BodyScratch {
        let buffer = |role: Role| {
            let stride = self.stride(role);
            let layout = if role.needs_border() { Layout::Bordered } else { Layout::Dense };
            if self.precision == Precision::F32 || !role.needs_border() {
                return Buffer::Floats(Cells::new(boards.grid, layout, boards.capacity, stride));
            }
            let mut cells = Cells::new(boards.grid, layout, boards.capacity, stride);
            let overread = |(layer, _): &(Layer, _)| if let Layer::Bytes(layer) = layer { layer.overread() } else { 0 };
            let overread = self.layers.iter().map(overread).max().unwrap_or(0);
            cells.numbers.resize(cells.numbers.len() + overread, 0);
            cells.numbers.fill(if role == Role::Planes { PLANE_ZERO } else { 0 });
            Buffer::Bytes(cells)
        };
        let mut layers = self.plan.tower.iter().zip(&self.layers);
        let sizes = layers
            .find_map(|(planned, (layer, _))| Some((planned.pooled_bias.as_ref()?.weights.fan_in(), layer.stride())));
        let (summary, bias) = sizes.unwrap_or_default();
        let single = |stride| Cells::new(boards.grid, Layout::Single, boards.capacity, stride);
        let workspace = |(layer, _): &(Layer, _)| match layer {
            Layer::Floats(convolution, _) => convolution.workspace_len(),
            Layer::Bytes(_) => 0,
        };
        BodyScratch {
            results: Role::ALL.map(buffer),
            summary: single(summary),
            board_bias: single(bias),
            workspace: Workspace::for_lengths(self.layers.iter().map(workspace)),
        }
    }

    /// Computes the first `count` boards; `observe` sees each buffer of floats as soon as the layer with the given
    /// number has written it.
    pub fn forward(
        &self,
        boards: &Boards,
        scratch: &mut BodyScratch,
        count: usize,
        mut observe: impl FnMut(usize, &Cells),
    ) {
        let BodyScratch { results, summary, board_bias, workspace } = scratch;
        for (number, (planned, (layer, linear))) in self.plan.tower.iter().zip(&self.layers).enumerate() {
            let bias = planned.pooled_bias.as_ref().zip(linear.as_ref()).map(|(bias, linear)| {
                let features = results[self.plan.role(Some(bias.features)) as usize].floats();
                features.mean_and_max(boards.grid.cells(), count, bias.weights.inputs, summary, |_, _| {});
                linear.forward(boards, count, summary, None, board_bias, Finish::Plain, workspace);
                &board_bias.numbers[..]
            });
            let places = [self.plan.role(planned.input) as usize, planned.role() as usize];
            let [input, output] = results.get_disjoint_mut(places).expect("a layer reads elsewhere than it writes");
            match (layer, &*input, &mut *output) {
                (Layer::Floats(convolution, finish), Buffer::Floats(input), Buffer::Floats(output)) => {
                    convolution.forward(boards, count, input, bias, output, *finish, workspace);
                }
                (Layer::Bytes(layer), Buffer::Bytes(input), Buffer::Bytes(Cells { numbers, layout, .. })) => {
                    layer.compute(boards, count, input, bias, ByteOutput::Bytes(numbers), *layout);
                }
                (Layer::Bytes(layer), Buffer::Bytes(input), Buffer::Floats(Cells { numbers, layout, .. })) => {
                    let output = ByteOutput::Floats { numbers, rectifies: true };
                    layer.compute(boards, count, input, bias, output, *layout);
                }
                _ => unreachable!("the memory was made by this tower"),
            }
            if let Buffer::Floats(cells) = output {
                observe(number, cells);
            }
        }
    }
}

impl BodyScratch {
    /// Takes in `planes`, `[planes, height, width]`, as board number `board`.
    pub fn load(&mut self, boards: &Boards, board: usize, planes: &[f32]) {
        match &mut self.results[Role::Planes as usize] {
            Buffer::Floats(cells) => cells.load(boards, board, planes, |number| number),
            Buffer::Bytes(cells) => cells.load(boards, board, planes, plane_byte),
        }
    }

    /// The results that a head reads.
    pub fn features(&self, role: Role) -> &Cells {
        self.results[role as usize].floats()
    }
}

impl Buffer {
    fn floats(&self) -> &Cells {
        match self {
            Buffer::Floats(cells) => cells,
            Buffer::Bytes(_) => unreachable!("what is pooled and what heads read are floats"),
        }
    }
}

impl Layer {
    /// Numbers of a cell that the layer writes.
    fn stride(&self) -> usize {
        match self {
            Layer::Floats(convolution, _) => convolution.stride(),
            Layer::Bytes(layer) => layer.stride(),
        }
    }
}
