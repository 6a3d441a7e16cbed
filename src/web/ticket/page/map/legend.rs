//! The legend of shapes and colours, and the buttons of the price categories, with seats as on the map.

use crate::{
    components::{format::round_money, use_hydrated},
    ticket::{
        page::{
            Sale,
            map::{
                painter::CATEGORY_COLORS,
                sprites::{BAR, LINE, REACH, RING, Shape},
            },
        },
        words::words,
    },
};
use leptos::prelude::*;
use model::ticket::{Price, hall::marks::Mark};

/// Returns the sign of a mark on the map; `None` if a seat's shape shows it.
pub fn sign(mark: Mark) -> Option<&'static str> {
    match mark {
        Mark::Blocked => None,
        // As text, not as a coloured picture.
        Mark::Wheelchair => Some("\u{267f}\u{fe0e}"),
        Mark::RestrictedView => Some("\u{25e3}"),
    }
}

/// Shows buttons that highlight the seats of some categories, and leave the others faint.
#[component]
pub fn PriceKey(
    /// The sale, which holds prices and filter.
    sale: Sale,
    /// Seats are so small that their shapes are filled.
    #[prop(into)]
    is_plain: Signal<bool>,
) -> impl IntoView {
    let words = words();
    let hydrated = use_hydrated();
    let categories = sale.live.snapshot.with_untracked(|sale| sale.categories.clone());
    let buttons = categories.into_iter().enumerate().zip(CATEGORY_COLORS.iter().cycle()).map(
        move |((place, Price { name, price_cents, .. }), color)| {
            view! {
                <button
                    type="button"
                    class="price-button"
                    style=format!("--swatch:var({color})")
                    aria-pressed=move || sale.filter.get().names(place).to_string()
                    disabled=move || !hydrated.get()
                    on:click=move |_| sale.filter.update(|filter| filter.toggle(place))
                >
                    <SeatShape shape=Shape::Free is_plain />
                    {sale.category_name(&name)}
                    {(!sale.is_preview)
                        .then(|| view! { <span class="aside">{round_money(price_cents, sale.live.currency)}</span> })}
                </button>
            }
        },
    );
    view! {
        <div class="price-key" role="group" aria-label=words.show_only>
            {buttons.collect_view()}
        </div>
    }
}

/// Shows the meaning of the shapes, drawn as on the map. Blocked seats and marks are explained in halls that have some.
#[component]
pub fn Legend(
    /// The sale, with its hall and the number of its blocked seats.
    sale: Sale,
    /// Seats are so small that their shapes are filled.
    #[prop(into)]
    is_plain: Signal<bool>,
) -> impl IntoView {
    let words = words();
    let mark = |class: &'static str| view! { <i class=class aria-hidden="true"></i> };
    let has_blocked = Memo::new(move |_| sale.live.read(|sale| sale.blocked_seats() > 0));
    let signs = sale.hall.with_value(|hall| {
        let has = |mark: &Mark| hall.marks.values().any(|of_seat| of_seat.marks.contains(mark));
        Mark::ALL.into_iter().filter(has).filter_map(|mark| Some((mark, sign(mark)?))).collect::<Vec<_>>()
    });
    let marks = signs.into_iter().map(move |(mark, sign)| {
        view! {
            <span class="key">
                <span aria-hidden="true">{sign}</span>
                {(words.mark)(mark)}
            </span>
        }
    });
    view! {
        <p class="legend">
            <span class="key free">
                <SeatShape shape=Shape::Free is_plain />
                {words.free}
            </span>
            <span class="key held">
                <SeatShape shape=Shape::Held is_plain />
                {words.held}
            </span>
            <span class="key sold">
                <SeatShape shape=Shape::Sold is_plain />
                {words.sold}
            </span>
            <Show when=move || has_blocked.get()>
                <span class="key blocked">
                    <SeatShape shape=Shape::Blocked is_plain />
                    {words.blocked}
                </span>
            </Show>
            {marks.collect_view()}
            <span class="key">{mark("chosen")} {words.chosen}</span>
            <span class="key">{mark("mine")} {mark("paid")} {words.mine}</span>
        </p>
    }
}

/// Shows a seat in the colour `--swatch`.
#[component]
fn SeatShape(
    /// The shape, which stands for a state.
    shape: Shape,
    /// Seats are so small that their shapes are filled.
    is_plain: Signal<bool>,
) -> impl IntoView {
    view! {
        <svg class="seat-shape" viewBox="-0.5 -0.5 1 1" aria-hidden="true">
            <path d=move || path(shape, is_plain.get()) fill-rule="evenodd" />
        </svg>
    }
}

/// Returns the path of a seat's shape for seats at distance 1, the same as in `sprites`.
fn path(shape: Shape, is_plain: bool) -> String {
    let circle =
        |radius: f64| format!("M{radius} 0A{radius} {radius} 0 1 1 {} 0A{radius} {radius} 0 1 1 {radius} 0Z", -radius);
    let diamond = |radius: f64| format!("M{radius} 0L0 {radius}L{} 0L0 {}Z", -radius, -radius);
    // A line's width is measured at a right angle to it, a diamond's radius along the axes.
    let slanted = LINE * std::f64::consts::SQRT_2;
    match (shape, is_plain) {
        (Shape::Free, true) => circle(REACH * 0.95),
        (Shape::Free, false) => circle(REACH) + &circle(REACH - RING),
        (Shape::Held, true) => diamond(REACH * 1.1),
        (Shape::Held, false) => {
            let inside = REACH - slanted;
            format!("{}M{inside} 0L0 {}L{} 0Z", diamond(REACH), -inside, -inside)
        }
        (Shape::Blocked, _) => {
            let (far, near) = (REACH * 0.8, REACH * BAR);
            format!("M{far} {near}H{}V{}H{far}Z", -far, -near)
        }
        (Shape::Sold, true) => {
            let radius = REACH * 0.6;
            format!("M{radius} {radius}H{}V{}H{radius}Z", -radius, -radius)
        }
        (Shape::Sold, false) => {
            let (radius, notch) = (REACH * 0.68, slanted / 2.0);
            // Four triangles, separated by a cross.
            let (far, near) = (radius - notch, notch);
            [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]
                .map(|(x, y)| {
                    let at = |ahead: f64, aside: f64| format!("{} {}", x * ahead - y * aside, y * ahead + x * aside);
                    format!("M{}L{}L{}Z", at(near, 0.0), at(radius, far), at(radius, -far))
                })
                .concat()
        }
    }
}
