//! The declaration of a table's row.

/// Declares a row once, each column with its unit and, behind an arrow, the curve that it is a point of in TensorBoard.
/// Derives its columns, their descriptions and its checks from the fields, so that none can be forgotten.
#[macro_export]
macro_rules! table_row {
    (
        $table:literal:
        $(#[doc = $row_meaning:literal])+
        pub struct $row:ident {
            $($(#[doc = $meaning:literal])+ pub $field:ident: $cell:ty = $unit:literal $(=> $curve:literal)?,)+
        }
    ) => {
        $(#[doc = $row_meaning])+
        #[derive(Clone, PartialEq, Default, Debug, serde::Serialize, serde::Deserialize)]
        pub struct $row {
            $($(#[doc = $meaning])+ pub $field: $cell,)+
        }

        impl $crate::TableRow for $row {
            const TABLE: &'static str = $table;
            const MEANING: &'static str = concat!($($row_meaning),+);
            const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),+];
            const DESCRIBED: &'static [$crate::Column] = &[$($crate::Column {
                name: stringify!($field),
                kind: <$cell as $crate::Cell>::KIND,
                may_be_empty: <$cell as $crate::Cell>::MAY_BE_EMPTY,
                unit: $unit,
                meaning: concat!($($meaning),+),
                curve: $crate::first_of!($(Some($curve),)? None),
            }),+];

            fn numbers(&self) -> Vec<Option<f64>> {
                vec![$($crate::Cell::number(&self.$field)),+]
            }

            fn rounded(&self) -> Self {
                $row { $($field: $crate::Cell::rounded(&self.$field)),+ }
            }
        }
    };
}

/// The first of one or two expressions.
#[doc(hidden)]
#[macro_export]
macro_rules! first_of {
    ($first:expr $(, $other:expr)?) => {
        $first
    };
}
