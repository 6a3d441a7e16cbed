//! Every order in which the attempts of a scene can take their steps, played on a real Redis.
//!
//! Attempts are deterministic: what an attempt does next follows from the replies that it got, and what EXEC does from
//! what has been written since WATCH. So two schedules that led to the same records, with the same replies to everybody
//! and the same records at each WATCH, have the same future, and it is played once. The moments and the steps between
//! them are a graph without circles. Its paths are the orders, which are counted without walking each of them.

mod graph;

use crate::{
    home::Lab,
    stepper::{self, Stage},
};
use graph::Graph;
use model::{
    error::{Code, Error, Result},
    lab::{
        orders::Orders,
        trace::{Form, Play, Record},
    },
};
use std::collections::{BTreeMap, HashMap, hash_map::Entry};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The replies to each participant so far, with what had happened at each WATCH.
type Replies = BTreeMap<char, Vec<String>>;
/// How many steps of each participant may have changed something.
type Changes = BTreeMap<char, usize>;

/// Commands that change nothing.
const READS: [&str; 4] = ["GET", "HGET", "WATCH", "UNWATCH"];

/// All that the future depends on: the records, and for each participant its replies, whether it can go, and whether it
/// has its answer.
#[derive(PartialEq, Eq, Hash)]
struct Moment {
    records: Vec<Record>,
    participants: Vec<(char, Vec<String>, bool, bool)>,
}

/// What ends a search before its last order.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most moments.
    pub moments: usize,
    /// When it has taken long enough, as on a slow network.
    pub until: Option<Instant>,
    /// The server stops.
    pub stop: CancellationToken,
}

impl Limits {
    /// No limit but this number of moments.
    pub fn of_moments(moments: usize) -> Self {
        Self { moments, until: None, stop: CancellationToken::new() }
    }
}

/// Plays all orders of a scene, within these limits. The schedule of the play does not matter.
///
/// # Errors
/// `bad_request`; `busy` if the server stops; `unavailable` and the like if Redis or the database fails; `internal` if
/// an order has no end.
pub async fn orders(lab: &Lab, scene: &Play, limits: &Limits) -> Result<Orders> {
    stepper::check(scene)?;
    let mut search = Search { most_moments: limits.moments, ..Search::default() };
    search.run(lab, scene, limits).await?;
    search.graph.orders(scene).map_err(Error::internal)
}

/// The moments found so far, and what is still to be played.
#[derive(Default)]
struct Search {
    most_moments: usize,
    graph: Graph,
    /// The place of each moment in the graph.
    places: HashMap<Moment, usize>,
    /// Schedules whose last step has yet to be taken, each with the place from which it leads on.
    open: Vec<(usize, String)>,
}

impl Search {
    async fn run(&mut self, lab: &Lab, scene: &Play, limits: &Limits) -> Result<()> {
        self.open.push((0, String::new()));
        while let Some((from, schedule)) = self.open.pop() {
            if limits.stop.is_cancelled() {
                return Err(Error::new(Code::Busy, "The server stops, and the search with it; ask again in a moment."));
            }
            if limits.until.is_some_and(|until| Instant::now() > until) {
                self.graph.is_complete = false;
                break;
            }
            let mut stage = Stage::set(lab, scene).await?;
            let followed = self.follow(&mut stage, from, schedule).await;
            stage.clear().await?;
            followed?;
            if !self.graph.is_complete {
                break;
            }
        }
        Ok(())
    }

    /// Plays a schedule, and goes on along the first of the possible steps until nothing new comes. The other steps are
    /// kept for later.
    async fn follow(&mut self, stage: &mut Stage, mut from: usize, mut schedule: String) -> Result<()> {
        let (mut replies, mut changes) = (Replies::new(), Changes::new());
        for letter in schedule.chars() {
            step(stage, letter, &mut replies, &mut changes).await?;
        }
        loop {
            let moment = moment(stage, &replies).await?;
            let Some(place) = self.arrive(from, schedule.chars().last(), moment) else { return Ok(()) };
            if let Some(outcome) = stage.outcome().await? {
                self.graph.end(place, outcome);
                return Ok(());
            }
            let participants = stage.participants();
            let mut able = participants.iter().filter(|one| one.can_go).map(|one| one.letter);
            // Without a step, the moment is a dead end, which the graph reports.
            let Some(first) = able.next() else { return Ok(()) };
            let others: Vec<_> = able.map(|letter| (place, format!("{schedule}{letter}"))).collect();
            self.open.extend(others.into_iter().rev());
            step(stage, first, &mut replies, &mut changes).await?;
            schedule.push(first);
            from = place;
        }
    }

    /// Notes where a step has led to. Returns the place if it is new, unless there are too many.
    fn arrive(&mut self, from: usize, letter: Option<char>, moment: Moment) -> Option<usize> {
        let found = self.places.len();
        let (place, is_new) = match self.places.entry(moment) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(_) if found == self.most_moments => {
                self.graph.is_complete = false;
                return None;
            }
            Entry::Vacant(new) => {
                new.insert(found);
                self.graph.add();
                (found, true)
            }
        };
        if let Some(letter) = letter {
            self.graph.connect(from, letter, place);
        }
        is_new.then_some(place)
    }
}

async fn step(stage: &mut Stage, letter: char, replies: &mut Replies, changes: &mut Changes) -> Result<()> {
    let step = stage.step(letter).await?;
    let waits = stage.participants().iter().any(|one| one.letter == letter && !one.can_go && one.next.is_some());
    // Time leaves its traces in the records; and whoever waits is where it was.
    if step.call.form == Form::Time || waits {
        return Ok(());
    }
    let has_verb =
        |is: fn(&str) -> bool| step.call.commands.iter().filter_map(|command| command.first()).any(|verb| is(verb));
    // EXEC that finds something changed has no other reply than this.
    if has_verb(|verb| !READS.contains(&verb)) && step.reply.as_deref() != Some("(nil)") {
        *changes.entry(letter).or_default() += 1;
    }
    let replies = replies.entry(letter).or_default();
    // Whether EXEC will run depends on what has been written since WATCH, even if it was the same value: no reply and
    // no record tells it.
    if has_verb(|verb| verb == "WATCH") {
        replies.push(format!("{:?} {changes:?}", stage.records().await?));
    }
    replies.extend(step.reply);
    Ok(())
}

async fn moment(stage: &mut Stage, replies: &Replies) -> Result<Moment> {
    let records = stage.records().await?;
    let participants = stage.participants().into_iter().map(|one| {
        let replies = replies.get(&one.letter).cloned().unwrap_or_default();
        (one.letter, replies, one.can_go, one.told.is_some())
    });
    Ok(Moment { records, participants: participants.collect() })
}
