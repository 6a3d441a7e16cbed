//! Which Redis has which slot: one Redis has all of them, the masters of a cluster share them.
//!
//! A single Redis is a topology of one server that never changes, so every call takes the same way. What a cluster says
//! of itself is asked of all its servers, aside from all calls: a server that hangs delays nobody. The answer with the
//! highest epoch counts, because a minority that is cut off goes on answering as well (Redis Cluster Specification,
//! "Cluster current epoch").

use crate::{
    CONNECTION_TIMEOUT, address, command,
    failure::refusal,
    node::Node,
    out_of_reach,
    servers::{Servers, host_of},
    slot::SLOTS,
};
use futures::{StreamExt, stream::FuturesUnordered};
use redis::{Client, RedisResult, Value, from_redis_value};
use std::{
    collections::BTreeSet,
    sync::{Arc, PoisonError, RwLock, Weak},
    time::Duration,
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep, timeout, timeout_at},
};

/// The time between looks at a cluster that gives no sign of a change.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The bounds of the time between two looks.
const REST: Duration = Duration::from_millis(20);
const LONGEST_REST: Duration = Duration::from_millis(200);
/// How long the others are waited for once one has answered.
const OTHERS_WITHIN: Duration = Duration::from_millis(200);
/// The entry of a slot that no master has.
const NOWHERE: u16 = u16::MAX;

/// The servers and what each has.
pub(crate) struct Topology {
    servers: Servers,
    layout: RwLock<Arc<Layout>>,
    /// A call has met a server that was not the right one, or not there.
    is_stale: Notify,
    /// A look has ended.
    was_looked_at: Notify,
}

/// Which master has which slot at one moment.
pub(crate) struct Layout {
    pub(crate) masters: Vec<Arc<Node>>,
    /// The index of the master of each slot.
    slots: Vec<u16>,
    epoch: u64,
    /// Rises with every change.
    pub(crate) version: u64,
}

impl Layout {
    fn of_one(node: Arc<Node>) -> Self {
        Self { masters: vec![node], slots: vec![0; usize::from(SLOTS)], epoch: 0, version: 0 }
    }

    /// The master of a slot, if there is one now.
    pub(crate) fn master_of(&self, slot: u16) -> Option<&Arc<Node>> {
        self.masters.get(self.index_of(slot))
    }

    /// The place of that master among all. None has the place of a slot without a master.
    pub(crate) fn index_of(&self, slot: u16) -> usize {
        usize::from(self.slots[usize::from(slot)])
    }

    /// Whether there are the same masters, and every slot has the same one.
    fn is_as(&self, other: &Self) -> bool {
        let addresses = |layout: &Self| layout.masters.iter().map(|node| node.address.clone()).collect::<BTreeSet<_>>();
        let address = |layout: &Self, slot: u16| layout.master_of(slot).map(|node| node.address.clone());
        self.epoch == other.epoch
            && addresses(self) == addresses(other)
            && (0..SLOTS).all(|slot| address(self, slot) == address(other, slot))
    }

    fn with_address(&self, address: &str) -> Option<&Arc<Node>> {
        self.masters.iter().find(|node| node.address == address)
    }
}

/// What one server says of the cluster.
struct Account {
    epoch: u64,
    /// The slots of each master: first, last, address.
    ranges: Vec<(u16, u16, String)>,
}

impl Topology {
    /// Connects to a single Redis, or asks a cluster for its servers, and again whenever it has changed.
    ///
    /// # Errors
    /// One sentence if none answers.
    pub(crate) async fn connect(servers: Servers) -> anyhow::Result<Arc<Self>> {
        let first = Arc::new(Node::new(servers.clients[0].clone())?);
        let layout = RwLock::new(Arc::new(Layout::of_one(first.clone())));
        let topology = Arc::new(Self { servers, layout, is_stale: Notify::new(), was_looked_at: Notify::new() });
        let answered = match topology.is_cluster() {
            true => topology.look().await,
            false => first.answers().await,
        };
        answered.map_err(|error| match refusal(&error) {
            Some(refusal) => refusal.into(),
            None if error.detail().is_some_and(|why| why.contains("cluster support disabled")) => anyhow::anyhow!(
                "Redis at {} is not part of a cluster; name it by --redis redis://HOST:PORT.",
                first.address
            ),
            None => out_of_reach(&first.client, &error),
        })?;
        if topology.is_cluster() {
            tokio::spawn(watch(Arc::downgrade(&topology)));
        }
        Ok(topology)
    }

