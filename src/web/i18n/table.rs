//! The table in which a module declares its texts, each in English and then in Chinese.
//!
//! ```ignore
//! crate::i18n::words! {
//!     /// The catalogue.
//!     pub struct Words {
//!         close = "Close sale", "关闭活动";
//!         /// Its figures are formatted already.
//!         progress: fn(String, String) -> String =
//!             |done, all| format!("{done} of {all}"),
//!             |done, all| format!("{done} / {all}");
//!         user: FieldWords {
//!             label = "User", "用户";
//!             hint = "Any user, known or new", "任何人，也可以是新用户";
//!             error = id_error!(en), id_error!(zh);
//!         };
//!         runs: Runs = Runs::EN, Runs::ZH;
//!     }
//!
//!     /// A part of the table.
//!     pub struct Runs {
//!         title = "Runs", "模拟记录";
//!     }
//! }
//! ```
//!
//! - A text without a type is a `&'static str`.
//! - Braces hold the fields of a struct that is declared elsewhere, such as [`FieldWords`](super::FieldWords).
//! - Pages read `words().close`, in their own language. `Words::EN` and `Words::ZH` are the texts of one language.

/// Declares the structs, their texts in each language, and `words()`, which is `Words` in the language of the page.
macro_rules! words {
    ($(
        $(#[$about:meta])*
        pub struct $Table:ident {$(
            $(#[$note:meta])*
            $name:ident $(: $type:ty)? $({ $($group:tt)* })? $(= $en:expr, $zh:expr)?;
        )*}
    )+) => {
        $(
            $(#[$about])*
            pub struct $Table {$(
                $(#[$note])*
                pub $name: $crate::i18n::words!(@type $($type)?),
            )*}

            impl $Table {
                pub const EN: Self =
                    Self {$( $name: $crate::i18n::words!(@en $(: $type)? $({ $($group)* })? $(= $en, $zh)?), )*};
                pub const ZH: Self =
                    Self {$( $name: $crate::i18n::words!(@zh $(: $type)? $({ $($group)* })? $(= $en, $zh)?), )*};
            }
        )+

        /// Returns the texts in the language of the page.
        pub fn words() -> &'static Words {
            $crate::i18n::by_lang(&Words::EN, &Words::ZH)
        }
    };

    (@type) => { &'static str };
    (@type $type:ty) => { $type };

    (@en $(: $type:ty)? = $en:expr, $zh:expr) => { $en };
    (@zh $(: $type:ty)? = $en:expr, $zh:expr) => { $zh };

    // A struct literal takes a name, which a type is not.
    (@en: $type:ty { $($name:ident = $en:expr, $zh:expr;)* }) => {{
        type Group = $type;
        Group { $($name: $en),* }
    }};
    (@zh: $type:ty { $($name:ident = $en:expr, $zh:expr;)* }) => {{
        type Group = $type;
        Group { $($name: $zh),* }
    }};
}

pub(crate) use words;
