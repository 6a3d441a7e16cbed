//! Compares what users were told of packets with what is stored.

use crate::soak::verdict::{Loss, Verdict};
use model::{Cents, red_packet::Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// A packet: its number and its cents.
pub type Packet = (u32, Cents);

/// Everything that one user was told at one sale.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Every request that was sent, whatever came of it.
    pub requests: BTreeSet<String>,
    /// The packets that answers named: one, if all is well.
    pub packets: BTreeSet<Packet>,
    /// The requests that were told that they had won.
    pub won: Vec<String>,
    /// Told that the sale has ended.
    pub expired: bool,
    /// Told that everything is claimed, which is final, as packets never come back. (The end of the sale is not final:
    /// an earlier attempt may still be in flight.)
    pub sold_out: bool,
    /// Attempts that were answered.
    pub answered: u32,
    /// Attempts with an unknown outcome.
    pub unknown: u32,
}

impl Heard {
    /// Records an answer.
    pub fn take(&mut self, request_id: &str, outcome: Outcome) {
        self.answered += 1;
        match outcome {
            Outcome::Won { packet, cents } => {
                self.packets.insert((packet, cents));
                self.won.push(request_id.to_owned());
            }
            Outcome::Repeat { packet, cents } => {
                self.packets.insert((packet, cents));
            }
            Outcome::SoldOut => self.sold_out = true,
            Outcome::Expired { .. } => self.expired = true,
            Outcome::Closed { .. } | Outcome::NotOpen { .. } | Outcome::Paused { .. } => {}
        }
    }

    /// Adds what the same user was told in another place.
    pub fn and(mut self, other: Self) -> Self {
        self.requests.extend(other.requests);
        self.packets.extend(other.packets);
        self.won.extend(other.won);
        self.expired |= other.expired;
        self.sold_out |= other.sold_out;
        self.answered += other.answered;
        self.unknown += other.unknown;
        self
    }

    /// Whether this user may have a packet without knowing it.
    fn may_have_one(&self) -> bool {
        self.unknown > 0 && !self.sold_out
    }
}

/// A win as the ledger has it.
#[derive(Clone, Debug)]
pub struct Row {
    pub user: String,
    pub request_id: String,
    pub packet: Packet,
}

/// What is stored for one sale.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub claimants: BTreeMap<String, Packet>,
    pub rows: Vec<Row>,
    /// The sale cannot have ended yet.
    pub is_open: bool,
}

impl Verdict {
    /// Adds a sale of which Redis lost the newest data: what the ledger never recorded may be gone, and for each packet
    /// that was given twice the recovery has named one owner.
    pub fn judge_after(&mut self, loss: &Loss, heard: &BTreeMap<String, Heard>, found: &Found) {
        let (mut heard, mut found) = (heard.clone(), found.clone());
        for user in heard.keys().filter(|user| loss.names(user)).cloned().collect::<Vec<_>>() {
            self.conflicts += 1;
            heard.remove(&user);
            found.rows.retain(|row| row.user != user);
            // Still, nobody else may have the packet.
            if let Some((number, _)) = found.claimants.remove(&user)
                && let Some((other, _)) = found.claimants.iter().find(|(_, (given, _))| *given == number)
            {
                self.contradicted += 1;
                self.faults.push(format!("Redis has packet {number} for {other} and {user}"));
            }
        }
        for (user, heard) in &mut heard {
            // Packets that are back may be won by those who came too late.
            heard.sold_out = false;
            let told = heard.packets.len();
            heard.packets.retain(|packet| found.rows.iter().any(|row| row.user == *user && row.packet == *packet));
            if heard.packets.len() < told {
                self.forgotten += 1;
                heard.won.clear();
                heard.unknown += 1;
            }
        }
        self.judge(&heard, &found);
    }

