//! The groups of sales. The keys of all sales of a group are in one slot, so that one script can take several of them.
//!
//! A sale of a group is found by its id alone. Where the record of a sale without a group would be (`meta`), there is
//! one that has nothing but the name of the group (`lua/sale/join_group.lua`). It is stored before the sale is opened, in
//! one step that fails if the id is taken. So no id has two sales, with and without a group.
//!
//! A sale stays in its group, so a process remembers what it has read. It takes a sale of which it knows nothing for one
//! without a group, which costs such sales nothing. If Redis then has no such sale, the process looks for a group
//! ([`Store::find_group`]). What reads the keys of sales by the list looks for the groups of new ones first
//! ([`Store::find_groups`]).

use crate::{
    Store, command, failure, keys,
    reply::ReplyCode,
    runtime::locked,
    script::{Script, script},
};
use model::{
    Millis,
    error::{Code, Error, Result},
};
use moka::sync::Cache;
use redis::from_redis_value;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

/// Puts an id into a group, before its sale is opened.
pub static JOIN_GROUP: Script = script!("sale/join_group.lua");

/// The maximum number of sales that are remembered as having no group. Others are looked for again.
const ALONE: u64 = 100_000;

/// What is known of a sale of a group.
struct Member {
    group: Arc<str>,
    /// Whether the list has it: not before it is opened, and no longer once it is archived.
    is_listed: bool,
}

/// The groups that this process knows.
pub(super) struct Groups {
    /// The sales that have one, by name.
    by_name: RwLock<HashMap<String, Member>>,
    /// The names of listed sales without a group.
    alone: Cache<String, ()>,
    /// The number of recoveries when they were read. A recovery may restore that a sale has a group.
    recovered: Mutex<u64>,
}

impl Default for Groups {
    fn default() -> Self {
        let alone = Cache::builder().max_capacity(ALONE).build();
        Self { by_name: RwLock::default(), alone, recovered: Mutex::default() }
    }
}

impl Groups {
    fn of(&self, kind: &str, sale: &str) -> Option<Arc<str>> {
        let by_name = self.by_name.read().unwrap_or_else(PoisonError::into_inner);
        // Most servers have no groups.
        if by_name.is_empty() { None } else { by_name.get(&keys::name(kind, sale)).map(|member| member.group.clone()) }
    }

    /// Remembers the group of a sale.
    fn learn(&self, name: String, group: &str) {
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        by_name.entry(name).or_insert_with(|| Member { group: group.into(), is_listed: false });
    }

    /// Notes that a sale was added to the list.
    pub(super) fn note_added(&self, name: &str) {
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(member) = by_name.get_mut(name) {
            member.is_listed = true;
        }
    }

    /// Notes which sales are listed. The others stay known: one may have been added since the list was read.
    pub(super) fn note_listed(&self, names: &[String]) {
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        if by_name.is_empty() {
            return;
        }
        let listed: HashSet<&str> = names.iter().map(String::as_str).collect();
        for (name, member) in by_name.iter_mut() {
            member.is_listed = listed.contains(name.as_str());
        }
    }

    /// Forgets a sale that is no longer in Redis.
    pub(super) fn forget(&self, name: &str) {
        self.by_name.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        self.alone.invalidate(name);
    }

    /// Looks for the groups of all sales again if there were recoveries since.
    pub(super) fn note_recovered(&self, count: u64) {
        let mut recovered = locked(&self.recovered);
        if *recovered != count {
            *recovered = count;
            self.alone.invalidate_all();
        }
    }
}

impl Store {
    /// The group of a sale. `None` if it has none, or this process does not know it.
    pub fn group_of(&self, kind: &str, sale: &str) -> Option<Arc<str>> {
        self.inner.groups.of(kind, sale)
    }

    /// The other listed sales of the group of a sale that this process knows, in order.
    pub fn others_of_group(&self, kind: &str, sale: &str) -> Vec<String> {
        let Some(group) = self.group_of(kind, sale) else { return Vec::new() };
        let by_name = self.inner.groups.by_name.read().unwrap_or_else(PoisonError::into_inner);
        let of_group = by_name.iter().filter(|(_, member)| member.is_listed && member.group == group);
        let names = of_group.filter_map(|(name, _)| keys::split_name(name));
        let mut others: Vec<String> =
            names.filter(|(of, other)| *of == kind && *other != sale).map(|(_, other)| other.to_owned()).collect();
        others.sort_unstable();
        others
    }

    /// A key of a sale.
    pub fn sale_key(&self, kind: &str, sale: &str, part: &str) -> String {
        match self.group_of(kind, sale) {
            Some(group) => keys::sale_of_group(kind, &group, sale, part),
            None => keys::sale(kind, sale, part),
        }
    }

