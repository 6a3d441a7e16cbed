//! The moments of a scene and the steps between them. A path from the first moment to an end is an order.

use anyhow::{Result, ensure};
use model::lab::{
    Anomaly,
    orders::{AnomalyCount, MOST_LISTED, Order, Orders},
    trace::Play,
};
use std::collections::BTreeMap;

/// The graph. The first moment has the place 0.
pub(super) struct Graph {
    moments: Vec<Moment>,
    /// Whether no moment is missing.
    pub is_complete: bool,
}

#[derive(Default)]
struct Moment {
    /// The steps out of it, each with the place that it leads to.
    steps: BTreeMap<char, usize>,
    /// What went wrong, if every attempt has its answer.
    outcome: Option<Vec<Anomaly>>,
}

/// The orders from a moment on.
#[derive(Clone, Default)]
struct Ahead {
    broken: u64,
    /// In which nothing goes wrong. Counted apart, as both may be more than a number holds.
    fine: u64,
    anomalies: BTreeMap<Anomaly, u64>,
    /// The fewest steps to an end at which something has gone wrong.
    shortest: Option<usize>,
}

/// Whether the orders from a moment on are counted.
#[derive(Clone)]
enum Counted {
    NotYet,
    /// Some of the steps out of it are counted.
    InPart,
    Fully(Ahead),
}

impl Default for Graph {
    fn default() -> Self {
        Self { moments: Vec::new(), is_complete: true }
    }
}

impl Graph {
    /// Adds a moment, at the next place.
    pub fn add(&mut self) {
        self.moments.push(Moment::default());
    }

    /// Adds a step, unless everything is as before.
    pub fn connect(&mut self, from: usize, letter: char, to: usize) {
        if from != to {
            self.moments[from].steps.insert(letter, to);
        }
    }

    /// Makes a moment an end.
    pub fn end(&mut self, place: usize, outcome: Vec<Anomaly>) {
        self.moments[place].outcome = Some(outcome);
    }

    /// Counts and lists the orders.
    ///
    /// # Errors
    /// One sentence if an order comes back to a moment or to a dead end, so that it has no end.
    pub fn orders(&self, scene: &Play) -> Result<Orders> {
        let ahead = self.ahead()?;
        let Ahead { broken, fine, anomalies, shortest } = &ahead[0];
        let anomalies = anomalies.iter().map(|(&anomaly, &orders)| AnomalyCount {
            anomaly,
            orders,
            first: self.first(&ahead, |ahead, _| ahead.anomalies.contains_key(&anomaly)),
        });
        let shortest = shortest.map(|shortest| {
            self.first(&ahead, |ahead, taken| ahead.shortest.is_some_and(|rest| taken + rest == shortest))
        });
        Ok(Orders {
            strategy: scene.strategy.clone(),
            stock: scene.stock,
            users: scene.users.clone(),
            total: broken.saturating_add(*fine),
            broken: *broken,
            anomalies: anomalies.collect(),
            moments: self.moments.len() as u64,
            shortest,
            listed: self.listed(&ahead, MOST_LISTED),
            is_complete: self.is_complete,
        })
    }

    /// The orders ahead of each moment.
    fn ahead(&self) -> Result<Vec<Ahead>> {
        let mut counted = vec![Counted::NotYet; self.moments.len()];
        self.count(0, &mut counted)?;
        // Steps led to every moment, so all of them are counted.
        let ahead = counted.into_iter().map(|counted| match counted {
            Counted::Fully(ahead) => ahead,
            Counted::NotYet | Counted::InPart => Ahead::default(),
        });
        Ok(ahead.collect())
    }

