//! Configs as files hold them: what is left out has its default, what does not exist is rejected.

use selfplay_courses::HomeworkConfig;
use selfplay_courses::dialogue::{NumberCardsConfig, PylosConfig};
use selfplay_courses::pentago::{PentagoClientConfig, PentagoServerConfig};
use selfplay_courses::pente_referee::PenteRefereeConfig;
use serde::de::DeserializeOwned;

fn check<C: DeserializeOwned + Default + PartialEq + std::fmt::Debug>() {
    assert_eq!(toml::from_str::<C>("").unwrap(), C::default());
    let error = toml::from_str::<C>("no_such_key = 1").unwrap_err().to_string();
    assert!(error.contains("no_such_key"), "{error}");
    assert_eq!(toml::from_str::<C>("seed = 7").is_ok(), toml::from_str::<C>("seed = -7").is_err());
}

#[test]
fn unknown_keys_are_refused_and_defaults_filled_in() {
    check::<HomeworkConfig>();
    check::<NumberCardsConfig>();
    check::<PylosConfig>();
    check::<PentagoServerConfig>();
    check::<PenteRefereeConfig>();
    check::<PentagoClientConfig>();
}

#[test]
fn ranges_are_checked() {
    assert!(HomeworkConfig::default().validate().is_ok());
    assert!(HomeworkConfig { margin_ms: 10_001, ..HomeworkConfig::default() }.validate().is_err());
    let card = |move_ms| NumberCardsConfig { move_ms, ..NumberCardsConfig::default() }.validate().is_ok();
    assert_eq!([0, 1, 30_000, 30_001].map(card), [false, true, true, false]);
    assert!(PylosConfig { turn_ms: 0, ..PylosConfig::default() }.validate().is_err());
    assert!(PentagoServerConfig { grace_ms: 0, ..PentagoServerConfig::default() }.validate().is_err());
    let error = PentagoClientConfig { move_ms: 0, ..PentagoClientConfig::default() }.validate().unwrap_err();
    assert_eq!(error.to_string(), "`move_ms` is 0: expected 1 to 600,000 milliseconds");
    assert!(PenteRefereeConfig { a_white_in_ten: 11, ..PenteRefereeConfig::default() }.validate().is_err());
}