    pub(crate) fn is_cluster(&self) -> bool {
        self.servers.is_cluster
    }

    /// How many replicas must have a change before it is acknowledged.
    pub(crate) fn replicas(&self) -> usize {
        self.servers.replicas
    }

    pub(crate) fn layout(&self) -> Arc<Layout> {
        self.layout.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has the cluster looked at soon.
    pub(crate) fn note_stale(&self) {
        self.is_stale.notify_one();
    }

    /// Waits until the cluster was looked at, at most for `longest`.
    pub(crate) async fn next_look(&self, longest: Duration) {
        let looked = self.was_looked_at.notified();
        self.note_stale();
        timeout(longest, looked).await.ok();
    }

    /// A master that this server has named in a redirection. The next calls for the slot go to it at once.
    pub(crate) fn follow(&self, slot: u16, address: &str, by: &Node) -> Option<Arc<Node>> {
        let address = &named(address, &by.client)?;
        let mut layout = self.layout.write().unwrap_or_else(PoisonError::into_inner);
        let (mut masters, mut slots) = (layout.masters.clone(), layout.slots.clone());
        let node = match layout.with_address(address) {
            Some(node) => node.clone(),
            None => Arc::new(Node::new(self.servers.client_at(address)?).ok()?),
        };
        let index = masters.iter().position(|master| Arc::ptr_eq(master, &node)).unwrap_or_else(|| {
            masters.push(node.clone());
            masters.len() - 1
        });
        slots[usize::from(slot)] = u16::try_from(index).unwrap_or(NOWHERE);
        *layout = Arc::new(Layout { masters, slots, epoch: layout.epoch, version: layout.version + 1 });
        drop(layout);
        self.note_stale();
        Some(node)
    }

    /// Asks all known servers which slots each has, and goes by the newest answer.
    async fn look(&self) -> RedisResult<()> {
        let mut clients: Vec<Client> = self.layout().masters.iter().map(|node| node.client.clone()).collect();
        let known: BTreeSet<String> = clients.iter().map(address).collect();
        clients.extend(self.servers.clients.iter().filter(|seed| !known.contains(&address(seed))).cloned());
        let mut asked: FuturesUnordered<_> = clients.iter().map(|client| self.ask(client)).collect();
        let mut newest: Option<Account> = None;
        let (mut failure, mut deadline) = (None, Instant::now() + 2 * CONNECTION_TIMEOUT);
        while let Ok(Some(answer)) = timeout_at(deadline, asked.next()).await {
            match answer {
                Ok(account) => {
                    if newest.is_none() {
                        deadline = Instant::now() + OTHERS_WITHIN;
                    }
                    if newest.as_ref().is_none_or(|newest| account.epoch > newest.epoch) {
                        newest = Some(account);
                    }
                }
                Err(error) => failure = Some(error),
            }
        }
        drop(asked);
        let Some(newest) = newest else {
            return Err(failure.unwrap_or_else(|| std::io::Error::from(std::io::ErrorKind::TimedOut).into()));
        };
        self.take(newest)
    }

    /// What a server says of the cluster, by a connection of its own: those of the calls may be waiting for a server that
    /// hangs.
    async fn ask(&self, client: &Client) -> RedisResult<Account> {
        let config = redis::AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECTION_TIMEOUT))
            .set_response_timeout(Some(CONNECTION_TIMEOUT));
        let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        let info: String = command("CLUSTER").arg("INFO").query_async(&mut connection).await?;
        let slots: Vec<Vec<Value>> = command("CLUSTER").arg("SLOTS").query_async(&mut connection).await?;
        let epoch = crate::info_field(&info, "cluster_current_epoch").and_then(|epoch| epoch.trim().parse().ok());
        let ranges = slots.into_iter().filter_map(|range| range_of(range, client));
        Ok(Account { epoch: epoch.unwrap_or(0), ranges: ranges.collect() })
    }

    /// Goes by this account from now on, unless a newer one is known. Servers that stay keep their connections.
    fn take(&self, account: Account) -> RedisResult<()> {
        let mut known = self.layout.write().unwrap_or_else(PoisonError::into_inner);
        if account.epoch < known.epoch {
            return Ok(());
        }
        let (mut masters, mut slots) = (Vec::<Arc<Node>>::new(), vec![NOWHERE; usize::from(SLOTS)]);
        for (first, last, address) in account.ranges {
            let index = match masters.iter().position(|node| node.address == address) {
                Some(index) => index,
                None => {
                    let Some(client) = self.servers.client_at(&address) else { continue };
                    let node = match known.with_address(&address) {
                        Some(node) => node.clone(),
                        None => Arc::new(Node::new(client)?),
                    };
                    masters.push(node);
                    masters.len() - 1
                }
            };
            slots[usize::from(first)..=usize::from(last)].fill(u16::try_from(index).unwrap_or(NOWHERE));
        }
        let layout = Layout { masters, slots, epoch: account.epoch, version: known.version + 1 };
        if layout.is_as(&known) {
            return Ok(());
        }
        let names: Vec<&str> = layout.masters.iter().map(|node| node.address.as_str()).collect();
        tracing::info!(masters = names.join(", "), epoch = layout.epoch, "what the masters of the cluster have is new");
        *known = Arc::new(layout);
        Ok(())
    }
}