    fn count(&self, place: usize, counted: &mut [Counted]) -> Result<Ahead> {
        match &counted[place] {
            Counted::Fully(ahead) => return Ok(ahead.clone()),
            Counted::InPart => anyhow::bail!("An order comes back to a moment, so it has no end."),
            Counted::NotYet => counted[place] = Counted::InPart,
        }
        let Moment { steps, outcome } = &self.moments[place];
        let mut ahead = Ahead::default();
        match outcome {
            Some(anomalies) => {
                let is_broken = !anomalies.is_empty();
                let anomalies = anomalies.iter().map(|anomaly| (*anomaly, 1)).collect();
                let (broken, fine) = (is_broken.into(), (!is_broken).into());
                ahead = Ahead { broken, fine, anomalies, shortest: is_broken.then_some(0) };
            }
            None => ensure!(!steps.is_empty() || !self.is_complete, "Everybody waits for everybody, without an end."),
        }
        for &next in steps.values() {
            ahead.add(&self.count(next, counted)?);
        }
        counted[place] = Counted::Fully(ahead.clone());
        Ok(ahead)
    }

    /// The first order by its letters whose moments all lead to what is wanted, given the number of steps up to them.
    fn first(&self, ahead: &[Ahead], leads: impl Fn(&Ahead, usize) -> bool) -> String {
        let (mut schedule, mut place) = (String::new(), 0);
        let on = |place: usize, taken: usize| {
            let steps = self.moments[place].steps.iter();
            steps.map(|(letter, next)| (*letter, *next)).find(|(_, next)| leads(&ahead[*next], taken + 1))
        };
        while let Some((letter, next)) = on(place, schedule.len()) {
            schedule.push(letter);
            place = next;
        }
        schedule
    }

    /// The orders by their letters, at most `most`, of which half are broken if there are enough of both kinds.
    fn listed(&self, ahead: &[Ahead], most: usize) -> Vec<Order> {
        let Ahead { broken, fine, .. } = ahead[0];
        let at_most = |number: u64| usize::try_from(number).map_or(most, |number| number.min(most));
        let (broken, fine) = (at_most(broken), at_most(fine));
        let broken = broken.min((most / 2).max(most - fine));
        let mut listed = Vec::new();
        for (is_broken, number) in [(true, broken), (false, fine.min(most - broken))] {
            let mut orders = Vec::new();
            self.list(0, is_broken, number, ahead, &mut String::new(), &mut orders);
            listed.append(&mut orders);
        }
        listed.sort_by(|one, other| one.schedule.cmp(&other.schedule));
        listed
    }

    /// Lists orders of one kind, from this place on, until there are as many.
    fn list(
        &self,
        place: usize,
        is_broken: bool,
        most: usize,
        ahead: &[Ahead],
        schedule: &mut String,
        listed: &mut Vec<Order>,
    ) {
        let Moment { steps, outcome } = &self.moments[place];
        if let Some(anomalies) = outcome.as_ref().filter(|anomalies| anomalies.is_empty() != is_broken) {
            listed.push(Order { schedule: schedule.clone(), anomalies: anomalies.clone() });
        }
        for (letter, &next) in steps {
            let Ahead { broken, fine, .. } = ahead[next];
            let leads_there = if is_broken { broken > 0 } else { fine > 0 };
            if leads_there && listed.len() < most {
                schedule.push(*letter);
                self.list(next, is_broken, most, ahead, schedule, listed);
                schedule.pop();
            }
        }
    }
}

