//! Tables of the newest attempts, on the page of a sale of any kind.

use crate::{
    components::{Definition, Figure, LocalTime, TimeStyle, UserLink, use_attention, use_frozen, use_while_shown},
    i18n::{self, FigureWords},
    stage::{
        LiveSale,
        attempt_controls::{AttemptControls, PauseButton, UserFilter},
        words::words,
    },
};
use leptos::{html, prelude::*};
use model::{DeclinedAttempt, Millis, snapshot::SaleSnapshot};
use std::hash::Hash;

/// Shows the results of attempts: counts, and tables that can be paused and filtered.
#[component]
pub fn AttemptsCard(
    /// The reader's choices for the tables.
    controls: AttemptControls,
    /// The counts of the outcomes, and the tables.
    children: Children,
) -> impl IntoView {
    view! {
        <section class="card attempts" aria-labelledby="attempts-title">
            <div class="bar">
                <h2 id="attempts-title">{i18n::words().attempts}</h2>
                <UserFilter controls />
                <PauseButton controls />
            </div>
            {children()}
        </section>
    }
}

/// Shows a count of the sale with its name, for `dl.tiles`; zero is dimmed.
#[component]
pub fn SaleFigure<S: SaleSnapshot>(
    /// The sale on the page.
    sale: LiveSale<S>,
    /// The name of the count.
    #[prop(into)]
    term: FigureWords,
    /// Returns the count of a snapshot.
    read: impl Fn(&S) -> u64 + Send + Sync + 'static,
) -> impl IntoView {
    view! {
        <Definition term>
            <Figure value=Signal::derive(move || sale.read(&read)) />
        </Definition>
    }
}

/// Shows a table of attempts, newest first, whose rows are `AttemptRow`s. The rows stand still while somebody reads
/// them.
#[component]
pub fn AttemptTable<T, K, R, V>(
    /// The heading, and the name of the table.
    title: &'static str,
    /// The text of an empty table.
    empty: &'static str,
    /// The newest attempts.
    attempts: Memo<Vec<T>>,
    /// Returns the key of an attempt.
    key: fn(&T) -> K,
    /// Returns the user of an attempt.
    user: fn(&T) -> &str,
    /// The reader's choices.
    controls: AttemptControls,
    /// Headings of the columns after time and user.
    #[prop(into)]
    columns: ViewFnOnce,
    /// Renders the row of an attempt.
    row: R,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
    K: Eq + Hash + Send + Sync + 'static,
    R: Fn(T) -> V + Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let (words, shared) = (words(), i18n::words());
    let scroller = NodeRef::<html::Div>::new();
    let has_attention = use_attention(scroller);
    let is_frozen = Memo::new(move |_| controls.is_paused.get() || has_attention.get());
    let latest = use_frozen(attempts, is_frozen);
    let shown = use_while_shown(move || {
        let wanted =
            |attempts: &Vec<T>| attempts.iter().filter(|attempt| controls.is_wanted(user(attempt))).cloned().collect();
        latest.with(wanted)
    });
    let paused = move || match (controls.is_paused.get(), is_frozen.get()) {
        (true, _) => Some(words.paused),
        (false, frozen) => frozen.then_some(words.paused_to_read),
    };
    view! {
        <div class="bar">
            <h3>{title}</h3>
            <span class="aside">{paused}</span>
        </div>
        <Show when=move || shown.with(Vec::is_empty)>
            <p class="empty">{move || if controls.is_filtered() { words.none_of_user } else { empty }}</p>
        </Show>
        <div
            class="scroll rows"
            role="region"
            aria-label=title
            tabindex="0"
            node_ref=scroller
        >
            <table>
                <thead>
                    <tr>
                        <th scope="col">{shared.time}</th>
                        <th scope="col">{shared.user}</th>
                        {columns.run()}
                    </tr>
                </thead>
                <tbody>
                    <For each=move || shown.get() key children=row />
                </tbody>
            </table>
        </div>
    }
}

/// Shows an attempt: its time, its user and further cells.
#[component]
pub fn AttemptRow(
    /// The time of its decision, in epoch milliseconds.
    at: Millis,
    /// The user who made it.
    user: String,
    /// Further cells, for the columns of the table.
    children: Children,
) -> impl IntoView {
    view! {
        <tr>
            <td>
                <LocalTime at style=TimeStyle::Clock />
            </td>
            <td class="who">
                <UserLink user />
            </td>
            {children()}
        </tr>
    }
}

/// Shows the newest attempts that were refused.
#[component]
pub fn RefusedAttempts<O: Copy + Send + Sync + PartialEq + 'static>(
    /// A sample of the refused attempts, newest first.
    attempts: Memo<Vec<DeclinedAttempt<O>>>,
    /// Words the reason for a refusal.
    reason: fn(O) -> &'static str,
    /// The reader's choices.
    controls: AttemptControls,
) -> impl IntoView {
    let words = words();
    let row = move |attempt: DeclinedAttempt<O>| {
        view! {
            <AttemptRow at=attempt.at user=attempt.user>
                <td>{reason(attempt.outcome)}</td>
            </AttemptRow>
        }
    };
    let key = |attempt: &DeclinedAttempt<O>| attempt.id.clone();
    let user: fn(&DeclinedAttempt<O>) -> &str = |attempt| &attempt.user;
    view! {
        <AttemptTable
            title=words.refused
            empty=words.none_refused
            attempts
            key
            user
            controls
            columns=|| view! { <th scope="col">{i18n::words().outcome}</th> }
            row
        />
    }
}
