//! The network for other tools: as an ONNX model, norms folded into the convolutions, and as named weights with what
//! they mean.
//!
//! ONNX files are protocol buffers; the messages below are the part of `onnx.proto` (ONNX 1.15, IR version 8, opset 17)
//! that a policy/value network needs, field numbers as there.

use std::collections::HashMap;

use prost::Message;
use selfplay_env::{PolicyShape, Rules};

use crate::error::NetworkError;
use crate::fused::folded::FoldedLayer;
use crate::manifest::Manifest;
use crate::plan::{LayerId, Reads, Role, TowerLayer};
use crate::tensor_file::encode_with_metadata;
use crate::weights::NetworkWeights;

const IR_VERSION: i64 = 8;
const OPSET: i64 = 17;
/// `TensorProto.DataType`.
const FLOAT: i32 = 1;
const INT64: i32 = 7;
/// `AttributeProto.AttributeType`.
const INT: i32 = 2;
const INTS: i32 = 7;

#[derive(Clone, PartialEq, Message)]
struct ModelProto {
    #[prost(int64, tag = "1")]
    ir_version: i64,
    #[prost(string, tag = "2")]
    producer_name: String,
    #[prost(string, tag = "3")]
    producer_version: String,
    #[prost(string, tag = "6")]
    doc_string: String,
    #[prost(message, optional, tag = "7")]
    graph: Option<GraphProto>,
    #[prost(message, repeated, tag = "8")]
    opset_import: Vec<OperatorSetIdProto>,
    #[prost(message, repeated, tag = "14")]
    metadata_props: Vec<StringStringEntryProto>,
}

#[derive(Clone, PartialEq, Message)]
struct OperatorSetIdProto {
    #[prost(string, tag = "1")]
    domain: String,
    #[prost(int64, tag = "2")]
    version: i64,
}

#[derive(Clone, PartialEq, Message)]
struct StringStringEntryProto {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct GraphProto {
    #[prost(message, repeated, tag = "1")]
    node: Vec<NodeProto>,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(message, repeated, tag = "5")]
    initializer: Vec<TensorProto>,
    #[prost(message, repeated, tag = "11")]
    input: Vec<ValueInfoProto>,
    #[prost(message, repeated, tag = "12")]
    output: Vec<ValueInfoProto>,
}

#[derive(Clone, PartialEq, Message)]
struct NodeProto {
    #[prost(string, repeated, tag = "1")]
    input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    output: Vec<String>,
    #[prost(string, tag = "3")]
    name: String,
    #[prost(string, tag = "4")]
    op_type: String,
    #[prost(message, repeated, tag = "5")]
    attribute: Vec<AttributeProto>,
}

#[derive(Clone, PartialEq, Message)]
struct AttributeProto {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(int64, tag = "3")]
    i: i64,
    #[prost(int64, repeated, tag = "8")]
    ints: Vec<i64>,
    #[prost(int32, tag = "20")]
    r#type: i32,
}

#[derive(Clone, PartialEq, Message)]
struct TensorProto {
    #[prost(int64, repeated, tag = "1")]
    dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    data_type: i32,
    #[prost(string, tag = "8")]
    name: String,
    /// Little-endian.
    #[prost(bytes = "vec", tag = "9")]
    raw_data: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct ValueInfoProto {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "2")]
    r#type: Option<TypeProto>,
}