impl Ahead {
    /// Adds the orders that begin with a step, given those from the moment after it.
    fn add(&mut self, next: &Self) {
        self.broken = self.broken.saturating_add(next.broken);
        self.fine = self.fine.saturating_add(next.fine);
        for (anomaly, orders) in &next.anomalies {
            let sum = self.anomalies.entry(*anomaly).or_default();
            *sum = sum.saturating_add(*orders);
        }
        let shortest = self.shortest.into_iter().chain(next.shortest.map(|rest| rest + 1));
        self.shortest = shortest.min();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph of these steps, and of ends at which this goes wrong.
    fn graph(steps: &[(usize, char, usize)], ends: &[(usize, &[Anomaly])]) -> Graph {
        let mut graph = Graph::default();
        let last = steps.iter().map(|(from, _, to)| *from.max(to)).max().unwrap_or_default();
        (0..=last).for_each(|_| graph.add());
        steps.iter().for_each(|(from, letter, to)| graph.connect(*from, *letter, *to));
        ends.iter().for_each(|(place, anomalies)| graph.end(*place, anomalies.to_vec()));
        graph
    }

    fn orders(graph: &Graph) -> Result<Orders> {
        let (strategy, users) = ("script".to_owned(), "12".to_owned());
        graph.orders(&Play { strategy, stock: 1, users, schedule: String::new() })
    }

    #[test]
    fn orders_that_meet_are_counted_separately() {
        let steps = [(0, '1', 1), (0, '2', 2), (1, '2', 3), (2, '1', 3), (3, '1', 4), (3, '2', 5), (2, '2', 6)];
        let broken = [Anomaly::Oversold, Anomaly::Lost];
        let found = orders(&graph(&steps, &[(4, &[]), (5, &broken), (6, &[Anomaly::Lost])])).expect("orders");
        assert_eq!((found.total, found.broken, found.moments), (5, 3, 7));
        let counts = found.anomalies.iter().map(|one| (one.anomaly, one.orders, one.first.as_str()));
        assert!(counts.eq([(Anomaly::Oversold, 2, "122"), (Anomaly::Lost, 3, "122")]), "{found:?}");
        assert_eq!(found.shortest.as_deref(), Some("22"));
        let listed: Vec<_> =
            found.listed.iter().map(|order| (order.schedule.as_str(), order.anomalies.len())).collect();
        assert_eq!(listed, [("121", 0), ("122", 2), ("211", 0), ("212", 2), ("22", 1)]);
    }

    #[test]
    fn a_step_that_changes_nothing_is_none() {
        let found = orders(&graph(&[(0, '1', 1), (0, 't', 0)], &[(1, &[])])).expect("orders");
        assert_eq!((found.total, found.shortest), (1, None));
    }

    #[test]
    fn an_order_without_steps_is_listed_once() {
        for anomalies in [&[][..], &[Anomaly::Undersold]] {
            let found = orders(&graph(&[], &[(0, anomalies)])).expect("orders");
            let listed = vec![Order { schedule: String::new(), anomalies: anomalies.to_vec() }];
            assert_eq!((found.total, found.listed), (1, listed));
        }
    }

    #[test]
    fn an_order_without_an_end_is_an_error() {
        let refused = |graph: &Graph| orders(graph).expect_err("a refusal").to_string();
        let circle = graph(&[(0, '1', 1), (1, '2', 2), (2, '1', 1), (1, '1', 3)], &[(3, &[])]);
        assert!(refused(&circle).contains("comes back"), "{}", refused(&circle));
        let mut dead_end = graph(&[(0, '1', 1), (0, '2', 2)], &[(1, &[])]);
        assert!(refused(&dead_end).contains("waits for everybody"), "{}", refused(&dead_end));
        dead_end.is_complete = false;
        assert_eq!(orders(&dead_end).expect("what is known").total, 1);
    }

    #[test]
    fn of_many_orders_both_kinds_are_listed() {
        // A choice of two, three times: the ends are the places 7 to 14.
        let steps = (0..7).flat_map(|place| [(place, '1', 2 * place + 1), (place, '2', 2 * place + 2)]);
        let steps: Vec<_> = steps.collect();
        let listed = |broken: std::ops::RangeInclusive<usize>, most| {
            let wrong = [Anomaly::Oversold];
            let ends = (7..=14).map(|end| (end, if broken.contains(&end) { &wrong[..] } else { &[][..] }));
            let graph = graph(&steps, &ends.collect::<Vec<_>>());
            let listed = graph.listed(&graph.ahead().expect("counts"), most);
            listed.into_iter().map(|order| order.schedule).collect::<Vec<_>>()
        };
        assert_eq!(listed(11..=14, 4), ["111", "112", "211", "212"], "half of each kind");
        assert_eq!(listed(14..=14, 4), ["111", "112", "121", "222"], "as many as there are");
        assert_eq!(listed(8..=14, 4), ["111", "112", "121", "122"], "and more of the other");
        assert_eq!(listed(11..=14, 8).len(), 8);
    }
}
