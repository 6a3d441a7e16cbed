//! Reads the list of all sales, one page at a time.

mod sorted;

use crate::KINDS;
use crate::{
    kind::{Kinds, SaleKind},
    list::{
        cursor::{ListCursor, no_such_place},
        service::sorted::AllSales,
    },
    runs,
    shared::Shared,
};
use ledger::{database::Ledger, missing::MissingSalesWatch};
use model::{
    Checks, KindInfo, Millis, OfKind, SaleState, check_id, check_within,
    crowd::Status,
    error::{Code, Error, Result},
    find_kind,
    ledger::SaleName,
    list::{
        AwaySales, DEFAULT_LIMIT, ListQuery, MAX_LIMIT, MAX_TEXT, SaleList, SaleSummary, SaleTotals, Sort, has_text,
        short_ids,
    },
};
use redis::{Value, from_redis_value};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};
use store::{Store, command, keys, runtime::Clock, stream::protocol_error};

/// The names read per round trip when filtering by kind or id, and the most per request.
const NAMES_AT_A_TIME: usize = 1_000;
const MOST_NAMES: usize = 20_000;
/// The most names whose titles are read per request.
const MOST_TITLES: usize = 5_000;
/// The summaries read per round trip when filtering by state, and the most per request.
const SUMMARIES_AT_A_TIME: usize = 200;
const MOST_SUMMARIES: usize = 2_000;
/// The number of sales away that are named. The others are only counted.
const NAMED: usize = 5;

/// Lists the sales of every kind. Cheap to clone.
#[derive(Clone)]
pub struct SaleLists {
    store: Store,
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    kinds: Kinds,
    missing: MissingSalesWatch,
    /// What all readers of a sorted list share.
    all: Arc<Shared<Arc<AllSales>>>,
}

/// The summaries of these sales of one kind. A sale with damaged keys does not keep the others from being listed.
async fn readable(kind: &dyn SaleKind, sales: &[String]) -> Result<Vec<SaleSummary>> {
    match kind.summaries(sales).await {
        Err(error) if error.code == Code::Internal => {}
        summaries => return summaries,
    }
    let mut readable = Vec::with_capacity(sales.len());
    for sale in sales {
        match kind.summaries(std::slice::from_ref(sale)).await {
            Ok(summaries) => readable.extend(summaries),
            Err(error) if error.code == Code::Internal => {
                tracing::error!(
                    kind = kind.info().id,
                    sale,
                    "what Redis has of a sale cannot be read, so it is not listed"
                );
            }
            Err(error) => return Err(error),
        }
    }
    Ok(readable)
}

/// A part of the list, in its order.
#[derive(Default)]
struct Part {
    pub found: Vec<(ListCursor, SaleSummary)>,
    /// The sales whose master does not answer.
    pub away: Vec<ListCursor>,
}

/// A page of the list.
struct FoundPage {
    pub part: Part,
    /// The position of the next page.
    pub next: Option<String>,
    /// What is known only of a sorted list.
    pub of_all: Option<OfAll>,
}

/// What is known of all pages of a list.
struct OfAll {
    pub totals: SaleTotals,
    /// The short forms of generated ids.
    pub short_ids: BTreeMap<String, String>,
}

impl Part {
    fn add(&mut self, Self { found, away }: Self) {
        self.found.extend(found);
        self.away.extend(away);
    }
}

/// A query that has passed validation.
struct CheckedQuery {
    pub kind: Option<&'static KindInfo>,
    state: Option<SaleState>,
    id: Option<String>,
    /// In small letters.
    text: Option<String>,
    pub sale: Option<String>,
    pub sort: Option<Sort>,
    pub limit: usize,
    pub after: Option<String>,
}

impl CheckedQuery {
    fn of(query: ListQuery) -> Result<Self> {
        let mut checks = Checks::default();
        let kind = query.kind.map(|id| find_kind(KINDS.iter(), &id).map(OfKind::info));
        let kind = checks.value(kind.transpose());
        let state = query.state.map(|name| {
            let names = || SaleState::ALL.map(SaleState::name).join(", ");
            SaleState::from_name(&name).ok_or_else(|| {
                Error::bad("state", format!("There is no state \"{name}\"; the states are: {}.", names()))
            })
        });
        let state = checks.note(state.transpose());
        let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
        checks.note(check_within("limit", limit, 1..=MAX_LIMIT, ""));
        let sort = checks.note(sort_of(query.sort.as_deref(), state)).flatten();
        // The state and the order decide what a position looks like.
        let has_a_place = state.is_some_and(|state| state != Some(SaleState::Archived));
        let is_number = |after: &str| sort.is_some() && after.parse::<usize>().is_ok();
        if let Some(after) = query.after.as_ref().filter(|after| has_a_place && !is_number(after)) {
            checks.note(after.parse::<ListCursor>());
        }
        for (field, id) in [("id", &query.id), ("sale", &query.sale)] {
            checks.note(id.as_ref().map_or(Ok(()), |id| check_id(field, id)));
        }
        let letters = query.text.as_ref().map_or(1, |text| text.chars().count());
        checks.finish(check_within("text", letters, 1..=MAX_TEXT, " characters"))?;
        Ok(Self {
            kind,
            state: state.flatten(),
            id: query.id.map(|id| id.to_ascii_lowercase()),
            text: query.text.map(|text| text.to_lowercase()),
            sale: query.sale,
            sort,
            limit: limit as usize,
            after: query.after,
        })
    }