    /// Adds one sale.
    pub fn judge(&mut self, heard: &BTreeMap<String, Heard>, found: &Found) {
        let mut rows: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in &found.rows {
            rows.entry(&row.user).or_default().push(row);
        }
        for (user, heard) in heard {
            self.attempts += u64::from(heard.answered + heard.unknown);
            self.unknown += u64::from(heard.unknown);
            self.acknowledged += u64::from(!heard.packets.is_empty());
            if heard.expired && found.is_open {
                self.contradicted += 1;
                self.faults.push(format!("{user} was told that the sale has ended, long before its end"));
            }
            self.lost(user, heard, found.claimants.get(user), rows.get(user.as_str()).map_or(&[], Vec::as_slice));
            self.contradicted(user, heard, rows.get(user.as_str()).map_or(&[], Vec::as_slice));
        }
        let places = [
            ("Redis", found.claimants.iter().map(|(user, packet)| (user.as_str(), *packet)).collect::<Vec<_>>()),
            ("the ledger", found.rows.iter().map(|row| (row.user.as_str(), row.packet)).collect()),
        ];
        for (place, packets) in places {
            self.unexpected(place, heard, &packets);
        }
    }

    fn lost(&mut self, user: &str, heard: &Heard, held: Option<&Packet>, rows: &[&Row]) {
        let in_ledger: Vec<Packet> = rows.iter().map(|row| row.packet).collect();
        for packet in &heard.packets {
            if held != Some(packet) || in_ledger != [*packet] {
                self.lost += 1;
                self.faults.push(format!("{user} was told {packet:?}; Redis has {held:?}, the ledger {in_ledger:?}"));
            }
        }
    }

    fn contradicted(&mut self, user: &str, heard: &Heard, rows: &[&Row]) {
        let one_answer = heard.packets.len() <= 1 && heard.won.len() <= 1;
        let yes_and_no = !heard.packets.is_empty() && heard.sold_out;
        let by_whom = rows.iter().all(|row| {
            heard.requests.contains(&row.request_id) && heard.won.first().is_none_or(|won| *won == row.request_id)
        });
        if !one_answer || yes_and_no || !by_whom {
            self.contradicted += 1;
            self.faults.push(format!("{user} heard {heard:?}, the ledger has {rows:?}"));
        }
    }

    fn unexpected(&mut self, place: &str, heard: &BTreeMap<String, Heard>, packets: &[(&str, Packet)]) {
        let mut given = BTreeMap::new();
        for (user, packet) in packets {
            let expected = heard.get(*user).is_some_and(|heard| heard.packets.contains(packet) || heard.may_have_one());
            if !expected {
                self.unexpected += 1;
                self.faults.push(format!("{place} has {packet:?} for {user}, who heard {:?}", heard.get(*user)));
            }
            if let Some(other) = given.insert(packet.0, user) {
                self.contradicted += 1;
                self.faults.push(format!("{place} has packet {} for {other} and {user}", packet.0));
            }
        }
    }
}

/// Ann won the first packet, Bob got no answer, Cid came too late.
fn an_honest_sale() -> (BTreeMap<String, Heard>, Found) {
    let heard = |outcome: Option<Outcome>| {
        let mut heard = Heard { requests: BTreeSet::from(["r".to_owned()]), ..Heard::default() };
        match outcome {
            Some(outcome) => heard.take("r", outcome),
            None => heard.unknown = 1,
        }
        heard
    };
    let all = [
        ("ann", heard(Some(Outcome::Won { packet: 1, cents: 10 }))),
        ("bob", heard(None)),
        ("cid", heard(Some(Outcome::SoldOut))),
    ];
    let found = Found {
        claimants: BTreeMap::from([("ann".to_owned(), (1, 10)), ("bob".to_owned(), (2, 20))]),
        rows: vec![row("ann", (1, 10)), row("bob", (2, 20))],
        is_open: true,
    };
    (all.map(|(user, heard)| (user.to_owned(), heard)).into(), found)
}

fn row(user: &str, packet: Packet) -> Row {
    Row { user: user.to_owned(), request_id: "r".to_owned(), packet }
}

/// Lost, unexpected and contradicted, after something was changed.
fn judged(change: impl FnOnce(&mut BTreeMap<String, Heard>, &mut Found)) -> (u64, u64, u64) {
    let (mut heard, mut found) = an_honest_sale();
    change(&mut heard, &mut found);
    let mut verdict = Verdict::default();
    verdict.judge(&heard, &found);
    assert_eq!(verdict.faults.len() as u64, verdict.lost + verdict.unexpected + verdict.contradicted);
    (verdict.lost, verdict.unexpected, verdict.contradicted)
}

