//! The choice of seats, by the reader or by the server, and their reservation.

use crate::{
    components::{
        Alert, Button, Field, LocalTime, RequestIdField, SubmitButton, TimeStyle, UserNameField, format::count,
        hand_focus_on, read_form, use_attempt_form, use_form_memory, use_in_view,
    },
    stage::Waiting,
    ticket::{
        page::{
            Sale,
            booking::{Booking, Refusal},
            map::Handle,
            orders::PayBar,
        },
        words::words,
    },
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use model::{
    Cents,
    ticket::{Pick, Price, Seating},
};

/// The id of the form for the best available seats.
const PICK: &str = "pick";

/// Shows the chosen seats, the button that holds them, and the form for the best available ones.
#[component]
pub fn ChooseSeats(
    /// The sale, and the reader's booking.
    booking: Booking,
) -> impl IntoView {
    let words = words();
    let Booking { sale, map, user_name, errors, refusal, .. } = booking;
    // Actions on the map are announced there, and not twice.
    let live = move || sale.announcement.with(|said| if said.on_map.is_some() { "off" } else { "polite" });
    let is_empty = move || sale.selection.with(Vec::is_empty);
    let single = Memo::new(move |_| sale.single_seats());
    let (choice, clear_button) = (NodeRef::<html::H3>::new(), NodeRef::<html::Button>::new());
    let clear = move || {
        hand_focus_on(clear_button, choice, || sale.selection.set(Vec::new()));
        // Beside an empty selection, "selected" would no longer be true.
        sale.announce(String::new());
        refusal.set(None);
    };
    view! {
        <section class="card choose" aria-labelledby="choose-title">
            <h2 id="choose-title">{words.choose}</h2>
            // Part of the form below, for a browser that sends it by itself. Once the program is loaded, Enter does not
            // send it: the reader may mean the chosen seats.
            <div
                on:keydown=move |event| {
                    if event.key() == "Enter" {
                        event.prevent_default();
                    }
                }
                on:input=move |_| sale.attempts.forget()
            >
                <UserNameField user_name form=PICK errors />
            </div>
            <h3 tabindex="-1" node_ref=choice>
                {words.your_choice}
            </h3>
            <Show when=is_empty>
                <p class="empty">{words.none_chosen}</p>
            </Show>
            <ul class="chips" aria-label=words.your_choice>
                <For
                    each=move || sale.selection.get()
                    key=|seat| *seat
                    children=move |seat| view! { <SelectedSeat sale map choice seat /> }
                />
            </ul>
            <p class="said-now" role="status" aria-live=live>
                {move || sale.announcement.with(|said| said.sentence.clone())}
            </p>
            <div class="actions">
                <HoldButton booking />
                <Button hidden=Signal::derive(is_empty) node_ref=clear_button on_click=clear>
                    {words.clear}
                </Button>
                <Total sale />
            </div>
            // Below the buttons, which keep their places.
            <p class="single-seats" role="status">
                {move || {
                    single.with(|names| {
                        (!names.is_empty()).then(|| (words.leaves_single)(names.join(", "), names.len() as u64))
                    })
                }}
            </p>
            <Answers booking of_pick=false />
            <BestAvailable booking />
            <Answers booking of_pick=true />
            <p class="ended" id="choose-ended">
                {booking.refused}
            </p>
        </section>
    }
}

/// Shows the outcome of the latest attempt, below the button that made it.
#[component]
fn Answers(
    /// The sale, and the reader's booking.
    booking: Booking,
    /// Shows attempts that leave the choice of seats to the server, or the others.
    of_pick: bool,
) -> impl IntoView {
    let Booking { sale, refusal, errors, is_pick, .. } = booking;
    let is_mine = Memo::new(move |_| is_pick.get() == of_pick);
    let refused = Signal::derive(move || refusal.get().filter(|_| is_mine.get()));
    let answers = NodeRef::new();
    use_in_view(answers, move || refused.read().is_some() || is_mine.get() && errors.get().is_some());
    view! {
        <div node_ref=answers>
            <div class="answers" role="status">
                <For each=move || refused.get() key=|refusal| refusal.number children=refusal_sentence />
                <Show when=move || is_mine.get()>
                    <Waiting wait=sale.attempts.wait />
                </Show>
            </div>
            <Show when=move || is_mine.get()>
                <Alert errors attempt=true />
            </Show>
        </div>
    }
}

/// Shows the selection and the button that holds it, within reach on a small screen.
#[component]
pub fn HoldBar(
    /// The sale, and the reader's booking.
    booking: Booking,
) -> impl IntoView {
    let Booking { sale, is_pick, .. } = booking;
    let is_empty = move || sale.selection.with(Vec::is_empty);
    // The answer to an attempt by another button is shown below that one.
    let refusal = Signal::derive(move || booking.refusal.get().filter(|_| !is_pick.get()));
    let is_hidden = move || is_empty() && refusal.read().is_none();
    view! {
        <PayBar sale gives_way=Signal::derive(move || !is_hidden()) />
        <div class="at-hand" hidden=is_hidden>
            // Also announced beside the selection, which may be out of view here; hearing it once is enough.
            <span class="refusal" aria-hidden="true">
                {move || refusal.get().map(|refusal| refusal.sentence)}
            </span>
            <Total sale />
            <HoldButton booking />
        </div>
    }
}

/// Shows the number of chosen seats, and their price.
#[component]
fn Total(
    /// The sale, which holds the selection.
    sale: Sale,
) -> impl IntoView {
    let total = move || {
        let (seats, cents) = sale
            .selection
            .with(|selection| (selection.len(), selection.iter().map(|seat| sale.price(*seat)).sum::<Cents>()));
        (seats > 0).then(|| (words().chosen_total)(seats as u64, sale.live.money(cents)))
    };
    view! { <span class="total">{total}</span> }
}

#[component]
fn HoldButton(
    /// The sale, and the reader's booking.
    booking: Booking,
) -> impl IntoView {
    let disabled =
        Signal::derive(move || booking.sale.selection.with(Vec::is_empty) || booking.refused.read().is_some());
    let pending = booking.sale.attempts.pending;
    view! {
        <Button class="strong grab" disabled pending on_click=move || booking.reserve_selection()>
            {words().reserve}
        </Button>
    }
}

/// Shows a chosen seat and the button that deselects it. While the reader points at it here, the map points at it too.
#[component]
fn SelectedSeat(
    /// The sale, which holds the selection.
    sale: Sale,
    /// Points at the seat on the map.
    map: Handle,
    /// The heading of all chosen seats; it gets the focus from one that is deselected.
    choice: NodeRef<html::H3>,
    /// Its number in the hall.
    seat: u32,
) -> impl IntoView {
    let words = words();
    let chip = NodeRef::<html::Li>::new();
    let name = sale.seat_name(seat);
    let deselect = (words.deselect)(name.clone());
    let (point, leave) = (move || map.point_at(Some(seat)), move || map.point_at(None));
    // Its accessible name is the visible text, so that voice control finds it; the title describes the action.
    view! {
        <li class="chip" node_ref=chip on:pointerenter=move |_| point() on:pointerleave=move |_| leave()>
            <button
                type="button"
                class="where"
                title=words.show_on_map
                on:focus=move |_| point()
                on:blur=move |_| leave()
                on:click=move |_| map.show(vec![seat])
            >
                {name}
                <span class="aside">{sale.live.money(sale.price(seat))}</span>
            </button>
            <button
                type="button"
                aria-label=deselect.clone()
                title=deselect
                on:click=move |_| {
                    leave();
                    hand_focus_on(chip, choice, || sale.toggle(seat));
                }
            >
                <span aria-hidden="true">"×"</span>
            </button>
        </li>
    }
}

fn refusal_sentence(Refusal { sentence, retry_at, .. }: Refusal) -> impl IntoView {
    let retry = move |at| {
        view! {
            <span>
                {words().maybe_again} " " <LocalTime at style=TimeStyle::Clock />
            </span>
        }
    };
    view! {
        <p class="answer">
            <span>{sentence}</span>
            {retry_at.map(retry)}
        </p>
    }
}

/// Shows the form for a number of seats in a category, side by side or not.
#[component]
fn BestAvailable(
    /// The sale, and the reader's booking.
    booking: Booking,
) -> impl IntoView {
    let words = words();
    let sale = booking.sale;
    let sent = use_attempt_form().sent().and_then(|values| Pick::of_form(values).ok());
    let is_posted = sent.is_some();
    let chosen = sent.unwrap_or(Pick { category: String::new(), count: 2, adjacent: true, strict: false });
    let counts = (1..=sale.max_selected().max(1)).map(move |number| {
        view! {
            <option value=number selected=number == chosen.count as usize>
                {count(number as u64)}
            </option>
        }
    });
    let seating = chosen.seating();
    let seatings = Seating::ALL.into_iter().map(move |choice| {
        view! {
            <option value=choice.as_str() selected=choice == seating>
                {(words.seating)(choice)}
            </option>
        }
    });
    let categories = sale.live.snapshot.with_untracked(|sale| sale.categories.clone());
    let categories = categories.into_iter().map(move |Price { name, price_cents, .. }| {
        let text = format!("{} · {}", sale.category_name(&name), sale.live.money(price_cents));
        let selected = name == chosen.category;
        view! {
            <option value=name selected=selected>
                {text}
            </option>
        }
    });
    let typed = use_form_memory(format!("best:{}", sale.id()));
    Effect::new(move || if is_posted { typed.save() } else { typed.restore() });
    let on_submit = move |event: SubmitEvent| {
        let values = read_form(&event);
        match Pick::of_form(&values) {
            Ok(pick) => booking.reserve_best(pick),
            Err(error) => booking.errors.set(Some(error)),
        }
    };
    view! {
        <form id=PICK class="pick" method="post" action="#choose-title" node_ref=typed.form aria-label=words.best_available on:submit=on_submit>
            <RequestIdField />
            <h3>{words.best_available}</h3>
            <Field id=Pick::COUNT label=words.how_many>
                <select id=Pick::COUNT name=Pick::COUNT>
                    {counts.collect_view()}
                </select>
            </Field>
            <Field id=Pick::CATEGORY label=words.category>
                <select id=Pick::CATEGORY name=Pick::CATEGORY>
                    {categories.collect_view()}
                </select>
            </Field>
            <Field id=Pick::SEATING label=words.seating_label>
                <select id=Pick::SEATING name=Pick::SEATING>
                    {seatings.collect_view()}
                </select>
            </Field>
            <SubmitButton
                class=""
                native=true
                disabled=Signal::derive(move || booking.refused.read().is_some())
                pending=booking.sale.attempts.pending
                attr:aria-describedby="choose-ended"
            >
                {words.hold_best}
            </SubmitButton>
        </form>
    }
}
