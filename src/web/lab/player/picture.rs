//! The records as pictures: tickets, a padlock in the colour of its holder, the names of winners.

use crate::{
    components::Icon,
    lab::player::{Playing, pseudo, words::words},
};
use leptos::prelude::*;
use model::lab::trace::{Record, Trace};

/// The most tickets that are drawn; more are a number.
const MOST_TICKETS: i64 = 8;

/// What a record looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Picture {
    /// Items left; negative if more were taken than there were.
    Tickets(i64),
    /// A lock and the letter of its holder; `None` while nobody holds it.
    Lock(Option<char>),
    /// Users, by their digits, with a note each.
    People(Vec<(char, Option<String>)>),
    /// Anything else, one text each.
    Texts(Vec<String>),
}

/// The picture of a record, which may not be there (yet).
fn picture(name: &str, value: Option<&str>) -> Picture {
    let inner = value.unwrap_or_default();
    let inner = inner.strip_prefix(['{', '[']).and_then(|inner| inner.strip_suffix(['}', ']'])).unwrap_or(inner);
    let parts = || inner.split(", ").filter(|part| !part.is_empty());
    let packets = || serde_json::from_str::<Vec<serde_json::Value>>(value.unwrap_or("[]")).unwrap_or_default();
    match name {
        "stock" | "lab_stock" => match inner.parse() {
            Ok(left) => Picture::Tickets(left),
            Err(_) => Picture::Texts(parts().map(str::to_owned).collect()),
        },
        "pending" => Picture::Tickets(packets().len() as i64),
        "consumed" => {
            let user = |packet: &serde_json::Value| Some((digit(packet.get("userId")?.as_str()?)?, None));
            Picture::People(packets().iter().filter_map(user).collect())
        }
        "got" | "winners" | "claimants" | "lab_claims" => {
            let count =
                |note: &str| note.parse::<u32>().ok().filter(|count| *count > 1).map(|count| format!("×{count}"));
            Picture::People(parts().filter_map(|part| person(part, count)).collect())
        }
        "orders" => Picture::People(parts().filter_map(|part| person(part, |state| Some(state.to_owned()))).collect()),
        lock if lock.starts_with("lock") => Picture::Lock(inner.chars().next()),
        _ => Picture::Texts(parts().map(str::to_owned).collect()),
    }
}

/// The digit of a user: `user-1` is `1`.
fn digit(user: &str) -> Option<char> {
    user.strip_prefix("user-")?.chars().next()
}

/// A user and a note from `user-1: 1` or `user-1`.
fn person(part: &str, note: impl Fn(&str) -> Option<String>) -> Option<(char, Option<String>)> {
    let (user, value) = part.split_once(": ").unwrap_or((part, ""));
    Some((digit(user)?, note(value)))
}

/// The names of all records that there are at any time in a trace, and of those that its strategy may write.
fn names(strategy: &str, trace: &Trace) -> Vec<String> {
    let all = trace.before.iter().chain(trace.steps.iter().flat_map(|step| &step.records));
    let named = pseudo::records(strategy).into_iter().map(str::to_owned);
    let mut names: Vec<String> = all.map(|record| record.name.clone()).chain(named).collect();
    names.sort();
    names.dedup();
    names
}

fn value<'a>(records: &'a [Record], name: &str) -> Option<&'a str> {
    records.iter().find(|record| record.name == name).map(|record| record.value.as_str())
}

/// Shows a picture of each record as it is now. What the last step has changed is lit up.
#[component]
pub fn Keys(playing: Playing) -> impl IntoView {
    let words = words();
    let names = Memo::new(move |_| {
        playing
            .shown
            .with(|shown| shown.as_ref().map(|shown| names(&shown.play.strategy, &shown.trace)).unwrap_or_default())
    });
    let has_rows = move || names.with(|names| names.iter().any(|name| name.starts_with("lab_")));
    view! {
        <section class="keys" aria-label=move || if has_rows() { words.database_keys } else { words.keys }>
            <For each=move || names.get() key=|name| name.clone() let:name>
                <Key playing name />
            </For>
        </section>
    }
}

