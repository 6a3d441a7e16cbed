//! Choosing seats, or having them picked, and the attempt to get them.

use super::{Sale, mine};
use crate::{
    error::{Code, Error},
    i18n, nodes,
    sales::ticket::{Outcome, Pick, Price, api::ReserveRequest, index::LARGEST_GROUP, words::words},
    ui::{
        ask::ask,
        field::{Field, button, field, submit},
        format::{count, money},
        moment::moment,
        name,
        node::{El, Node, each, el, item, live, maybe},
        notice::attempt_notice,
        platform::{self, Style},
        ready::ready,
        work::effect,
    },
};
use leptos::prelude::*;

const CATEGORY: &str = "pick-category";
const COUNT: &str = "pick-count";
const ADJACENT: &str = "pick-adjacent";

/// What an attempt is about: it is the same attempt as long as this is the same.
#[derive(Clone, PartialEq)]
struct Wish {
    user: String,
    seats: Vec<String>,
    pick: Option<Pick>,
}

/// A refusal, as it is told: in words, then when seats may be free again.
#[derive(Clone, Default)]
struct Refusal {
    said: String,
    again: Option<crate::sales::Millis>,
}

/// The reader's attempts to get seats, one at a time.
#[derive(Clone, Copy)]
pub struct Try {
    sale: Sale,
    error: RwSignal<Option<Error>>,
    refusal: RwSignal<(u32, Option<Refusal>)>,
    /// An attempt that was never answered. Sent again under its own request id, it cannot get seats twice.
    unanswered: StoredValue<Option<(Wish, String)>>,
}

pub fn choose(attempt: Try) -> El {
    let (words, shared) = (words(), i18n::words());
    let sale = attempt.sale;
    effect(name::keep);
    let chosen = each(move || {
        let chip = |seat: &u32| {
            let seat = *seat;
            item(u64::from(seat), move || chip(sale, seat))
        };
        sale.choice.with(|choice| choice.iter().map(chip).collect())
    });
    let none = maybe(move || {
        let none = sale.choice.with(Vec::is_empty);
        none.then(|| item("none", move || el("p").class("empty").text(words.none_chosen)))
    });
    let clear = button("", || false, move || sale.choice.set(Vec::new()))
        .when("hidden", move || sale.choice.with(Vec::is_empty));
    let refused = maybe(move || {
        let (tries, refusal) = attempt.refusal.get();
        let refusal = refusal?;
        Some(item(u64::from(tries), move || {
            let again =
                refusal.again.map(|due| el("span").with(nodes![words.maybe_again, " ", moment(due, Style::Clock)]));
            el("p").class("answer").with(nodes![el("span").text(refusal.said), again])
        }))
    });
    el("section").class("card choose").attr("aria-labelledby", "choose-title").with(nodes![
        el("h2").attr("id", "choose-title").text(words.choose),
        field(Field { name: name::NAME, words: shared.your_name, value: "me", ..Field::default() }, attempt.error),
        el("h3").text(words.your_choice),
        none,
        el("ul").class("chips").attr("aria-label", words.your_choice).with(nodes![chosen]),
        el("p").class("said-now").attr("role", "status").with(nodes![live(move || sale.said.get())]),
        el("div").class("actions").with(nodes![reserve(attempt), clear.text(words.clear), total(sale),]),
        pick(sale, attempt),
        el("div").class("answers").attr("role", "status").with(nodes![refused]),
        attempt_notice(attempt.error, &[name::NAME]),
    ])
}

/// The same at hand on a small screen, while something is chosen.
pub fn bar(attempt: Try) -> El {
    let sale = attempt.sale;
    el("div")
        .class("hold-bar")
        .when("hidden", move || sale.choice.with(Vec::is_empty))
        .with(nodes![total(sale), reserve(attempt)])
}

/// How many seats are chosen, for how much.
fn total(sale: Sale) -> El {
    let words = words();
    let total = move || {
        let (seats, cents) =
            sale.choice.with(|choice| (choice.len(), choice.iter().map(|seat| sale.price(*seat)).sum::<i64>()));
        if seats == 0 { String::new() } else { (words.chosen_total)(seats as u64, money(cents)) }
    };
    el("span").class("total").with(nodes![live(total)])
}

fn reserve(attempt: Try) -> El {
    let sale = attempt.sale;
    let reserve = move || {
        let seats = sale.choice.with_untracked(|choice| choice.iter().map(|seat| sale.name(*seat)).collect());
        attempt.send(Wish { user: name::typed(), seats, pick: None });
    };
    button("strong grab", move || sale.choice.with(Vec::is_empty), reserve).text(words().reserve)
}

/// A chosen seat, which a press lets go.
fn chip(sale: Sale, seat: u32) -> El {
    let name = sale.name(seat);
    let label = (words().deselect)(name.clone());
    // Its name is what is seen, so that who speaks to the browser finds it; what a press does stands in the title.
    el("li").with(nodes![button("chip", || false, move || sale.toggle(seat)).attr("title", label).with(nodes![
        name,
        el("span").class("aside").text(money(sale.price(seat))),
        el("span").attr("aria-hidden", "true").text("×")
    ]),])
}

