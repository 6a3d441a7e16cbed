//! The status of answers.

use model::error::Code;

/// Gives the answer that is being made on the server this code's status. Does nothing in the browser.
pub fn set_status(code: Code) {
    #[cfg(feature = "ssr")]
    if let (Some(response), Ok(status)) =
        (leptos::prelude::use_context::<leptos_axum::ResponseOptions>(), http::StatusCode::from_u16(code.status()))
    {
        response.set_status(status);
    }
    #[cfg(not(feature = "ssr"))]
    let _code = code;
}
