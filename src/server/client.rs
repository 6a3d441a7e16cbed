//! The client of a request: its peer or, if that is a trusted proxy, the client that the proxy names.
//!
//! Proxies name it in the headers `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host`. Anybody may send these,
//! so they count only from a peer in a trusted network.

use axum::extract::{ConnectInfo, Request};
use http::{
    HeaderMap, HeaderName, Uri, header,
    uri::{Parts, Scheme},
};
use ipnet::IpNet;
use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The networks of the proxies whose headers this server believes.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Arc<[IpNet]>);

impl TrustedProxies {
    /// The proxies in these networks.
    pub fn new(networks: impl IntoIterator<Item = IpNet>) -> Self {
        Self(networks.into_iter().collect())
    }

    /// Returns the address of the client. A request that a trusted proxy has passed on gets the scheme and the host for
    /// which the client asked, so that whatever reads them needs to know of no proxy.
    pub fn identify(&self, request: &mut Request) -> Option<IpAddr> {
        let ConnectInfo(peer) = request.extensions().get::<ConnectInfo<SocketAddr>>()?;
        let peer = peer.ip().to_canonical();
        if !self.trust(peer) {
            return Some(peer);
        }
        let client = self.client(peer, request.headers());
        if let Some(scheme) = last(request.headers(), &FORWARDED_PROTO).and_then(scheme) {
            request.extensions_mut().insert(scheme);
        }
        if let Some(host) = last(request.headers(), &FORWARDED_HOST).and_then(|host| host.try_into().ok()) {
            request.headers_mut().insert(header::HOST, host);
            without_authority(request.uri_mut());
        }
        Some(client)
    }

    fn trust(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Returns the last address that is not trusted. Each proxy adds the address of its peer at the end, so whatever is
    /// before that address may be made up.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        let mut hops = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        let mut client = peer;
        while self.trust(client) {
            let Some(hop) = hops.next().and_then(address) else { break };
            client = hop;
        }
        client
    }
}

/// Reads an address, which some proxies write with a port.
fn address(hop: &[u8]) -> Option<IpAddr> {
    let hop = str::from_utf8(hop).ok()?.trim();
    let with_port = || hop.parse::<SocketAddr>().ok().map(|hop| hop.ip());
    let in_brackets = || hop.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    hop.parse().ok().or_else(with_port).or_else(in_brackets).map(|hop: IpAddr| hop.to_canonical())
}

fn scheme(name: &str) -> Option<Scheme> {
    [Scheme::HTTP, Scheme::HTTPS].into_iter().find(|scheme| scheme.as_str().eq_ignore_ascii_case(name))
}

/// Returns the last value of a list: the one of the nearest proxy.
fn last<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let values = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    values.rsplit(',').next().map(str::trim).filter(|value| !value.is_empty())
}

/// Leaves the host to the header. With HTTP/2, the URI has the one by which the proxy asked.
fn without_authority(uri: &mut Uri) {
    let Some(path_and_query) = uri.path_and_query().cloned() else { return };
    let mut parts = Parts::default();
    parts.path_and_query = Some(path_and_query);
    if let Ok(path) = Uri::from_parts(parts) {
        *uri = path;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    const PROXY: &str = "10.0.0.1";

    /// The client of a request, and the scheme, the host and the URI that the server sees.
    fn identified(peer: &str, uri: &str, headers: &[(&str, &str)]) -> (String, Option<Scheme>, Option<String>, String) {
        let mut request = Request::builder().uri(uri).header("host", "stampede.internal");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::empty()).expect("a request");
        let peer = SocketAddr::new(peer.parse().expect("an address"), 4_711);
        request.extensions_mut().insert(ConnectInfo(peer));
        let networks = ["10.0.0.0/8", "fd00::/8"].map(|network| network.parse().expect("a network"));
        let client = TrustedProxies::new(networks).identify(&mut request).expect("a client");
        let host = request.headers().get("host").map(|host| host.to_str().expect("text").to_owned());
        (client.to_string(), request.extensions().get().cloned(), host, request.uri().to_string())
    }

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let headers: Vec<_> = forwarded.iter().map(|line| ("x-forwarded-for", *line)).collect();
        identified(peer, "/", &headers).0
    }

    #[test]
    fn the_client_is_the_last_address_that_is_not_trusted() {
        for (forwarded, expected) in [
            (&["203.0.113.7"][..], "203.0.113.7"),
            (&["6.6.6.6, 203.0.113.7"], "203.0.113.7"),
            (&["6.6.6.6, 203.0.113.7, 10.0.0.2,10.0.0.3"], "203.0.113.7"),
            (&["6.6.6.6", "203.0.113.7", "10.0.0.2"], "203.0.113.7"),
            (&["10.0.0.9, 10.0.0.2"], "10.0.0.9"),
            (&["203.0.113.7:5000"], "203.0.113.7"),
            (&["2001:db8::1"], "2001:db8::1"),
            (&["[2001:db8::1]:5000, [fd00::1]"], "2001:db8::1"),
            (&["::ffff:203.0.113.7"], "203.0.113.7"),
        ] {
            assert_eq!(client(PROXY, forwarded), expected, "{forwarded:?}");
        }
    }

    #[test]
    fn what_names_no_address_ends_the_search() {
        for (forwarded, expected) in [
            (&[][..], PROXY),
            (&[""], PROXY),
            (&["unknown"], PROXY),
            (&["203.0.113.7, unknown"], PROXY),
            (&["203.0.113.7, unknown, 10.0.0.2"], "10.0.0.2"),
        ] {
            assert_eq!(client(PROXY, forwarded), expected, "{forwarded:?}");
        }
    }

    #[test]
    fn nobody_else_is_believed() {
        let headers =
            [("x-forwarded-for", "6.6.6.6"), ("x-forwarded-proto", "https"), ("x-forwarded-host", "sale.example")];
        let unchanged = ("203.0.113.7".to_owned(), None, Some("stampede.internal".to_owned()), "/a?b".to_owned());
        assert_eq!(identified("203.0.113.7", "/a?b", &headers), unchanged);
        let (client, scheme, host, _) = identified("::ffff:10.0.0.1", "/", &headers);
        assert_eq!((client.as_str(), scheme, host.as_deref()), ("6.6.6.6", Some(Scheme::HTTPS), Some("sale.example")));
    }

    #[test]
    fn scheme_and_host_are_those_of_the_nearest_proxy() {
        let headers = [
            ("x-forwarded-proto", "HTTP"),
            ("x-forwarded-proto", "http, HTTPS"),
            ("x-forwarded-host", "evil.example, sale.example:8443"),
        ];
        let (_, scheme, host, uri) = identified(PROXY, "https://10.0.0.5/a?b", &headers);
        assert_eq!((scheme, host.as_deref()), (Some(Scheme::HTTPS), Some("sale.example:8443")));
        assert_eq!(uri, "/a?b", "the host of HTTP/2 would take precedence");
        for odd in ["ftp", "", "https/1"] {
            assert_eq!(identified(PROXY, "/", &[("x-forwarded-proto", odd)]).1, None, "{odd}");
        }
        let nameless = identified(PROXY, "http://10.0.0.5/", &[("x-forwarded-host", "")]);
        assert_eq!(nameless.3, "http://10.0.0.5/");
    }
}
