//! Configurations: ranges, and how they are written.

use serde_json::{from_value, json, to_value};

use crate::{BelowRoot, Fpu, GumbelConfig, Limits, RootSearch, SearchConfig, TacticsDepth};

#[test]
fn the_default_is_valid_and_survives_writing() {
    let config = SearchConfig::default();
    assert_eq!(config.validate(), Ok(()));
    let written = to_value(&config).unwrap();
    assert_eq!(written["fpu"], json!({ "reduced_parent": 0.2_f32 }));
    assert_eq!(from_value::<SearchConfig>(written).unwrap(), config);
}

#[test]
fn missing_keys_are_defaults_and_unknown_keys_are_refused() {
    let read: SearchConfig = from_value(json!({ "fpu": { "absolute": -1.0 }, "virtual_loss": 3 })).unwrap();
    let expected = SearchConfig { fpu: Fpu::Absolute(-1.0), virtual_loss: 3.0, ..SearchConfig::default() };
    assert_eq!(read, expected);
    assert!(from_value::<SearchConfig>(json!({ "cpuct": 1.0 })).is_err());
    assert!(from_value::<Limits>(json!({ "time": 1 })).is_err());
    assert_eq!(from_value::<Limits>(json!({ "time_ms": 1 })).unwrap().time_ms, Some(1));
}

#[test]
fn two_keys_choose_the_depth_of_tactics() {
    let read = |tactics, deep| {
        let keys = json!({ "tactics": tactics, "deep_tactics": deep });
        from_value::<SearchConfig>(keys).unwrap().tactics
    };
    assert_eq!([read(true, false), read(true, true)], [TacticsDepth::Shallow, TacticsDepth::Deep]);
    assert_eq!([read(false, false), read(false, true)], [TacticsDepth::Off; 2]);
    for (tactics, keys) in [
        (TacticsDepth::Off, [false, false]),
        (TacticsDepth::Shallow, [true, false]),
        (TacticsDepth::Deep, [true, true]),
    ] {
        let written = to_value(SearchConfig { tactics, ..SearchConfig::default() }).unwrap();
        assert_eq!([&written["tactics"], &written["deep_tactics"]], keys);
    }
}

#[test]
fn the_search_at_the_root_is_read_with_its_defaults() {
    let read = |root| from_value::<SearchConfig>(json!({ "root": root })).map(|config| config.root);
    assert_eq!(read(json!("puct")).unwrap(), RootSearch::Puct);
    assert_eq!(read(json!({ "gumbel": {} })).unwrap(), RootSearch::Gumbel(GumbelConfig::default()));
    let expected = GumbelConfig {
        max_num_considered_actions: 8,
        below_root: BelowRoot::ImprovedPolicy,
        ..GumbelConfig::default()
    };
    let found =
        read(json!({ "gumbel": { "max_num_considered_actions": 8, "below_root": "improved_policy" } })).unwrap();
    assert_eq!(found, RootSearch::Gumbel(expected));
    assert!(read(json!({ "gumbel": { "considered": 8 } })).is_err());
    let config = SearchConfig { root: found, ..SearchConfig::default() };
    assert_eq!(from_value::<SearchConfig>(to_value(&config).unwrap()).unwrap(), config);
}

#[test]
fn every_range_is_checked_and_the_error_names_key_and_value() {
    let good = SearchConfig::default;
    let gumbel = |gumbel| SearchConfig { root: RootSearch::Gumbel(gumbel), ..good() };
    let bad = [
        ("c_puct", SearchConfig { c_puct: -1.0, ..good() }),
        ("pb_c_base", SearchConfig { pb_c_base: 0.0, ..good() }),
        ("policy_softmax_temperature", SearchConfig { policy_softmax_temperature: 0.0, ..good() }),
        ("fpu.absolute", SearchConfig { fpu: Fpu::Absolute(1.5), ..good() }),
        ("fpu.reduced_parent", SearchConfig { fpu: Fpu::ReducedParent(f32::NAN), ..good() }),
        ("dirichlet_total_concentration", SearchConfig { dirichlet_total_concentration: f32::INFINITY, ..good() }),
        ("root_exploration_fraction", SearchConfig { root_exploration_fraction: 1.01, ..good() }),
        ("forced_playouts_k", SearchConfig { forced_playouts_k: f32::NAN, ..good() }),
        (
            "root.gumbel.max_num_considered_actions",
            gumbel(GumbelConfig { max_num_considered_actions: 0, ..GumbelConfig::default() }),
        ),
        ("root.gumbel.c_visit", gumbel(GumbelConfig { c_visit: -1.0, ..GumbelConfig::default() })),
        ("root.gumbel.c_scale", gumbel(GumbelConfig { c_scale: 0.0, ..GumbelConfig::default() })),
        ("virtual_loss", SearchConfig { virtual_loss: -0.5, ..good() }),
    ];
    for (expected, config) in bad {
        assert_eq!(config.validate().unwrap_err().key, expected);
    }
    let error = SearchConfig { c_puct: -1.0, ..good() }.validate().unwrap_err();
    assert_eq!(error.to_string(), "`c_puct` is -1: expected a finite number of at least 0");
}
