//! The path under which this server is reached, where a proxy has other things beside it, such as `/sale`.
//!
//! Routes, queries and comparisons know nothing of it: within the program, addresses begin at the root of the server. It
//! is added where an address leaves the program ([`under_base`], [`use_navigate`]) and taken off where the router says
//! where the reader is ([`use_path`]). The server takes it off each request before anything looks at the path, so that
//! only the browser's router knows it. The document tells it to the browser.

use leptos::prelude::*;
use leptos_router::{
    NavigateOptions,
    hooks::{self, use_location},
};
use std::{str::FromStr, sync::Arc};

/// A path without a slash at its end: `/sale`; empty at the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasePath(Arc<str>);

impl Default for BasePath {
    fn default() -> Self {
        Self("".into())
    }
}

impl FromStr for BasePath {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let path = text.strip_suffix('/').unwrap_or(text);
        let is_of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let is_name = |name: &str| !matches!(name, "" | "." | "..") && name.bytes().all(is_of_a_name);
        let is_path = path.strip_prefix('/').is_some_and(|names| names.split('/').all(is_name));
        if !(is_path || path.is_empty()) {
            return Err("use a path that begins with a slash and consists of letters, digits and -._~, such as /sale");
        }
        Ok(Self(path.into()))
    }
}

impl BasePath {
    /// Returns the path: `/sale`; empty at the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address of something whose path begins at the root of the server.
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// Takes the base path off a path; `None` if the path is not below it.
    pub fn strip<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(&*self.0).filter(|rest| rest.starts_with('/'))
    }

    /// Returns the path of cookies, which programs beside this one do not get.
    pub(crate) fn of_cookies(&self) -> &str {
        if self.0.is_empty() { "/" } else { &self.0 }
    }
}

/// Returns the base path: on the server from the context of the request, in the browser from the document.
pub(crate) fn base_path() -> BasePath {
    #[cfg(feature = "ssr")]
    {
        use_context().unwrap_or_default()
    }
    #[cfg(not(feature = "ssr"))]
    {
        thread_local! {
            static READ: BasePath = {
                let root = document().document_element();
                root.and_then(|root| root.get_attribute("data-base")?.parse().ok()).unwrap_or_default()
            };
        }
        READ.with(BasePath::clone)
    }
}

/// Returns the value of the document's attribute `data-base`, which is left out at the root.
pub(crate) fn document_base() -> Option<String> {
    Some(base_path().as_str().to_owned()).filter(|base| !base.is_empty())
}

/// Returns the address of a page or a file of this server for links, forms and requests. The path begins at the root of
/// the server.
pub fn under_base(path: impl Into<String>) -> String {
    let (base, path) = (base_path(), path.into());
    if base.as_str().is_empty() { path } else { base.join(&path) }
}

/// Returns the base path for the router, which compares it with the address. On the server, requests come without it.
pub(crate) fn router_base() -> String {
    if cfg!(feature = "ssr") { String::new() } else { base_path().as_str().to_owned() }
}

/// Returns a function that leads to another page. The path begins at the root of the server, or the address is a query
/// of this page.
///
/// Not the router's own: that one leads to `/sale?kind=ticket` rather than `/sale/?kind=ticket` (leptos_router 0.8).
pub fn use_navigate() -> impl Fn(&str, NavigateOptions) + Clone {
    let (navigate, base) = (hooks::use_navigate(), base_path());
    move |to, options| match to.starts_with('/') {
        true => navigate(&base.join(to), NavigateOptions { resolve: false, ..options }),
        false => navigate(to, options),
    }
}

/// Returns the path of the reader's address, from the root of the server on.
pub fn use_path() -> Memo<String> {
    let path = use_location().pathname;
    let base = router_base();
    if base.is_empty() {
        return path;
    }
    Memo::new(move |_| path.with(|path| path.strip_prefix(&base).unwrap_or(path).to_owned()))
}

/// Sends the requests of server functions under the base path. To be called once, before the first of them.
#[cfg(not(feature = "ssr"))]
pub fn send_requests_under_base() {
    leptos::server_fn::client::set_server_url(base_path().as_str().to_owned().leak());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_is_plain_and_begins_with_a_slash() {
        for (text, path) in [("/sale", "/sale"), ("/sale/", "/sale"), ("/a/b-1._~", "/a/b-1._~"), ("/", ""), ("", "")] {
            assert_eq!(text.parse::<BasePath>().as_ref().map(BasePath::as_str), Ok(path), "{text}");
        }
        for text in ["sale", "//", "/a//b", "/a/../b", "/.", "/a b", "/拍卖", "/a?b", "/a%20b", "https://sale.example/"]
        {
            assert!(text.parse::<BasePath>().is_err_and(|why| why.contains("such as /sale")), "{text}");
        }
    }

    #[test]
    fn it_is_added_and_taken_off() {
        let (base, root) = ("/sale".parse::<BasePath>().expect("a path"), BasePath::default());
        assert_eq!([base.join("/"), base.join("/ledger?sale=s")], ["/sale/", "/sale/ledger?sale=s"]);
        assert_eq!([base.strip("/sale/"), base.strip("/sale/sale/x")], [Some("/"), Some("/sale/x")]);
        assert_eq!([base.strip("/sale"), base.strip("/sales/x"), base.strip("/")], [None, None, None]);
        assert_eq!(
            [root.join("/ledger"), root.strip("/ledger").unwrap_or_default().to_owned()],
            ["/ledger", "/ledger"]
        );
        assert_eq!([base.of_cookies(), root.of_cookies()], ["/sale", "/"]);
    }
}