#[test]
fn an_unknown_outcome_may_be_stored_or_not() {
    assert_eq!(judged(|_, _| ()), (0, 0, 0));
    let without_bob = |found: &mut Found| {
        found.claimants.retain(|user, _| user != "bob");
        found.rows.retain(|row| row.user != "bob");
    };
    assert_eq!(judged(|_, found| without_bob(found)), (0, 0, 0));
}

#[test]
fn what_was_acknowledged_must_be_in_redis_and_in_the_ledger_once() {
    assert_eq!(judged(|_, found| found.claimants.retain(|user, _| user != "ann")), (1, 0, 0));
    assert_eq!(judged(|_, found| found.rows.retain(|row| row.user != "ann")), (1, 0, 0));
    assert_eq!(judged(|_, found| found.rows.push(row("ann", (1, 10)))), (1, 0, 1));
    // A packet other than the acknowledged one counts as both lost and unexpected.
    assert_eq!(judged(|_, found| found.rows[0].packet = (1, 11)), (1, 1, 0));
}

#[test]
fn what_was_never_acknowledged_must_not_be_stored() {
    assert_eq!(judged(|_, found| found.claimants.extend([("cid".to_owned(), (3, 30))])), (0, 1, 0));
    assert_eq!(judged(|_, found| found.rows.push(row("cid", (3, 30)))), (0, 1, 0));
    assert_eq!(judged(|_, found| found.rows.push(row("dan", (3, 30)))), (0, 1, 0));
    // A user who was told that everything is claimed cannot get a packet afterwards, whatever became of an earlier try.
    assert_eq!(judged(|heard, _| heard.get_mut("bob").expect("bob").sold_out = true), (0, 2, 0));
}

#[test]
fn a_sale_does_not_end_early() {
    assert_eq!(judged(|heard, _| heard.get_mut("bob").expect("bob").expired = true), (0, 0, 1));
}

#[test]
fn after_a_loss_what_the_ledger_has_must_be_there_or_named() {
    let judged = |loss: &[&str], change: fn(&mut Found)| {
        let (heard, mut found) = an_honest_sale();
        change(&mut found);
        let mut verdict = Verdict::default();
        let loss = Loss { conflicts: loss.iter().map(|name| format!("packet 1 stays with {name}; see")).collect() };
        verdict.judge_after(&loss, &heard, &found);
        (verdict.forgotten, verdict.conflicts, verdict.faults.len())
    };
    assert_eq!(judged(&[], |_| ()), (0, 0, 0));
    assert_eq!(judged(&[], |found| _ = found.claimants.remove("ann")), (0, 0, 1), "the ledger has it");
    assert_eq!(judged(&["ann"], |found| _ = found.claimants.remove("ann")), (0, 1, 0), "it is named");
    assert_eq!(judged(&["an"], |found| _ = found.claimants.remove("ann")), (0, 0, 1), "another is named");
    let forget = |found: &mut Found| {
        found.claimants.remove("ann");
        found.rows.remove(0);
    };
    assert_eq!(judged(&[], forget), (1, 0, 0), "the ledger never had it");
    assert_eq!(judged(&["ann"], |found| _ = found.claimants.insert("bob".into(), (1, 10))).2, 1, "given to both");
}

#[test]
fn answers_must_agree_with_each_other_and_with_the_ledger() {
    fn ann(heard: &mut BTreeMap<String, Heard>) -> &mut Heard {
        heard.get_mut("ann").expect("ann")
    }
    assert_eq!(judged(|heard, _| ann(heard).take("r2", Outcome::Won { packet: 1, cents: 10 })), (0, 0, 1));
    assert_eq!(judged(|heard, _| ann(heard).take("r2", Outcome::Repeat { packet: 2, cents: 20 })), (1, 0, 1));
    assert_eq!(judged(|heard, _| ann(heard).take("r2", Outcome::SoldOut)), (0, 0, 1));
    assert_eq!(judged(|_, found| found.rows[0].request_id = "s".to_owned()), (0, 0, 1));
    assert_eq!(judged(|_, found| found.rows[1].packet = (1, 10)), (0, 0, 1));
}
