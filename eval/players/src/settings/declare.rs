//! The macro that declares settings.

/// Declares the settings of a player: the struct, its [`Default`], `validate`, [`Settings`](crate::settings::Settings), and
/// with `kind` [`PlayerSettings`](crate::settings::PlayerSettings) and [`Display`](std::fmt::Display), which writes the
/// player's specification.
///
/// After the name of a field stands where its value comes from:
///
/// - `("key")` for the pair `key=value`. Its values are the [words](crate::settings::domain::Keyword) of its type, numbers
///   `in` a range, or `as` any other [`Domain`](crate::settings::domain::Domain).
/// - `(..)` for the keys of settings inside the settings.
/// - `(*)` for the text after all pairs.
/// - Nothing, if only code sets it.
///
/// A key whose default is not one of its values must not be left out. `then method` names a method that checks fields against
/// each other.
///
/// ```
/// use selfplay_players::settings::PlayerSettings;
///
/// selfplay_players::player_settings! {
///     /// A player that waits.
///     pub struct WaitConfig, kind "wait" {
///         /// Seconds before each move.
///         pub seconds("seconds"): u32 = 1, in 0..=60;
///         /// Whether the first move waits as well.
///         pub first("first"): bool = true;
///     }
/// }
///
/// let config = WaitConfig::read("wait:seconds=3,first=on", "seconds=3,first=on")?;
/// assert_eq!(config.to_string(), "wait:seconds=3");
/// let error = WaitConfig::read("wait:seconds=90", "seconds=90").unwrap_err();
/// assert_eq!(error.to_string(), "player `wait:seconds=90`: `seconds` is `90`: expected 0 to 60");
/// # Ok::<(), selfplay_players::EvalError>(())
/// ```
#[macro_export]
macro_rules! player_settings {
    (
        $(#[derive($($derive:ident),+)])?
        $(#[doc = $meaning:literal])+
        pub struct $name:ident $(, kind $kind:literal)? $(, then $together:ident)? {$(
            $(#[doc = $text:literal])+
            pub $field:ident $(($source:tt))?: $type:ty = $default:expr $(, in $range:expr)? $(, as $domain:expr)?;
        )*}
    ) => {
        $(#[doc = $meaning])+
        #[derive(Clone, PartialEq, Debug $($(, $derive)+)?)]
        pub struct $name {$(
            $(#[doc = $text])+
            pub $field: $type,
        )*}

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default),* }
            }
        }

        impl $name {
            /// Checks every range.
            ///
            /// # Errors
            /// [`InvalidKey`](selfplay_config::InvalidKey) with the first field that is wrong.
            pub fn validate(&self) -> Result<(), $crate::settings::InvalidKey> {
                $crate::settings::Settings::check(self)
            }
        }

        impl $crate::settings::Settings for $name {
            const TAIL: $crate::settings::pairs::Tail =
                $crate::settings::pairs::Tail::any(&[$($crate::player_settings!(@tail ($($source)?) $type)),*]);

            fn keys() -> Vec<$crate::settings::Key> {
                #[allow(unused_mut)]
                let mut keys = Vec::new();
                #[allow(unused_variables)]
                let default = Self::default();
                $($crate::player_settings!(
                    @keys keys ($($source)?) $type, concat!($($text),+), &default.$field, ($(in $range)? $(as $domain)?)
                );)*
                keys
            }

            #[allow(unused_variables)]
            fn take(&mut self, pairs: &$crate::settings::pairs::Pairs<'_>) -> Result<(), $crate::EvalError> {
                $($crate::player_settings!(
                    @take pairs ($($source)?) $type, &mut self.$field, ($(in $range)? $(as $domain)?)
                );)*
                Ok(())
            }

            #[allow(unused_variables)]
            fn write(&self, written: &mut $crate::settings::pairs::Written) {
                let default = Self::default();
                $($crate::player_settings!(
                    @write written ($($source)?) $type, &self.$field, &default.$field, ($(in $range)? $(as $domain)?)
                );)*
            }

            fn check(&self) -> Result<(), $crate::settings::InvalidKey> {
                $($crate::player_settings!(
                    @check ($($source)?) $type, stringify!($field), &self.$field, ($(in $range)? $(as $domain)?)
                );)*
                $(self.$together()?;)?
                Ok(())
            }
        }

        $(
            impl $crate::settings::PlayerSettings for $name {
                const KIND: &'static str = $kind;
            }

            impl std::fmt::Display for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    let mut written = $crate::settings::pairs::Written::new($kind);
                    $crate::settings::Settings::write(self, &mut written);
                    written.fmt(f)
                }
            }
        )?
    };

    (@tail (*) $type:ty) => { $crate::settings::pairs::Tail::Text };
    (@tail (..) $type:ty) => { <$type as $crate::settings::Settings>::TAIL };
    (@tail $source:tt $type:ty) => { $crate::settings::pairs::Tail::None };

    (@keys $keys:ident (..) $type:ty, $text:expr, $default:expr, $domain:tt) => {
        $keys.extend(<$type as $crate::settings::Settings>::keys())
    };
    (@keys $keys:ident (*) $type:ty, $text:expr, $default:expr, $domain:tt) => {};
    (@keys $keys:ident () $type:ty, $text:expr, $default:expr, $domain:tt) => {};
    (@keys $keys:ident ($key:literal) $type:ty, $text:expr, $default:expr, $domain:tt) => {
        $keys.push($crate::settings::Key::new::<$type>($key, $text, &$crate::player_settings!(@domain $domain), $default))
    };

    (@take $pairs:ident (..) $type:ty, $value:expr, $domain:tt) => {
        $crate::settings::Settings::take($value, $pairs)?
    };
    (@take $pairs:ident (*) $type:ty, $value:expr, (as $expected:expr)) => {
        $pairs.take_tail($expected, $value)?
    };
    (@take $pairs:ident () $type:ty, $value:expr, $domain:tt) => {};
    (@take $pairs:ident ($key:literal) $type:ty, $value:expr, $domain:tt) => {
        $pairs.take::<$type>($key, &$crate::player_settings!(@domain $domain), $value)?
    };

    (@write $written:ident (..) $type:ty, $value:expr, $default:expr, $domain:tt) => {
        $crate::settings::Settings::write($value, $written)
    };
    (@write $written:ident (*) $type:ty, $value:expr, $default:expr, $domain:tt) => {
        $written.tail($value)
    };
    (@write $written:ident () $type:ty, $value:expr, $default:expr, $domain:tt) => {};
    (@write $written:ident ($key:literal) $type:ty, $value:expr, $default:expr, $domain:tt) => {
        $written.pair::<$type>($key, &$crate::player_settings!(@domain $domain), $value, $default)
    };

    (@check (..) $type:ty, $field:expr, $value:expr, $domain:tt) => {
        $crate::settings::Settings::check($value)?
    };
    (@check (*) $type:ty, $field:expr, $value:expr, $domain:tt) => {};
    (@check $source:tt $type:ty, $field:expr, $value:expr, ()) => {};
    (@check $source:tt $type:ty, $field:expr, $value:expr, $domain:tt) => {
        $crate::settings::check_field::<$type>($field, &$crate::player_settings!(@domain $domain), $value)?
    };

    (@domain (in $range:expr)) => { $crate::settings::domain::Numbers($crate::settings::interval($range)) };
    (@domain (as $domain:expr)) => { $domain };
    (@domain ()) => { $crate::settings::domain::Words };
}