/// Looks at a cluster whenever a call has found it changed, and regularly, until it is dropped. As long as calls find it
/// changed and a look does not, as while a master is lost, the looks come less often: each makes new connections.
async fn watch(topology: Weak<Topology>) {
    let mut rest = REST;
    loop {
        let Some(this) = topology.upgrade() else { return };
        let was_called = timeout(LOOK_EVERY, this.is_stale.notified()).await.is_ok();
        let before = this.layout().version;
        if let Err(error) = this.look().await {
            tracing::debug!(%error, "no server of the cluster answers");
        }
        let is_as_before = this.layout().version == before;
        rest = if was_called && is_as_before { (2 * rest).min(LONGEST_REST) } else { REST };
        this.was_looked_at.notify_waiters();
        drop(this);
        sleep(rest).await;
    }
}

/// A range of slots and the address of its master, as `CLUSTER SLOTS` says.
fn range_of(range: Vec<Value>, asked: &Client) -> Option<(u16, u16, String)> {
    let mut parts = range.into_iter();
    let mut number = || from_redis_value::<u16>(parts.next()?).ok().filter(|slot| *slot < SLOTS);
    let (first, last) = (number()?, number()?);
    let mut master = from_redis_value::<Vec<Value>>(parts.next()?).ok()?.into_iter();
    let host: Option<String> = from_redis_value(master.next()?).ok()?;
    let port: u16 = from_redis_value(master.next()?).ok()?;
    let address = named(&format!("{}:{port}", host.unwrap_or_default()), asked)?;
    (first <= last).then_some((first, last, address))
}

/// An address as a server has told it. A server that does not know its own name leaves it out: it is the one that was
/// asked.
fn named(address: &str, asked: &Client) -> Option<String> {
    let port = address.strip_prefix('?').unwrap_or(address);
    match port.strip_prefix(':') {
        Some(port) => Some(format!("{}:{port}", host_of(asked)?)),
        None => Some(address.to_owned()),
    }
}