#[derive(Clone, PartialEq, Message)]
struct TypeProto {
    #[prost(message, optional, tag = "1")]
    tensor_type: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
struct TensorType {
    #[prost(int32, tag = "1")]
    elem_type: i32,
    #[prost(message, optional, tag = "2")]
    shape: Option<TensorShapeProto>,
}

#[derive(Clone, PartialEq, Message)]
struct TensorShapeProto {
    #[prost(message, repeated, tag = "1")]
    dim: Vec<Dimension>,
}

#[derive(Clone, PartialEq, Message)]
struct Dimension {
    #[prost(oneof = "DimensionValue", tags = "1, 2")]
    value: Option<DimensionValue>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum DimensionValue {
    #[prost(int64, tag = "1")]
    Number(i64),
    #[prost(string, tag = "2")]
    Name(String),
}

/// The bytes of an ONNX file.
///
/// Input `planes` `[batch, planes, height, width]`; outputs `policy_logits` `[batch, actions]` and `wdl_logits` `[batch, 3]`
/// (win, draw, loss for the side to move), both before any softmax, `policy_logits` before the mask of illegal actions.
/// The metadata say what each plane and action index means and where the weights come from.
///
/// # Panics
/// If `network` was made for another game.
pub fn encode(rules: &dyn Rules, network: &NetworkWeights, manifest: &Manifest) -> Vec<u8> {
    let shape = network.shape();
    assert_eq!(shape.game, rules.id(), "the network plays another game");
    let mut graph = Graph::default();
    let plan = network.plan();
    let trunk = graph.trunk(network);
    let policy = graph.layer(network, &trunk, plan.at(LayerId::Policy));
    match plan.policy_output.reads {
        Reads::Window(_) => {
            let planes = graph.conv(&policy, "policy.output", &FoldedLayer::from_conv(network, &plan.policy_output));
            graph.node("Flatten", &[&planes], "policy_logits", Vec::new());
        }
        _ => {
            let flat = graph.node("Flatten", &[&policy], "policy.flat", Vec::new());
            let output = FoldedLayer::from_linear(network, &plan.policy_output, 1);
            graph.linear(&flat, "policy.output", &output, "policy_logits");
        }
    }
    let value = graph.layer(network, &trunk, plan.at(LayerId::Value));
    let value = match plan.value_hidden.reads {
        Reads::MeanAndMax => graph.mean_and_max(&value, "value"),
        _ => graph.node("Flatten", &[&value], "value.flat", Vec::new()),
    };
    let hidden = FoldedLayer::from_linear(network, &plan.value_hidden, 1);
    let hidden = graph.linear(&value, "value.hidden", &hidden, "value.hidden.sum");
    let hidden = graph.node("Relu", &[&hidden], "value.hidden.rectified", Vec::new());
    let output = FoldedLayer::from_linear(network, &plan.value_output, 1);
    graph.linear(&hidden, "value.output", &output, "wdl_logits");

    let of_batch = |sizes: &[usize]| {
        let batch = Dimension { value: Some(DimensionValue::Name("batch".into())) };
        let sizes = sizes.iter().map(|&size| Dimension { value: Some(DimensionValue::Number(size as i64)) });
        TensorShapeProto { dim: std::iter::once(batch).chain(sizes).collect() }
    };
    let tensor = |name: &str, sizes: &[usize]| ValueInfoProto {
        name: name.into(),
        r#type: Some(TypeProto { tensor_type: Some(TensorType { elem_type: FLOAT, shape: Some(of_batch(sizes)) }) }),
    };
    let model = ModelProto {
        ir_version: IR_VERSION,
        producer_name: "selfplay".into(),
        producer_version: env!("CARGO_PKG_VERSION").into(),
        doc_string: format!("Policy and value of {}", rules.title()),
        graph: Some(GraphProto {
            node: graph.nodes,
            name: shape.game.into(),
            initializer: graph.weights,
            input: vec![tensor("planes", &[shape.planes, shape.height, shape.width])],
            output: vec![tensor("policy_logits", &[shape.action_count]), tensor("wdl_logits", &[3])],
        }),
        opset_import: vec![OperatorSetIdProto { domain: String::new(), version: OPSET }],
        metadata_props: meaning(rules, manifest)
            .into_iter()
            .map(|(key, value)| StringStringEntryProto { key, value })
            .collect(),
    };
    model.encode_to_vec()
}

/// The bytes of a safetensors file with the weights under the names they have in checkpoints (convolutions and norms
/// apart) and the same metadata as the ONNX model.
///
/// # Errors
/// [`NetworkError::UnfitTensors`], which no network of ours meets.
///
/// # Panics
/// If `network` was made for another game.
pub fn safetensors(rules: &dyn Rules, network: &NetworkWeights, manifest: &Manifest) -> Result<Vec<u8>, NetworkError> {
    assert_eq!(network.shape().game, rules.id(), "the network plays another game");
    let metadata: HashMap<String, String> = meaning(rules, manifest).into_iter().collect();
    encode_with_metadata(network.tensors(), metadata).map_err(|error| error.in_file("safetensors".into()))
}

/// What planes, actions and outputs mean, as keys and values.
fn meaning(rules: &dyn Rules, manifest: &Manifest) -> Vec<(String, String)> {
    let planes: Vec<String> =
        rules.plane_names().iter().enumerate().map(|(number, name)| format!("{number}: {name}")).collect();
    let shape = rules.shape();
    let actions = match shape.policy {
        PolicyShape::Planes(planes) => format!(
            "index = (plane * {height} + row) * {width} + column, {planes} planes",
            height = shape.height,
            width = shape.width
        ),
        PolicyShape::Dense => "an index for each move".into(),
    };
    let provenance = &manifest.provenance;
    let entries = [
        ("game", shape.game.to_owned()),
        ("encoding_version", shape.encoding_version.to_string()),
        ("planes", planes.join("; ")),
        ("actions", actions),
        ("wdl", "win, draw, loss for the side to move".into()),
        ("generation", provenance.generation.to_string()),
        ("step", provenance.step.to_string()),
        ("seed", provenance.seed.to_string()),
    ];
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Collects the nodes and weights of a graph.
#[derive(Default)]
struct Graph {
    nodes: Vec<NodeProto>,
    weights: Vec<TensorProto>,
}

impl Graph {
    /// Adds a node with one output, whose name it returns.
    fn node(&mut self, op_type: &str, input: &[&str], output: &str, attribute: Vec<AttributeProto>) -> String {
        self.nodes.push(NodeProto {
            input: input.iter().map(|&name| name.into()).collect(),
            output: vec![output.into()],
            name: format!("{op_type} {output}"),
            op_type: op_type.into(),
            attribute,
        });
        output.into()
    }

    fn floats(&mut self, name: String, dims: &[usize], values: impl Iterator<Item = f32>) -> String {
        let raw_data = values.flat_map(f32::to_le_bytes).collect();
        let dims = dims.iter().map(|&dim| dim as i64).collect();
        self.weights.push(TensorProto { dims, data_type: FLOAT, name: name.clone(), raw_data });
        name
    }

    fn conv(&mut self, x: &str, name: &str, layer: &FoldedLayer) -> String {
        let FoldedLayer { taps, inputs, outputs, .. } = *layer;
        let kernel = if taps == 1 { 1 } else { 3 };
        // From `[taps, inputs, outputs]` to ONNX's `[outputs, inputs, kernel, kernel]`.
        let order = (0..outputs * inputs * taps).map(|index| {
            let (output, input, tap) = (index / (inputs * taps), index / taps % inputs, index % taps);
            layer.weight(tap * inputs + input, output)
        });
        let weight = self.floats(format!("{name}.weight"), &[outputs, inputs, kernel, kernel], order);
        let bias = self.floats(format!("{name}.bias"), &[outputs], layer.bias.iter().copied());
        let attributes = vec![ints("kernel_shape", &[kernel as i64; 2]), ints("pads", &[(kernel / 2) as i64; 4])];
        self.node("Conv", &[x, &weight, &bias], &format!("{name}.sum"), attributes)
    }

    /// A linear layer that reads one flat row for each board.
    fn linear(&mut self, x: &str, name: &str, layer: &FoldedLayer, output: &str) -> String {
        let weight =
            self.floats(format!("{name}.weight"), &[layer.inputs, layer.outputs], layer.weights.iter().copied());
        let bias = self.floats(format!("{name}.bias"), &[layer.outputs], layer.bias.iter().copied());
        self.node("Gemm", &[x, &weight, &bias], output, Vec::new())
    }

    /// The tower as far as both heads share it; gives the newest results of each role.
    fn trunk(&mut self, network: &NetworkWeights) -> [String; Role::COUNT] {
        let mut newest = [const { String::new() }; Role::COUNT];
        newest[Role::Planes as usize] = "planes".into();
        // What is pooled comes with the bias that is made of it.
        let shared = network.plan().tower.iter().filter(|layer| matches!(layer.role(), Role::Trunk | Role::Inner));
        for layer in shared {
            newest[layer.role() as usize] = self.layer(network, &newest, layer);
        }
        newest
    }

    /// A layer of the tower and, before its bias, the layer that this is pooled from; `newest` are the results of each role.
    fn layer(&mut self, network: &NetworkWeights, newest: &[String], layer: &TowerLayer) -> String {
        let plan = network.plan();
        let (name, result) = names(layer.place);
        let mut folded = FoldedLayer::from_conv_norm(network, layer);
        if layer.pooled_bias.is_some() {
            // The bias of the whole comes from the pooled features.
            folded.bias.fill(0.0);
        }
        let mut sum = self.conv(&newest[plan.role(layer.input) as usize], &name, &folded);
        if let Some(bias) = &layer.pooled_bias {
            let features = self.layer(network, newest, &plan.tower[bias.features]);
            let (pooling, _) = names(plan.tower[bias.features].place);
            let pooled = self.mean_and_max(&features, &pooling);
            let folded = FoldedLayer::from_pooled_bias(network, &bias.weights, layer);
            let bias = self.linear(&pooled, &format!("{pooling}.bias"), &folded, &format!("{pooling}.bias.sum"));
            let axes = self.integers(format!("{pooling}.axes"), &[2, 3]);
            let bias = self.node("Unsqueeze", &[&bias, &axes], &format!("{pooling}.bias.board"), Vec::new());
            sum = self.node("Add", &[&sum, &bias], &format!("{name}.biased"), Vec::new());
        }
        if layer.skip.is_some() {
            let skipped = format!("{}.skipped", result.trim_end_matches(".out"));
            sum = self.node("Add", &[&sum, &newest[layer.role() as usize]], &skipped, Vec::new());
        }
        self.node("Relu", &[&sum], &result, Vec::new())
    }

    /// Mean over the board of every channel, then the maximum of every channel, flat.
    fn mean_and_max(&mut self, x: &str, name: &str) -> String {
        let mean = self.node("GlobalAveragePool", &[x], &format!("{name}.mean"), Vec::new());
        let max = self.node("GlobalMaxPool", &[x], &format!("{name}.max"), Vec::new());
        let axis = AttributeProto { name: "axis".into(), i: 1, ints: Vec::new(), r#type: INT };
        let both = self.node("Concat", &[&mean, &max], &format!("{name}.summary"), vec![axis]);
        self.node("Flatten", &[&both], &format!("{name}.summary.flat"), Vec::new())
    }

    fn integers(&mut self, name: String, values: &[i64]) -> String {
        let raw_data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let dims = vec![values.len() as i64];
        self.weights.push(TensorProto { dims, data_type: INT64, name: name.clone(), raw_data });
        name
    }
}

/// Names of a layer's weights and of its results.
fn names(place: LayerId) -> (String, String) {
    match place {
        LayerId::Stem | LayerId::First(_) => (place.to_string(), format!("{place}.rectified")),
        LayerId::PooledFeatures(block) => (format!("blocks.{block}.pooling"), place.to_string()),
        LayerId::Second(block) => (place.to_string(), format!("blocks.{block}.out")),
        LayerId::Policy => (place.to_string(), "policy.features".into()),
        LayerId::Value => (place.to_string(), "value.features".into()),
    }
}

fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto { name: name.into(), i: 0, ints: values.to_vec(), r#type: INTS }
}
