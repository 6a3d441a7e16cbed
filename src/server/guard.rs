//! Requests that are refused before anything else: requests for another host than this server, requests from a page of
//! another site, and a POST to the API that is not plain JSON.
//!
//! Every page in the browser of its user can reach a server on loopback. A page of another site can send it a form or
//! plain text without asking (cross-site request forgery). It can also have its own name point to 127.0.0.1 and read
//! the answers as well (DNS rebinding). Programs pass: they send none of these headers, or true ones.

use axum::{
    Json,
    extract::Request,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, Method, StatusCode, Uri, Version, header, uri::Authority};
use leptos::server_fn::axum::server_fn_paths;
use model::error::{Code, Error, shell_word};
use std::{
    collections::HashSet,
    net::IpAddr,
    sync::{Arc, LazyLock},
};

/// The host names for which this server answers, besides `localhost` and every IP address. No name service can redirect
/// those.
#[derive(Clone, Debug, Default)]
pub struct AllowedHosts(Arc<[String]>);

impl AllowedHosts {
    /// The names may be in any case; a port is ignored.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let without_port = |name: String| name.parse::<Authority>().map_or(name, |name| name.host().to_owned());
        Self(names.into_iter().map(|name| without_port(name).to_ascii_lowercase()).collect())
    }

    fn allows(&self, host: &str) -> bool {
        // A name may end with the dot of the root.
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&host);
        host == "localhost"
            || host.ends_with(".localhost")
            || address.parse::<IpAddr>().is_ok()
            || self.0.contains(&host)
    }
}

/// The paths of the endpoints that take a body. A request to any other path is answered that there is no such endpoint,
/// or no such method.
static ENDPOINTS: LazyLock<HashSet<&str>> = LazyLock::new(|| server_fn_paths().map(|(path, _)| path).collect());

/// Rejects the requests that are described above.
///
/// # Errors
/// The reason of the rejection.
pub fn guard(hosts: &AllowedHosts, request: &Request) -> Result<(), Refusal> {
    // Only clients of HTTP/1.0 may leave it out (RFC 9112, 3.2).
    if request.version() == Version::HTTP_11 && !request.headers().contains_key(header::HOST) {
        return Err(Refusal::NoHost);
    }
    check(hosts, request.method(), request.uri(), request.headers())
}

/// The reason why a request is rejected.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request is for this host, which is not the server's.
    Host(String),
    /// The request names no host, or several.
    NoHost,
    /// The request names no path, like a request to a proxy.
    NoPath,
    /// A page of another site sent the request: of this host, if it is none of the server's.
    OtherSite(Option<String>),
    /// The request is for the API, and its body is not JSON.
    NotJson,
    /// The request is for the API, and its body is compressed in this way.
    Compressed(String),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, error) = match self {
            Self::Host(host) => {
                let why = format!(
                    "This server does not answer for \"{host}\"; start it with --host {} if it should.",
                    shell_word(&host)
                );
                (StatusCode::FORBIDDEN, Error::new(Code::Forbidden, why))
            }
            Self::NoHost => {
                let why = "The Host header must name one host, such as localhost or this server's address.";
                (StatusCode::BAD_REQUEST, Error::bad("host", why))
            }
            Self::NoPath => {
                let why = "The request names no path; this server is not a proxy.";
                (StatusCode::BAD_REQUEST, Error::bad("path", why))
            }
            Self::OtherSite(site) => {
                let own = site.map(|site| {
                    let name = shell_word(&site);
                    format!(" If \"{site}\" is a name of this server, start it with --host {name}.")
                });
                let why = format!(
                    "Another site's page sent this request; only this server's own pages may. Nothing was tried.{}",
                    own.unwrap_or_default()
                );
                (StatusCode::FORBIDDEN, Error::new(Code::Forbidden, why))
            }
            Self::Compressed(encoding) => {
                let why = format!("The request body is compressed ({encoding}); send it without Content-Encoding.");
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, Error::bad("content-encoding", why))
            }
            Self::NotJson => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                Error::bad("content-type", "The API takes JSON: send Content-Type: application/json."),
            ),
        };
        (status, Json(error)).into_response()
    }
}

