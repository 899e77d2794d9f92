//! The declaration of metrics.

/// A number of a report as a cell of a row.
pub(crate) trait Reported<C> {
    /// The cell.
    fn cell(self) -> C;
}

impl<T> Reported<T> for T {
    fn cell(self) -> T {
        self
    }
}

/// Zero is a number that was not measured.
impl Reported<Option<f64>> for f64 {
    fn cell(self) -> Option<f64> {
        (self != 0.0).then_some(self)
    }
}

/// Declares metrics once: the report with the numbers of all `report` blocks, and the row with those of all blocks, in their
/// order. A metric is declared as in [`table_row!`](crate::table_row!). Where its cell may be empty, `as` gives the cell's
/// type behind the report's. `[mean]` or `[last]` in front of every metric makes a `together` for consecutive reports.
macro_rules! metrics {
    (
        $(#[doc = $about:literal])+
        pub struct $report:ident;
        $(#[doc = $row_meaning:literal])+
        pub struct $row:ident in $table:literal;
        $(
            row {
                $($(#[doc = $own_meaning:literal])+ $own:ident: $own_cell:ty = $own_unit:literal $(=> $own_curve:literal)?,)+
            }
            report {
                $(
                    $(#[doc = $meaning:literal])+
                    $([$together:ident])? $metric:ident: $kind:ty $(as $cell:ty)? = $unit:literal $(=> $curve:literal)?,
                )+
            }
        )+
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, PartialEq, Default, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $report {
            $($($(#[doc = $meaning])+ pub $metric: $kind,)+)+
        }

        $crate::declaration::together! { $report: $($($metric $($together)?,)+)+ }

        $crate::table_row! { $table:
            $(#[doc = $row_meaning])+
            pub struct $row {
                $(
                    $($(#[doc = $own_meaning])+ pub $own: $own_cell = $own_unit $(=> $own_curve)?,)+
                    $($(#[doc = $meaning])+ pub $metric: $crate::declaration::last_of!($kind $(, $cell)?) = $unit $(=> $curve)?,)+
                )+
            }
        }

        /// What the report does not hold is as by default.
        impl From<&$report> for $row {
            fn from(report: &$report) -> Self {
                $row { $($($metric: $crate::declaration::Reported::cell(report.$metric),)+)+ ..$row::default() }
            }
        }
    };
}

/// The last of one or two types.
macro_rules! last_of {
    ($only:ty) => {
        $only
    };
    ($first:ty, $last:ty) => {
        $last
    };
}

/// Several reports as one, if each metric has a way to do that.
macro_rules! together {
    ($report:ident: $($metric:ident,)+) => {};
    ($report:ident: $($metric:ident $together:ident,)+) => {
        impl $report {
            /// What consecutive reports, at least one, say together.
            pub fn together(reports: &[$report]) -> Self {
                $report { $($metric: $crate::declaration::together!(@$together reports $metric)),+ }
            }
        }
    };
    (@last $reports:ident $metric:ident) => {
        $reports.last().map_or_else(Default::default, |report| report.$metric)
    };
    (@mean $reports:ident $metric:ident) => {
        $reports.iter().fold(0.0, |sum, report| sum + report.$metric) / $reports.len() as f64
    };
}
pub(crate) use {last_of, metrics, together};