    fn is_in_state(&self, sale: &SaleSummary) -> bool {
        self.state.is_none_or(|state| state == sale.state)
    }

    fn is_wanted(&self, name: &ListCursor) -> bool {
        self.kind.is_none_or(|kind| kind.id == name.kind())
            && self.id.as_ref().is_none_or(|id| name.sale().to_ascii_lowercase().contains(id))
    }

    /// Whether the id or a title of a wanted sale has the text that is searched for.
    fn is_found(&self, sale: &SaleSummary) -> bool {
        self.text.as_ref().is_none_or(|text| sale.has_text(text))
    }

    /// The same for a sale of which only the id is known.
    fn is_found_by_id(&self, name: &ListCursor) -> bool {
        self.text.as_ref().is_none_or(|text| has_text(name.sale(), text))
    }

    fn leaves_some_out(&self) -> bool {
        self.kind.is_some() || self.state.is_some() || self.id.is_some() || self.text.is_some() || self.sale.is_some()
    }

    /// Whether the query asks for less than all sales.
    fn is_narrowed(&self) -> bool {
        self.leaves_some_out() || self.after.is_some()
    }

    /// The number of names to read at a time.
    fn names_at_a_time(&self) -> usize {
        if self.leaves_some_out() { NAMES_AT_A_TIME } else { self.limit + 1 }
    }

    /// The most names to read in all.
    fn most_names(&self) -> usize {
        if self.text.is_some() { MOST_TITLES } else { MOST_NAMES }
    }

    /// The number of summaries to read at a time.
    fn summaries_at_a_time(&self) -> usize {
        if self.state.is_some() { SUMMARIES_AT_A_TIME } else { self.limit + 1 }
    }
}

/// The short forms of the generated ids among these sales, told apart from each other.
fn short_ids_of(sales: &[SaleSummary]) -> BTreeMap<String, String> {
    let ids = || sales.iter().map(|sale| sale.sale.as_str());
    short_ids(ids(), ids())
}

/// The order with this name. The outer `Option` of the state is `None` if the state is not valid.
fn sort_of(name: Option<&str>, state: Option<Option<SaleState>>) -> Result<Option<Sort>> {
    let Some(name) = name else { return Ok(None) };
    if state == Some(Some(SaleState::Archived)) {
        return Err(Error::bad("sort", "Archived sales cannot be sorted; leave `sort` out."));
    }
    let unknown =
        || Error::bad("sort", format!("There is no order \"{name}\"; the orders are: {}.", Sort::names().join(", ")));
    Sort::from_name(name).map(Some).ok_or_else(unknown)
}

impl SaleLists {
    /// The list for these kinds of sale.
    pub fn new(store: Store, ledger: Ledger, clock: Arc<dyn Clock>, kinds: Kinds, missing: MissingSalesWatch) -> Self {
        let all = Arc::new(Shared::new(clock.clone()));
        Self { store, ledger, clock, kinds, missing, all }
    }

    /// A page of the list, newest first or sorted. It may have fewer sales than requested and still a `next`, if the
    /// filter dropped so many that a further search takes another request. Sales whose master does not answer are only
    /// counted.
    ///
    /// # Errors
    /// `bad_request`, `unavailable`; for archived sales, `ledger_unavailable`.
    pub async fn list(&self, query: ListQuery) -> Result<SaleList> {
        let wanted = CheckedQuery::of(query)?;
        if wanted.state == Some(SaleState::Archived) {
            return self.archived(&wanted).await;
        }
        let FoundPage { part: Part { found, away }, next, of_all } = match self.sorted(&wanted).await? {
            Some(sorted) => sorted,
            None => self.find(&wanted).await?,
        };
        let mut found: Vec<SaleSummary> = found.into_iter().map(|(_, sale)| sale).collect();
        self.add_crowd_and_lag(&mut found).await?;
        // If the ledger is unreachable, the sales in Redis are listed all the same.
        let lost = found.is_empty()
            && away.is_empty()
            && !wanted.is_narrowed()
            && self.ledger.newest_sales(1).await.is_ok_and(|sales| !sales.is_empty());
        let (missing, suspended) = (self.missing.latest(), self.missing.suspended());
        let away = self.away(&away);
        let (totals, short_ids) = match of_all {
            Some(OfAll { totals, short_ids }) => (Some(totals), short_ids),
            None => (None, short_ids_of(&found)),
        };
        Ok(SaleList { sales: found, next, lost, missing, suspended, away, short_ids, totals })
    }