fn check(hosts: &AllowedHosts, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
    let mut named = headers.get_all(header::HOST).iter();
    let authority = match (uri.authority(), named.next(), named.next()) {
        (_, _, Some(_)) => return Err(Refusal::NoHost),
        (Some(authority), ..) => Some(authority.clone()),
        (None, None, _) => None,
        (None, Some(host), None) => {
            let host = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
            let names_a_host = |host: &Authority| !host.host().is_empty() && !host.as_str().contains('@');
            Some(host.filter(names_a_host).ok_or(Refusal::NoHost)?)
        }
    };
    if let Some(host) = authority.as_ref().map(Authority::host).filter(|host| !hosts.allows(host)) {
        return Err(Refusal::Host(host.to_owned()));
    }
    // This is `CONNECT`, for any host.
    if uri.path_and_query().is_none() {
        return Err(Refusal::NoPath);
    }

    // Links to our pages may be followed from anywhere.
    let reads = matches!(*method, Method::GET | Method::HEAD);
    let is_link = reads && headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    let is_own = if headers.contains_key("sec-fetch-site") {
        headers.get_all("sec-fetch-site").iter().all(|site| site == "same-origin" || site == "none")
    } else {
        headers
            .get_all(header::ORIGIN)
            .iter()
            .all(|origin| origin.to_str().is_ok_and(|origin| is_own_origin(hosts, authority.as_ref(), origin)))
    };
    if !is_own && !is_link {
        let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok()?.parse::<Uri>().ok());
        let site = origin.as_ref().filter(|origin| origin.scheme().is_some()).and_then(Uri::host);
        return Err(Refusal::OtherSite(site.filter(|site| !hosts.allows(site)).map(str::to_owned)));
    }

    let takes_json = *method == Method::POST && ENDPOINTS.contains(uri.path());
    let is_json = media_type(headers).is_some_and(|sent| sent.eq_ignore_ascii_case("application/json"));
    if takes_json && !is_json {
        return Err(Refusal::NotJson);
    }
    let encodings = headers.get_all(header::CONTENT_ENCODING).into_iter();
    let mut encodings = encodings.flat_map(|list| list.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
    let is_compression = |encoding: &&[u8]| !encoding.is_empty() && !encoding.eq_ignore_ascii_case(b"identity");
    match encodings.find(is_compression).filter(|_| takes_json) {
        Some(encoding) => Err(Refusal::Compressed(String::from_utf8_lossy(encoding).into_owned())),
        None => Ok(()),
    }
}

/// The media type of a body, without its parameters.
pub fn media_type(headers: &HeaderMap) -> Option<&str> {
    let content_type = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    content_type.split(';').next().map(str::trim)
}

