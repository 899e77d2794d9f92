//! Macros that declare the tables and choices of a config, each key once.

/// Declares a table of a config: the struct that serde reads and writes, which rejects unknown keys, `validate`, and
/// [`ConfigValue`](crate::ConfigValue) with what is said about each key, its doc comment.
///
/// Either every key has a default, and the struct is [`Default`], or none has: keys are then required, but for those
/// with `#[serde(default)]`. Numbers have a range. `then method` names a method that checks keys against each other.
///
/// ```
/// use selfplay_config::{InvalidKey, check};
///
/// selfplay_config::config_section! {
///     #[derive(Copy)]
///     /// How long to wait.
///     pub struct WaitConfig, then check_order {
///         /// Seconds at the start.
///         pub first: f64 = 0.5, in 0.0..=60.0;
///         /// Seconds later.
///         pub later: f64 = 2.0, in 0.0..;
///     }
/// }
///
/// impl WaitConfig {
///     fn check_order(&self) -> Result<(), InvalidKey> {
///         check(self.first <= self.later, "later", self.later, "at least `first`")
///     }
/// }
///
/// let error = WaitConfig { first: 90.0, ..WaitConfig::default() }.validate().unwrap_err();
/// assert_eq!(error.to_string(), "`first` is 90: expected 0 to 60");
/// assert_eq!(WaitConfig { first: 3.0, later: 2.0 }.validate().unwrap_err().key, "later");
/// ```
///
/// Several keys may make up one last field, whose type converts from and to the tuple of their values. A second struct,
/// after `keys`, then holds the keys one by one:
///
/// ```
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// pub enum Log {
///     Off,
///     Short,
///     Long,
/// }
///
/// impl From<(bool, bool)> for Log {
///     fn from((log, long_log): (bool, bool)) -> Self {
///         if !log { Log::Off } else if long_log { Log::Long } else { Log::Short }
///     }
/// }
///
/// impl From<Log> for (bool, bool) {
///     fn from(log: Log) -> Self {
///         (log != Log::Off, log == Log::Long)
///     }
/// }
///
/// selfplay_config::config_section! {
///     /// What a server does.
///     pub struct ServerConfig, keys ServerKeys {
///         /// The port.
///         pub port: u32 = 80, in 1..=65_535;
///     }
///
///     /// What is logged.
///     pub log: Log, keys {
///         /// Whether requests are logged.
///         pub log_requests: bool = true;
///         /// Whether their contents are logged too.
///         pub log_contents: bool = false;
///     }
/// }
///
/// let config: ServerConfig = serde_json::from_str(r#"{ "log_contents": true }"#).unwrap();
/// assert_eq!(config, ServerConfig { log: Log::Long, ..ServerConfig::default() });
/// let written = serde_json::to_string(&ServerConfig::default()).unwrap();
/// assert_eq!(written, r#"{"port":80,"log_requests":true,"log_contents":false}"#);
/// ```
#[macro_export]
macro_rules! config_section {
    (
        $(#[derive($($derive:ident),+)])?
        $(#[serde($($container:tt)+)])?
        $(#[doc = $meaning:literal])+
        pub struct $name:ident $(, then $together:ident)? {$(
            $(#[serde($($attribute:tt)+)])?
            $(#[doc = $text:literal])+
            pub $key:ident: $type:ty = $default:expr $(, in $range:expr)?;
        )+}
    ) => {
        $(#[doc = $meaning])+
        #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize $($(, $derive)+)?)]
        #[serde(default, deny_unknown_fields $(, $($container)+)?)]
        pub struct $name {$(
            $(#[serde($($attribute)+)])?
            $(#[doc = $text])+
            pub $key: $type,
        )+}

        impl Default for $name {
            fn default() -> Self {
                $name { $($key: $default),+ }
            }
        }

        $crate::config_section! { @checked $name $($together)? {$(
            $key: $type, ($($range)?), concat!($($text),+), <$name>::default().$key, false;
        )+}}
    };
    (
        $(#[derive($($derive:ident),+)])?
        $(#[doc = $meaning:literal])+
        pub struct $name:ident $(, then $together:ident)? {$(
            $(#[serde($($attribute:tt)+)])?
            $(#[doc = $text:literal])+
            pub $key:ident: $type:ty $(, in $range:expr)?;
        )+}
    ) => {
        $(#[doc = $meaning])+
        #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize $($(, $derive)+)?)]
        #[serde(deny_unknown_fields)]
        pub struct $name {$(
            $(#[serde($($attribute)+)])?
            $(#[doc = $text])+
            pub $key: $type,
        )+}

        $crate::config_section! { @checked $name $($together)? {$(
            $key: $type, ($($range)?), concat!($($text),+), <$type>::default(),
            stringify!($($($attribute)+)?).is_empty();
        )+}}
    };
    (
        $(#[doc = $meaning:literal])+
        pub struct $name:ident, keys $keys:ident {$(
            $(#[doc = $text:literal])+
            pub $key:ident: $type:ty = $default:expr $(, in $range:expr)?;
        )+}

        $(#[doc = $field_text:literal])+
        pub $field:ident: $field_type:ty, keys {$(
            $(#[doc = $part_text:literal])+
            pub $part:ident: $part_type:ty = $part_default:expr;
        )+}
    ) => {
        $crate::config_section! {
            /// The keys of the config as files hold them.
            pub struct $keys {
                $($(#[doc = $text])+ pub $key: $type = $default $(, in $range)?;)+
                $($(#[doc = $part_text])+ pub $part: $part_type = $part_default;)+
            }
        }

        $(#[doc = $meaning])+
        #[derive(Clone, PartialEq, Debug)]
        pub struct $name {
            $($(#[doc = $text])+ pub $key: $type,)+
            $(#[doc = $field_text])+
            pub $field: $field_type,
        }

        impl From<$keys> for $name {
            fn from(keys: $keys) -> Self {
                let $keys { $($key,)+ $($part),+ } = keys;
                $name { $($key,)+ $field: <$field_type>::from(($($part),+)) }
            }
        }

        impl From<$name> for $keys {
            fn from(config: $name) -> Self {
                let $name { $($key,)+ $field } = config;
                let ($($part),+) = $field.into();
                $keys { $($key,)+ $($part),+ }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $keys::default().into()
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(&$keys::from(self.clone()), serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$keys as serde::Deserialize>::deserialize(deserializer).map(Self::from)
            }
        }

        impl $name {
            /// Checks every key.
            ///
            /// # Errors
            /// The first key that is out of its range.
            pub fn validate(&self) -> Result<(), $crate::InvalidKey> {
                $keys::from(self.clone()).validate()
            }
        }

        impl $crate::ConfigValue for $name {
            fn shape(within: $crate::Interval) -> $crate::Shape {
                <$keys as $crate::ConfigValue>::shape(within)
            }

            fn check(&self, _: $crate::Interval) -> Result<(), $crate::InvalidKey> {
                self.validate()
            }

            fn written(&self) -> Option<String> {
                $crate::ConfigValue::written(&$keys::from(self.clone()))
            }
        }
    };
    (@checked $name:ident $($together:ident)? {$(
        $key:ident: $type:ty, ($($range:expr)?), $text:expr, $default:expr, $is_required:expr;
    )+}) => {
        impl $name {
            /// Checks every key.
            ///
            /// # Errors
            /// The first key that is out of its range.
            pub fn validate(&self) -> Result<(), $crate::InvalidKey> {
                $crate::ConfigValue::check(self, $crate::ANY)
            }
        }

        impl $crate::ConfigValue for $name {
            fn shape(_: $crate::Interval) -> $crate::Shape {
                $crate::Shape::Table(vec![$($crate::Key {
                    name: stringify!($key),
                    text: $text,
                    default: if $is_required { None } else { $crate::ConfigValue::written(&$default) },
                    is_required: $is_required,
                    shape: $crate::config_section!(@shape $type, $($range)?),
                }),+])
            }

            fn check(&self, _: $crate::Interval) -> Result<(), $crate::InvalidKey> {
                $($crate::config_section!(@check &self.$key, stringify!($key), $($range)?);)+
                $(self.$together()?;)?
                Ok(())
            }

            fn written(&self) -> Option<String> {
                $crate::inline_table([
                    $((stringify!($key), $crate::ConfigValue::written(&self.$key))),+
                ])
            }
        }
    };
    (@shape $type:ty, $($range:expr)?) => {
        <$type as $crate::ConfigValue>::shape($crate::config_section!(@within $($range)?))
    };
    (@check $value:expr, $key:expr, $($range:expr)?) => {
        $crate::ConfigValue::check($value, $crate::config_section!(@within $($range)?))
            .map_err(|invalid| invalid.within($key))?
    };
    (@within) => {
        $crate::ANY
    };
    (@within $range:expr) => {
        $crate::interval($range)
    };
}

/// Declares an enum for the value of a config key. Each alternative has a word and may hold a value or keys of its own.
///
/// An alternative is written as its word, or as a table with the value under the word: `"off"` or `{ after = 3 }`. With
/// `#[serde(tag = "kind")]` it is a table that contains the word: `{ kind = "after", games = 3 }`.
///
/// ```
/// selfplay_config::config_choice! {
///     #[derive(Copy)]
///     /// When to stop.
///     pub enum Stop, default Off {
///         /// Never.
///         Off = "off",
///         /// After so many games.
///         After(games: u32, in 1..=100) = "after",
///     }
/// }
///
/// use selfplay_config::{ANY, ConfigValue};
/// assert_eq!(Stop::After(0).check(ANY).unwrap_err().to_string(), "`after` is 0: expected 1 to 100");
/// assert_eq!(Stop::After(3).written().unwrap(), "{ after = 3 }");
/// ```
#[macro_export]
macro_rules! config_choice {
    (
        $(#[derive($($derive:ident),+)])?
        $(#[serde(tag = $tag:literal)])?
        $(#[doc = $meaning:literal])+
        pub enum $name:ident $(, default $default:ident)? $(, then $together:ident)? {$(
            $(#[doc = $text:literal])+
            $alternative:ident
                $(($value:ident: $type:ty $(, in $range:expr)?))?
                $({$($(#[doc = $key_text:literal])+ $key:ident: $key_type:ty $(, in $key_range:expr)?;)+})?
                = $word:literal,
        )+}
    ) => {
        $(#[doc = $meaning])+
        #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize $($(, $derive)+)?)]
        $(#[serde(tag = $tag, deny_unknown_fields)])?
        pub enum $name {$(
            $(#[doc = $text])+
            #[serde(rename = $word)]
            $alternative $(($type))? $({$($(#[doc = $key_text])+ $key: $key_type,)+})?,
        )+}

        $(impl Default for $name {
            fn default() -> Self {
                $name::$default
            }
        })?

        impl $name {
            /// The word in configs.
            pub const fn name(&self) -> &'static str {
                match self {
                    $($name::$alternative { .. } => $word,)+
                }
            }
        }

        impl $crate::ConfigValue for $name {
            fn shape(_: $crate::Interval) -> $crate::Shape {
                $crate::Shape::Choice {
                    tag: $crate::config_choice!(@tag $($tag)?),
                    alternatives: vec![$($crate::Key {
                        name: $word,
                        text: concat!($($text),+),
                        default: None,
                        is_required: true,
                        shape: $crate::config_choice!(
                            @shape $(($type, $($range)?))? $({$($key: $key_type, ($($key_range)?), concat!($($key_text),+);)+})?
                        ),
                    }),+],
                }
            }

            fn check(&self, _: $crate::Interval) -> Result<(), $crate::InvalidKey> {
                match self {$(
                    $name::$alternative $(($value))? $({ $($key),+ })? => {
                        $($crate::config_section!(@check $value, $word, $($range)?);)?
                        $($($crate::config_section!(@check $key, stringify!($key), $($key_range)?);)+)?
                    }
                )+}
                $(self.$together()?;)?
                Ok(())
            }

            fn written(&self) -> Option<String> {
                let tag: Option<&'static str> = $crate::config_choice!(@tag $($tag)?);
                let keys: Vec<(&'static str, Option<String>)> = match self {
                    $($name::$alternative $(($value))? $({ $($key),+ })? => vec![
                        $(($word, $crate::ConfigValue::written($value)))?
                        $($((stringify!($key), $crate::ConfigValue::written($key))),+)?
                    ],)+
                };
                let word = Some(format!("{:?}", self.name()));
                match tag {
                    None if keys.is_empty() => word,
                    None => $crate::inline_table(keys),
                    Some(tag) => $crate::inline_table([(tag, word)].into_iter().chain(keys)),
                }
            }
        }
    };
    (@tag) => {
        None
    };
    (@tag $tag:literal) => {
        Some($tag)
    };
    (@shape) => {
        $crate::Shape::Table(Vec::new())
    };
    (@shape ($type:ty, $($range:expr)?)) => {
        $crate::config_section!(@shape $type, $($range)?)
    };
    (@shape {$($key:ident: $type:ty, ($($range:expr)?), $text:expr;)+}) => {
        $crate::Shape::Table(vec![$($crate::Key {
            name: stringify!($key),
            text: $text,
            default: None,
            is_required: true,
            shape: $crate::config_section!(@shape $type, $($range)?),
        }),+])
    };
}