    /// Several keys of a sale.
    pub fn sale_keys(&self, kind: &str, sale: &str, parts: &[impl AsRef<str>]) -> Vec<String> {
        let group = self.group_of(kind, sale);
        let key = |part: &str| match &group {
            Some(group) => keys::sale_of_group(kind, group, sale, part),
            None => keys::sale(kind, sale, part),
        };
        parts.iter().map(|part| key(part.as_ref())).collect()
    }

    /// Looks for the group of a sale that Redis does not have as one without a group. Returns whether it was found only
    /// now: then the sale may be there.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn find_group(&self, kind: &str, sale: &str) -> Result<bool> {
        if self.group_of(kind, sale).is_some() {
            return Ok(false);
        }
        let name = keys::name(kind, sale);
        self.inner.groups.alone.invalidate(&name);
        self.find_groups([name]).await?;
        Ok(self.group_of(kind, sale).is_some())
    }

    /// Looks for the groups of those of these sales, by name, that this process does not know.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn find_groups(&self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Result<()> {
        let groups = &self.inner.groups;
        let is_new = |name: &str| {
            // What a server has that does not answer is looked for again.
            let is_unknown = |(kind, sale): (&str, &str)| {
                groups.of(kind, sale).is_none() && self.is_reachable(&keys::sale(kind, sale, "meta"))
            };
            !groups.alone.contains_key(name) && keys::split_name(name).is_some_and(is_unknown)
        };
        let names = names.into_iter().filter(|name| is_new(name.as_ref()));
        let names: Vec<String> = names.map(|name| name.as_ref().to_owned()).collect();
        let asked = names.iter().filter_map(|name| {
            let (kind, sale) = keys::split_name(name)?;
            let mut group = command("HGET");
            group.arg(keys::sale(kind, sale, "meta")).arg("group");
            Some(group)
        });
        let asked = asked.collect::<Vec<_>>();
        if asked.is_empty() {
            return Ok(());
        }
        for (name, group) in names.into_iter().zip(self.each(asked).await) {
            match group.and_then(|group| from_redis_value::<Option<String>>(group).map_err(Into::into)) {
                Ok(Some(group)) => groups.learn(name, &group),
                Ok(None) => groups.alone.insert(name, ()),
                // Something else is stored there.
                Err(error) if failure::is_of_another_type(&error) => {}
                // A part of a cluster that fails keeps nobody from the others.
                Err(_) if self.is_cluster() => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
        Ok(())
    }

    /// Puts an id into a group, before its sale is opened with this packed plan. Returns `Done` if it is in the group
    /// now, `Repeat` if it was before, `Exists` if it is taken by a sale of another group or of none, and `TooLate` for
    /// times that have passed.
    ///
    /// # Errors
    /// As [`Store::eval`].
    pub async fn join_group(
        &self,
        (kind, sale): (&str, &str),
        group: &str,
        script_time: &str,
        plan: &[u8],
    ) -> Result<ReplyCode> {
        let record = keys::sale(kind, sale, "meta");
        self.refuse_new(&record)?;
        let args = (script_time, group, plan);
        let code = self.eval_on(&JOIN_GROUP, &[record], &args).await?.code;
        if matches!(code, ReplyCode::Done | ReplyCode::Repeat) {
            self.inner.groups.learn(keys::name(kind, sale), group);
        }
        Ok(code)
    }

    /// Restores that a sale has a group, before it is recovered. Whatever else is stored there is deleted.
    ///
    /// # Errors
    /// `sale_exists` if the id has a sale without a group; `unavailable`.
    pub async fn restore_group(&self, (kind, sale): (&str, &str), group: &str, now: Millis) -> Result<()> {
        let record = keys::sale(kind, sale, "meta");
        if !matches!(self.query::<String>("TYPE", &record).await?.as_str(), "none" | "hash") {
            self.query::<i64>("UNLINK", &record).await?;
        }
        match self.join_group((kind, sale), group, &now.to_string(), &[]).await? {
            ReplyCode::Done | ReplyCode::Repeat => Ok(()),
            _ => Err(Error::new(
                Code::SaleExists,
                format!("Redis has another sale \"{sale}\", of another group or none."),
            )),
        }
    }

    /// Lets go of the group of an archived sale after these seconds, as its own record does.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn leave_group(&self, kind: &str, sale: &str, kept_s: u64) -> Result<()> {
        if self.group_of(kind, sale).is_none() {
            return Ok(());
        }
        self.query::<i64>("EXPIRE", (keys::sale(kind, sale, "meta"), kept_s, "NX")).await.map(drop)
    }
}