#[component]
fn Key(
    playing: Playing,
    /// The name of the record.
    name: String,
) -> impl IntoView {
    let words = words();
    // The value, and the step that has changed it last, so that each change lights up anew.
    let of_trace = {
        let name = name.clone();
        Memo::new(move |_| {
            let at = playing.at.get();
            playing.shown.with(|shown| {
                let trace = &shown.as_ref()?.trace;
                let records =
                    |steps: usize| steps.checked_sub(1).map_or(&trace.before, |last| &trace.steps[last].records);
                let now = value(records(at), &name);
                let has_changed = at > 0 && value(records(at - 1), &name) != now;
                Some((now.map(str::to_owned), has_changed.then_some(at), shown.as_ref()?.play.stock))
            })
        })
    };
    let label = (words.record)(name.split(':').next().unwrap_or_default());
    let picture_of = {
        let name = name.clone();
        move || {
            let (value, _, stock) = of_trace.get().unwrap_or_default();
            draw(picture(&name, value.as_deref()), i64::from(stock))
        }
    };
    // Two classes in turn, as the animation of a class begins when it is set.
    let class = move || match of_trace.get().and_then(|(_, changed, _)| changed) {
        Some(step) if step % 2 == 0 => "stored changed",
        Some(_) => "stored changed again",
        None => "stored",
    };
    view! {
        <div class=class data-key=name.clone()>
            <span class="key-name">
                <code>{name.clone()}</code>
                {label.map(|label| view! { <span class="aside">{label}</span> })}
            </span>
            <span class="picture">{picture_of}</span>
        </div>
    }
}

fn draw(picture: Picture, stock: i64) -> AnyView {
    let words = words();
    match picture {
        Picture::Tickets(left) if (0..=MOST_TICKETS).contains(&left) && stock <= MOST_TICKETS => {
            let stub = |place: i64| {
                let is_gone = place >= left;
                view! { <span class="stub" class:gone=is_gone aria-hidden="true"></span> }
            };
            view! {
                {(0..stock.max(left)).map(stub).collect_view()}
                <b class:zero=left == 0>{left}</b>
                <span class="unseen">{(words.items)(left)}</span>
            }
            .into_any()
        }
        Picture::Tickets(left) => view! { <b class:below=left < 0>{left}</b> }.into_any(),
        Picture::Lock(None) => view! {
            <span class="padlock">
                <Icon icon=icondata_lu::LuLockOpen />
            </span>
            <span class="aside">{words.unlocked}</span>
        }
        .into_any(),
        Picture::Lock(Some(holder)) => view! {
            <span class=format!("padlock taken player-{holder}")>
                <Icon icon=icondata_lu::LuLock />
            </span>
            <span>{(words.locked_by)(holder)}</span>
        }
        .into_any(),
        Picture::People(people) if people.is_empty() => nothing(),
        Picture::People(people) => {
            // Who has one of more than there are, or more than one.
            let tag = |(place, (digit, note)): (i64, (char, Option<String>))| {
                let is_harm = place >= stock || note.as_ref().is_some_and(|note| note.starts_with('×'));
                view! {
                    <span class="tag" class:harm=is_harm>
                        {(words.person)(digit)} {note.map(|note| view! { " " <b>{note}</b> })}
                    </span>
                }
            };
            (0..).zip(people).map(tag).collect_view().into_any()
        }
        Picture::Texts(texts) if texts.is_empty() => nothing(),
        Picture::Texts(texts) => {
            texts.into_iter().map(|text| view! { <code class="tag">{text}</code> }).collect_view().into_any()
        }
    }
}

fn nothing() -> AnyView {
    view! { <span class="aside">{words().nothing}</span> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_become_pictures() {
        assert_eq!(picture("stock", Some("-3")), Picture::Tickets(-3));
        assert_eq!(picture("lab_stock", Some("(none)")), Picture::Texts(vec!["(none)".to_owned()]));
        assert_eq!(picture("stock", None), Picture::Texts(Vec::new()));
        assert_eq!(picture("lock", Some("2-1")), Picture::Lock(Some('2')));
        assert_eq!(picture("lock:user-1", None), Picture::Lock(None));
        assert_eq!(
            picture("got", Some("{user-1: 2, user-2: 1}")),
            Picture::People(vec![('1', Some("×2".to_owned())), ('2', None)])
        );
        assert_eq!(picture("winners", Some("{user-1, user-3}")), Picture::People(vec![('1', None), ('3', None)]));
        assert_eq!(picture("orders", Some("{user-1: held}")), Picture::People(vec![('1', Some("held".to_owned()))]));
        assert_eq!(picture("pending", Some("[{\"id\":0,\"money\":0}, {\"id\":1,\"money\":0}]")), Picture::Tickets(2));
        let consumed = "[{\"money\":0,\"userId\":\"user-2\",\"id\":0}]";
        assert_eq!(picture("consumed", Some(consumed)), Picture::People(vec![('2', None)]));
        assert_eq!(picture("queue", Some("[1-1 user-1]")), Picture::Texts(vec!["1-1 user-1".to_owned()]));
    }
}