    /// Opens a demonstration sale of each kind, unless one with items left is open. Returns each kind with the id of
    /// that sale, or with the error. The sales in `known`, by the ids of their kinds, were open before and are checked
    /// first.
    pub async fn open_demos(
        &self,
        known: &HashMap<&'static str, Result<String>>,
    ) -> Vec<(&'static KindInfo, Result<String>)> {
        let mut demos = Vec::new();
        for kind in self.kinds.iter() {
            let known = known.get(kind.info().id).and_then(|known| known.as_deref().ok());
            demos.push((kind.info(), self.open_demo(kind, known).await));
        }
        demos
    }

    /// What does not answer, with these sales.
    fn away(&self, sales: &[ListCursor]) -> Option<AwaySales> {
        let cluster = self.store.partial_cluster()?;
        let named = sales.iter().take(NAMED);
        let named = named.map(|name| SaleName { kind: name.kind().to_owned(), sale: name.sale().to_owned() });
        Some(AwaySales { cluster, count: sales.len() as u64, sales: named.collect() })
    }

    async fn open_demo(&self, kind: &dyn SaleKind, known: Option<&str>) -> Result<String> {
        let info = kind.info();
        let open = ListQuery {
            kind: Some(info.id.to_owned()),
            state: Some(SaleState::Open.name().to_owned()),
            ..ListQuery::default()
        };
        if let Some(known) = known {
            let SaleList { sales, away, .. } =
                self.list(ListQuery { sale: Some(known.to_owned()), ..open.clone() }).await?;
            // One whose master does not answer is not replaced.
            if !sales.is_empty() || away.is_some_and(|away| away.count > 0) {
                return Ok(known.to_owned());
            }
        }
        match self
            .list(ListQuery { id: Some(info.demo.to_owned()), ..open })
            .await?
            .sales
            .into_iter()
            .find(|open| info.is_demo(&open.sale))
        {
            Some(open) => Ok(open.sale),
            None => kind.open_demo().await,
        }
    }

