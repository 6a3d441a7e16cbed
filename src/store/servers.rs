//! The servers that a URL names: a single Redis, or some of a cluster.

use crate::client_trusting;
use anyhow::{Result, ensure};
use redis::{Client, ConnectionAddr};
use std::path::Path;

/// What URLs of clusters begin with, and what those of their servers do.
const OF_CLUSTERS: [(&str, &str); 2] = [("redis+cluster://", "redis://"), ("rediss+cluster://", "rediss://")];

/// Clients of the servers that a URL names.
#[derive(Clone)]
pub struct Servers {
    /// At least one.
    pub(crate) clients: Vec<Client>,
    pub(crate) is_cluster: bool,
    /// How many replicas must have a change before it is acknowledged.
    pub(crate) replicas: usize,
}

impl Servers {
    /// The servers of a URL: `redis://HOST:PORT` and the other forms of a single Redis, or
    /// `redis+cluster://HOST:PORT,HOST:PORT` with some servers of a cluster, by which the others are found. If a file is
    /// given, only the certificate authorities in it are trusted.
    ///
    /// # Errors
    /// One sentence, as [`client_trusting`]; also if a cluster's URL names a database.
    pub fn of(url: &str, authorities: Option<&Path>) -> Result<Self> {
        let of_cluster =
            OF_CLUSTERS.iter().find_map(|(of_cluster, of_server)| Some((url.strip_prefix(of_cluster)?, *of_server)));
        let Some((rest, scheme)) = of_cluster else {
            return Ok(Self::one(client_trusting(url, authorities)?));
        };
        // A password may have a slash or a comma only if it is encoded.
        let (places, path) = rest.split_once('/').unwrap_or((rest, ""));
        ensure!(
            path.is_empty() || path == "0",
            "A cluster has no other database than 0, so its URL ends with its servers: redis+cluster://HOST:PORT,HOST:PORT."
        );
        let (user, hosts) = places.rsplit_once('@').map_or(("", places), |(user, hosts)| (user, hosts));
        let at = if user.is_empty() { "" } else { "@" };
        let clients = hosts.split(',').map(|host| client_trusting(&format!("{scheme}{user}{at}{host}"), authorities));
        Ok(Self { clients: clients.collect::<Result<_>>()?, is_cluster: true, replicas: 0 })
    }

    /// A single Redis.
    pub fn one(client: Client) -> Self {
        Self { clients: vec![client], is_cluster: false, replicas: 0 }
    }

    /// Acknowledges what an attempt has changed only when so many replicas have it.
    #[must_use]
    pub fn with_replicas(mut self, replicas: usize) -> Self {
        self.replicas = replicas;
        self
    }

    /// Whether they are of a cluster.
    pub fn is_cluster(&self) -> bool {
        self.is_cluster
    }

    /// A client of another server of the same cluster, with the same user and the same kind of connection.
    pub(crate) fn client_at(&self, address: &str) -> Option<Client> {
        let (host, port) = address.rsplit_once(':')?;
        let (host, port) = (host.trim_matches(['[', ']']).to_owned(), port.parse().ok()?);
        let info = self.clients[0].get_connection_info().clone();
        let place = match info.addr().clone() {
            ConnectionAddr::TcpTls { insecure, tls_params, .. } => {
                ConnectionAddr::TcpTls { host, port, insecure, tls_params }
            }
            _ => ConnectionAddr::Tcp(host, port),
        };
        Client::open(info.set_addr(place)).ok()
    }
}

/// The host of a client's server. `None` for a socket.
pub(crate) fn host_of(client: &Client) -> Option<String> {
    match client.get_connection_info().addr() {
        ConnectionAddr::Tcp(host, _) | ConnectionAddr::TcpTls { host, .. } => Some(host.clone()),
        _ => None,
    }
}