/// "Give me four together."
fn pick(sale: Sale, attempt: Try) -> El {
    let words = words();
    let ready = ready();
    let names = sale.snapshot.with_untracked(|sale| sale.categories.clone());
    let option = |category: &Price| {
        let text = [category.name.as_str(), " · ", &money(category.price_cents)].concat();
        el("option").text(text).into()
    };
    let options: Vec<Node> = names.iter().map(option).collect();
    let select = |id: &'static str, label: &'static str, options: Vec<Node>| {
        el("div").class("field").with(nodes![
            el("label").attr("for", id).text(label),
            el("select").attr("id", id).when("disabled", move || !ready.get()).with(options),
        ])
    };
    let counts = (1..=sale.most().max(1)).map(|number| {
        let option = el("option").text(count(number as u64));
        if number == 2 { option.attr("selected", "") } else { option }.into()
    });
    let give = move || {
        let place = platform::chosen(CATEGORY);
        let Some(category) = names.get(place).map(|category| category.name.clone()) else { return };
        let count = (platform::chosen(COUNT) + 1).min(LARGEST_GROUP) as u32;
        let pick = Pick { category, count, adjacent: platform::ticked(ADJACENT) };
        attempt.send(Wish { user: name::typed(), seats: Vec::new(), pick: Some(pick) });
    };
    el("form")
        .class("pick")
        .attr("aria-label", words.best_available)
        .on("submit", move |event| {
            event.prevent_default();
            give();
        })
        .with(nodes![
            el("h3").text(words.best_available),
            select(COUNT, words.how_many, counts.collect()),
            select(CATEGORY, words.category, options),
            el("label").class("check").with(nodes![
                el("input")
                    .attr("type", "checkbox")
                    .attr("id", ADJACENT)
                    .attr("checked", "")
                    .when("disabled", move || !ready.get()),
                words.together,
            ]),
            submit("", || false).text(words.hold_best),
        ])
}

impl Try {
    pub fn new(sale: Sale) -> Self {
        let (error, refusal, unanswered) = (RwSignal::new(None), RwSignal::new((0, None)), StoredValue::new(None));
        Self { sale, error, refusal, unanswered }
    }

    fn send(self, wish: Wish) {
        let Self { sale, error, refusal, unanswered } = self;
        if sale.waiting.get_untracked() {
            return;
        }
        let again = unanswered.get_value().filter(|(asked, _)| *asked == wish);
        let (wish, request_id) = again.unwrap_or_else(|| (wish, platform::random_id()));
        sale.waiting.set(true);
        error.set(None);
        let question = ReserveRequest {
            sale: sale.id(),
            user: wish.user.clone(),
            request_id: Some(request_id.clone()),
            seats: (!wish.seats.is_empty()).then(|| wish.seats.clone()),
            pick: wish.pick.clone().map(|pick| vec![pick]),
            holders: None,
        };
        ask(question, move |answered| {
            let lost = |error: &Error| matches!(error.code, Code::Unavailable | Code::Network | Code::Internal);
            let keep = answered.as_ref().is_err_and(lost);
            if unanswered.try_set_value(keep.then_some((wish, request_id))).is_some() {
                return;
            }
            sale.unsure.set(keep);
            sale.waiting.set(false);
            let refused = match answered {
                Ok(outcome) => self.hear(outcome),
                Err(why) => {
                    error.set(Some(why));
                    None
                }
            };
            refusal.update(|(tries, shown)| {
                *tries += 1;
                *shown = refused;
            });
            sale.let_go();
        });
    }

    /// Shows what came of an attempt; the refusal, where it was one.
    fn hear(self, outcome: Outcome) -> Option<Refusal> {
        let (words, sale) = (words(), self.sale);
        match outcome {
            Outcome::Held(order) | Outcome::Repeat(order) => {
                sale.choice.set(Vec::new());
                sale.said.set((words.you_hold)(order.seats.join(", ")));
                mine::put(sale, order);
                None
            }
            Outcome::SeatTaken { seats, held } => {
                let taken: Vec<u32> = seats.iter().filter_map(|name| sale.number(name)).collect();
                sale.choice.update(|choice| choice.retain(|seat| !taken.contains(seat)));
                let again = held.iter().map(|held| held.held_until).min();
                Some(Refusal { said: (words.seat_taken)(seats.join(", "), seats.len() as u64), again })
            }
            Outcome::NotEnoughSeats { left } => {
                let left: Vec<String> =
                    left.iter().map(|left| (words.left_in)(count(left.left.into()), left.category.clone())).collect();
                Some(Refusal { said: (words.not_enough)(left.join(", ")), again: None })
            }
            Outcome::LimitReached { left } => Some(Refusal { said: (words.limit_reached)(left.into()), again: None }),
        }
    }
}