    /// The matching sales, and the position at which to continue if there are more.
    async fn find(&self, wanted: &CheckedQuery) -> Result<FoundPage> {
        if let Some(sale) = &wanted.sale {
            return Ok(FoundPage { part: self.named(sale, wanted).await?, next: None, of_all: None });
        }
        let mut part = Part::default();
        let mut after: Option<ListCursor> = wanted.after.as_deref().map(str::parse).transpose()?;
        let (mut names_read, mut summaries_read) = (0, 0);
        let next = 'page: loop {
            let names = self.names(after.as_ref(), wanted.names_at_a_time()).await?;
            let Some(last) = names.last().cloned() else { break None };
            names_read += names.len();
            let candidates = names.into_iter().filter(|name| wanted.is_wanted(name)).collect();
            let candidates = self.with_text(candidates, wanted.text.as_deref()).await;
            for candidates in candidates.chunks(wanted.summaries_at_a_time()) {
                let mut summaries = self.summaries(candidates).await?;
                summaries.found.retain(|(_, sale)| wanted.is_in_state(sale));
                part.add(summaries);
                summaries_read += candidates.len();
                if part.found.len() > wanted.limit {
                    // One sale more than requested was found, so there is a next page.
                    part.found.truncate(wanted.limit);
                    let last = part.found.last().map(|(name, _)| name.clone());
                    // The order of names is that of the list, backwards.
                    part.away.retain(|name| last.as_ref().is_none_or(|last| name > last));
                    break 'page last;
                }
                if summaries_read >= MOST_SUMMARIES {
                    break 'page candidates.last().cloned();
                }
            }
            if names_read >= wanted.most_names() {
                break Some(last);
            }
            after = Some(last);
        };
        Ok(FoundPage { part, next: next.map(|next| next.to_string()), of_all: None })
    }

    /// The matching sales with this id, at most one of each kind.
    async fn named(&self, sale: &str, wanted: &CheckedQuery) -> Result<Part> {
        let names: Vec<String> = self.kinds.iter().map(|kind| keys::name(kind.info().id, sale)).collect();
        let scores: Vec<Option<f64>> = self.store.query("ZMSCORE", (self.store.key(keys::SALES), &names)).await?;
        let names = names.into_iter().zip(scores);
        let names = names.filter_map(|(name, score)| ListCursor::of(score? as Millis, name));
        let names = names.filter(|name| wanted.is_wanted(name)).collect();
        let names = self.with_text(names, wanted.text.as_deref()).await;
        let mut part = self.summaries(&names).await?;
        part.found.retain(|(_, sale)| wanted.is_in_state(sale));
        Ok(part)
    }

    /// Those of these sales whose id or title has this text in it.
    async fn with_text(&self, names: Vec<ListCursor>, text: Option<&str>) -> Vec<ListCursor> {
        let Some(text) = text else { return names };
        // If this fails, the titles cannot be read either.
        self.store.find_groups(names.iter().map(ListCursor::name)).await.ok();
        let titles = names.iter().map(|name| {
            let mut titles = command("HMGET");
            titles.arg(self.store.sale_key(name.kind(), name.sale(), "meta")).arg(&["title_en", "title_zh"]);
            titles
        });
        // A sale whose titles cannot be read has its id.
        let titles = self.store.each(titles.collect()).await.into_iter().map(|titles| {
            let titles = titles.ok().and_then(|titles| from_redis_value::<Vec<Option<String>>>(titles).ok());
            titles.unwrap_or_default()
        });
        let has_text = |name: &ListCursor, titles: &[Option<String>]| {
            has_text(name.sale(), text) || titles.iter().flatten().any(|title| has_text(title, text))
        };
        names.into_iter().zip(titles).filter(|(name, titles)| has_text(name, titles)).map(|(name, _)| name).collect()
    }

    /// Archived sales, which only the ledger has. Their cursors are the numbers that the ledger assigned to them.
    async fn archived(&self, wanted: &CheckedQuery) -> Result<SaleList> {
        let before = match &wanted.after {
            Some(after) => after.parse().ok().filter(|number| *number > 0).ok_or_else(|| no_such_place(after))?,
            None => i64::MAX,
        };
        let kind = wanted.kind.map(|kind| kind.id);
        let (part, sale) = (wanted.id.as_deref(), wanted.sale.as_deref());
        // By a text, few of them may be wanted.
        let at_a_time = if wanted.text.is_some() { MAX_LIMIT } else { wanted.limit as u32 + 1 };
        let (mut sales, mut next, mut before, mut read) = (Vec::new(), None, before, 0);
        'page: loop {
            let found = self.ledger.archived(kind, part, sale, before, at_a_time).await?;
            let is_last = found.len() < at_a_time as usize;
            read += found.len();
            for (number, summary) in found {
                let summary: SaleSummary = serde_json::from_str(&summary).map_err(Error::internal)?;
                if wanted.is_found(&summary) {
                    if sales.len() == wanted.limit {
                        next = Some(before.to_string());
                        break 'page;
                    }
                    sales.push(summary);
                }
                before = number;
            }
            if is_last {
                break;
            }
            if read >= MOST_SUMMARIES {
                next = Some(before.to_string());
                break;
            }
        }
        let (missing, suspended) = (self.missing.latest(), self.missing.suspended());
        let (away, short_ids) = (self.away(&[]), short_ids_of(&sales));
        Ok(SaleList { sales, next, lost: false, missing, suspended, away, short_ids, totals: None })
    }

    /// The names that follow `after` in the list, newest first.
    async fn names(&self, after: Option<&ListCursor>, count: usize) -> Result<Vec<ListCursor>> {
        let newest = after.map_or_else(|| "+inf".to_owned(), |after| after.opened_at.to_string());
        let mut offset = 0;
        loop {
            let range =
                (self.store.key(keys::SALES), &newest, "-inf", "BYSCORE", "REV", "LIMIT", offset, count, "WITHSCORES");
            let names: Vec<(Vec<u8>, f64)> = self.store.query("ZRANGE", range).await?;
            let is_end = names.len() < count;
            offset += names.len();
            let names = names.into_iter().filter_map(|(name, score)| {
                // Entries that somebody added by hand may not be text.
                ListCursor::of(score as Millis, String::from_utf8(name).ok()?)
            });
            // Sales opened in the same millisecond are ordered by name.
            let following: Vec<ListCursor> = names.filter(|name| after.is_none_or(|after| name < after)).collect();
            if is_end || !following.is_empty() {
                return Ok(following);
            }
        }
    }

    /// The summaries of those sales that exist, in order.
    async fn summaries(&self, names: &[ListCursor]) -> Result<Part> {
        self.store.of_reachable(|| self.reachable_summaries(names)).await
    }

    async fn reachable_summaries(&self, names: &[ListCursor]) -> Result<Part> {
        self.store.find_groups(names.iter().map(ListCursor::name)).await?;
        let is_reachable =
            |name: &&ListCursor| self.store.is_reachable(&self.store.sale_key(name.kind(), name.sale(), "meta"));
        let (names, away): (Vec<&ListCursor>, Vec<&ListCursor>) = names.iter().partition(is_reachable);
        let mut summaries = HashMap::with_capacity(names.len());
        for kind in self.kinds.iter() {
            let of_kind = names.iter().filter(|name| name.kind() == kind.info().id);
            let sales: Vec<String> = of_kind.map(|name| name.sale().to_owned()).collect();
            if !sales.is_empty() {
                summaries.extend(
                    readable(kind, &sales).await?.into_iter().map(|sale| (keys::name(&sale.kind, &sale.sale), sale)),
                );
            }
        }
        let found = names.into_iter().filter_map(|name| Some((name.clone(), summaries.remove(name.name())?)));
        Ok(Part { found: found.collect(), away: away.into_iter().cloned().collect() })
    }

    /// Adds the fields that all kinds share: whether a crowd is running, and the lag of the ledger.
    async fn add_crowd_and_lag(&self, sales: &mut [SaleSummary]) -> Result<()> {
        if sales.is_empty() {
            return Ok(());
        }
        let mut commands = Vec::with_capacity(2 * sales.len());
        for sale in &*sales {
            let key = |part: &str| self.store.sale_key(&sale.kind, &sale.sale, part);
            let (mut crowd, mut groups) = (command("GET"), command("XINFO"));
            crowd.arg(key("crowd"));
            groups.arg("GROUPS").arg(key("events"));
            commands.extend([crowd, groups]);
        }
        // A sale that is being opened has no stream yet, for which XINFO returns an error.
        let values = self.store.each(commands).await;
        let now = self.clock.now();
        for (sale, values) in sales.iter_mut().zip(values.chunks_exact(2)) {
            if let Ok(crowd) = &values[0] {
                let crowd: Option<String> = from_redis_value(crowd.clone()).map_err(protocol_error)?;
                sale.crowd = crowd
                    .is_some_and(|json| runs::read(&json, now).is_ok_and(|status: Status| !status.phase.is_over()));
            }
            if let Ok(groups) = &values[1] {
                sale.lag_events = lag(groups)?;
            }
        }
        Ok(())
    }
}