/// Whether an `Origin` is this server, by the requested host or, behind a proxy, by one of its names.
fn is_own_origin(hosts: &AllowedHosts, asked: Option<&Authority>, origin: &str) -> bool {
    let Some(origin) = origin.parse::<Uri>().ok().and_then(|origin| origin.authority().cloned()) else { return false };
    asked.is_some_and(|asked| asked == &origin) || hosts.0.contains(&origin.host().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderName;

    fn checked(method: &Method, path: &str, headers: &[(&'static str, &'static str)]) -> Result<(), Refusal> {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), http::HeaderValue::from_static(value)))
            .collect();
        let hosts = AllowedHosts::new(["Sale.Example:443".to_owned()]);
        check(&hosts, method, &path.parse().expect("a path"), &headers)
    }

    #[test]
    fn only_addresses_localhost_and_the_names_it_was_given_are_its_hosts() {
        let get = |host| checked(&Method::GET, "/", &[("host", host)]);
        for host in [
            "localhost",
            "localhost.",
            "localhost:3000",
            "LOCALHOST",
            "a.localhost",
            "127.0.0.1:3000",
            "10.1.2.3",
            "[::1]:80",
        ] {
            assert_eq!(get(host), Ok(()), "{host}");
        }
        assert_eq!([get("sale.example"), get("SALE.example:8080")], [Ok(()), Ok(())]);
        assert_eq!(get("evil.example:8080"), Err(Refusal::Host("evil.example".to_owned())), "as --host takes it");
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "xlocalhost"] {
            assert_eq!(get(host), Err(Refusal::Host(host.to_owned())), "{host:?}");
        }
        for host in ["", "a b", ":", "a/b", "localhost:3000:1"] {
            assert_eq!(get(host), Err(Refusal::NoHost), "{host:?}");
        }
        let two = [("host", "localhost"), ("host", "evil.example")];
        for target in ["/", "http://localhost/"] {
            assert_eq!(checked(&Method::GET, target, &two), Err(Refusal::NoHost), "{target}");
        }
        assert_eq!(checked(&Method::GET, "/", &[]), Ok(()), "a program that names no host");
        let absolute = "http://evil.example/";
        assert_eq!(
            checked(&Method::GET, absolute, &[("host", "localhost")]),
            Err(Refusal::Host("evil.example".into()))
        );
    }

    #[test]
    fn other_sites_pages_may_link_to_a_page_and_nothing_else() {
        let json = ("content-type", "application/json");
        let host = ("host", "localhost:3000");
        let post = |name, value| checked(&Method::POST, "/api/ping", &[host, json, (name, value)]);
        for site in ["cross-site", "same-site", "anything"] {
            assert_eq!(post("sec-fetch-site", site), Err(Refusal::OtherSite(None)), "{site}");
            let link = [host, ("sec-fetch-site", site), ("sec-fetch-mode", "navigate")];
            assert_eq!(checked(&Method::GET, "/ledger", &link), Ok(()));
            assert_eq!(
                checked(&Method::POST, "/api/ping", &[link[0], link[1], link[2], json]),
                Err(Refusal::OtherSite(None))
            );
            let stream = [host, ("sec-fetch-site", site), ("sec-fetch-mode", "cors")];
            assert_eq!(checked(&Method::GET, "/live/ticket/s", &stream), Err(Refusal::OtherSite(None)));
        }
        assert_eq!([post("sec-fetch-site", "same-origin"), post("sec-fetch-site", "none")], [Ok(()), Ok(())]);
        let both = [host, json, ("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")];
        assert_eq!(checked(&Method::POST, "/api/ping", &both), Err(Refusal::OtherSite(None)));
        // Browsers that do not report the site of a request report its origin.
        assert_eq!(post("origin", "http://localhost:3000"), Ok(()));
        assert_eq!(post("origin", "https://sale.example"), Ok(()), "behind a proxy");
        for (origin, site) in [
            ("http://localhost:8080", None),
            ("https://evil.example", Some("evil.example")),
            ("null", None),
            ("http://localhost:3000.evil.example", None),
        ] {
            assert_eq!(post("origin", origin), Err(Refusal::OtherSite(site.map(str::to_owned))), "{origin}");
        }
    }

    #[test]
    fn the_api_takes_json_and_nothing_that_a_form_could_send() {
        let post = |headers: &[_]| checked(&Method::POST, "/api/red-packet/claim", headers);
        for form in
            ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp"]
        {
            assert_eq!(post(&[("content-type", form)]), Err(Refusal::NotJson), "{form}");
        }
        assert_eq!(post(&[]), Err(Refusal::NotJson));
        assert_eq!(post(&[("content-type", "application/json")]), Ok(()));
        assert_eq!(post(&[("content-type", "Application/JSON; charset=utf-8")]), Ok(()));
        let compressed = |encoding| post(&[("content-type", "application/json"), ("content-encoding", encoding)]);
        assert_eq!(
            [compressed("identity"), compressed(""), compressed("Identity, identity")],
            [Ok(()), Ok(()), Ok(())]
        );
        for encoding in ["gzip", "identity, gzip", " gzip ,"] {
            assert_eq!(compressed(encoding), Err(Refusal::Compressed("gzip".to_owned())), "{encoding}");
        }
        let twice = [("content-type", "application/json"), ("content-encoding", ""), ("content-encoding", "br")];
        assert_eq!(post(&twice), Err(Refusal::Compressed("br".to_owned())));
        // What takes no body refuses the method, not the body.
        for path in ["/api/ledger/export", "/api/openapi.json", "/api/nothing"] {
            assert_eq!(checked(&Method::POST, path, &[]), Ok(()), "{path}");
        }
    }
}
