//! The status of responses.

use model::error::Code;

/// Sets this code's status on the response that the server is rendering. Does nothing in the browser.
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