/// The lag of the group `ledger`, if known.
fn lag(groups: &Value) -> Result<Option<u64>> {
    let groups: Vec<HashMap<String, Value>> = from_redis_value(groups.clone()).map_err(protocol_error)?;
    for group in groups {
        let text = |name: &str| group.get(name).cloned().unwrap_or(Value::Nil);
        if from_redis_value::<String>(text("name")).map_err(protocol_error)? == "ledger" {
            return from_redis_value(text("lag")).map_err(protocol_error);
        }
    }
    Ok(None)
}

/// The demonstration sales of each kind.
#[derive(Default)]
pub struct Demos {
    /// The open one, or the error.
    open: HashMap<&'static str, Result<String>>,
    /// The kinds of which one was scheduled, since the program was started.
    scheduled: HashSet<&'static str>,
}

impl Demos {
    /// Opens new demonstration sales for those in which nothing is left, and one of each kind that starts in a minute, and
    /// logs the changes. Errors are only logged, as the sales are only a demonstration.
    pub async fn open(&mut self, lists: &SaleLists) {
        for (kind, demo) in lists.open_demos(&self.open).await {
            if self.open.get(kind.id) == Some(&demo) {
                continue;
            }
            match &demo {
                Ok(sale) => tracing::info!(kind = kind.id, sale, "a demonstration sale is open"),
                Err(error) => tracing::warn!(kind = kind.id, %error, "a demonstration sale could not be opened"),
            }
            self.open.insert(kind.id, demo);
        }
        for kind in lists.kinds.iter() {
            let id = kind.info().id;
            if self.scheduled.contains(id) {
                continue;
            }
            match kind.schedule_demo().await {
                Ok(sale) => {
                    tracing::info!(kind = id, sale, "a demonstration sale starts in a minute");
                    self.scheduled.insert(id);
                }
                Err(error) => tracing::warn!(kind = id, %error, "a demonstration sale could not be scheduled"),
            }
        }
    }
}
