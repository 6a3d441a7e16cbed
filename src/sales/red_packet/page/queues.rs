//! The two queues: the packets that nobody has yet, and those that somebody has.

use super::{Sale, Snapshot};
use crate::{
    components::{
        canvas::{Canvas, Surface},
        format::{count, money, share},
    },
    domain::Cents,
    i18n,
    sales::red_packet::words::words,
};
use leptos::prelude::*;

/// How many cells a queue is drawn with at most; a cell of a larger one stands for several packets.
const MAX_CELLS: u64 = 1_000;

/// Both queues side by side, and how far the ledger is behind them.
#[component]
pub fn Queues(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let capacity = sale.snapshot.with_untracked(|sale| sale.count);
    let refunded = move || {
        let (packets, cents) = sale.read(|sale| (sale.refunded, sale.refunded_cents));
        (packets > 0).then(|| (words.refunded_line)(packets, money(cents)))
    };
    view! {
        <section class="card queues" aria-labelledby="queues-title" data-figures="top">
            <h2 id="queues-title" class="stage-heading">{words.queues}</h2>
            <div class="pair">
                <Queue sale side=Side::Pending />
                <Queue sale side=Side::Claimed />
            </div>
            // As HTML: a browser with JavaScript has text in here, where hydration would look for elements.
            <noscript inner_html=format!("<p>{}</p>", i18n::words().picture_without_script) />
            <p class="legend">
                <span>{(words.per_cell)(packets_per_cell(capacity))}</span>
                <span>{refunded}</span>
            </p>
        </section>
    }
    .into_any()
}

/// One of the two queues.
#[derive(Clone, Copy)]
enum Side {
    Pending,
    Claimed,
}

impl Side {
    fn packets(self, sale: &Snapshot) -> u64 {
        match self {
            Self::Pending => sale.pending,
            Self::Claimed => sale.claimed,
        }
    }

    fn cents(self, sale: &Snapshot) -> Cents {
        match self {
            Self::Pending => sale.pending_cents,
            Self::Claimed => sale.claimed_cents,
        }
    }
}

#[component]
fn Queue(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// Which of the two queues.
    side: Side,
) -> impl IntoView {
    let words = words();
    let (title, hint, class, color) = match side {
        Side::Pending => (words.pending, words.pending_hint, "queue pending", "--indigo"),
        Side::Claimed => (words.claimed, words.claimed_hint, "queue claimed", "--gold"),
    };
    let capacity = sale.snapshot.with_untracked(|sale| sale.count);
    let cells = Memo::new(move |_| sale.snapshot.with(|sale| side.packets(sale)));
    let packets = Memo::new(move |_| sale.read(|sale| side.packets(sale)));
    let cents = Memo::new(move |_| sale.read(|sale| side.cents(sale)));
    view! {
        <div class=class>
            <h3>{title} <span class="aside">{hint}</span></h3>
            <div class="number">
                <b>{move || count(packets.get())}</b>
                <span class="of">{(words.of)(count(capacity))}</span>
            </div>
            <div
                role="meter"
                aria-label=title
                aria-valuemin="0"
                aria-valuemax=capacity.to_string()
                aria-valuenow=move || packets.get().to_string()
                aria-valuetext=move || {
                    (words.queue_text)(count(packets.get()), count(capacity), money(cents.get()))
                }
            >
                <Canvas class="cells" draw=move |surface| draw_cells(surface, cells.get(), capacity, color) />
            </div>
            <div class="sub">
                <span class="money">{move || money(cents.get())}</span>
                <span>{move || share(packets.get(), capacity)}</span>
            </div>
        </div>
    }
}

/// Packets that one cell stands for.
fn packets_per_cell(capacity: u64) -> u64 {
    capacity.div_ceil(MAX_CELLS).max(1)
}

/// Draws the cells of a queue that has room for `capacity` packets and holds `packets`, row by row.
fn draw_cells(surface: &Surface, packets: u64, capacity: u64, color: &'static str) {
    let per_cell = packets_per_cell(capacity);
    let cells = capacity.div_ceil(per_cell).max(1);
    let (columns, side) = grid(surface.width, surface.height, cells);
    let gap = if side >= 4.0 { 1.0 } else { 0.0 };
    let context = surface.context();
    let fill = |cells: std::ops::Range<u64>, color: &'static str, opacity: f64| {
        surface.set_fill(color, opacity);
        for cell in cells {
            let (column, row) = (cell % columns, cell / columns);
            context.fill_rect(column as f64 * side, row as f64 * side, side - gap, side - gap);
        }
    };
    let full = packets / per_cell;
    let rest = (packets % per_cell) as f64 / per_cell as f64;
    fill(0..full, color, 1.0);
    fill(full..cells, "--cell", 1.0);
    if rest > 0.0 {
        fill(full..full + 1, color, rest);
    }
}

/// Columns, and the side of a square cell, so that `cells` fill the area as well as they can.
fn grid(width: f64, height: f64, cells: u64) -> (u64, f64) {
    let ideal = (width * height / cells as f64).sqrt();
    let columns = (width / ideal).ceil().max(1.0);
    let rows = (cells as f64 / columns).ceil();
    (columns as u64, (width / columns).min(height / rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cells_of_a_queue_fit_its_area() {
        for cells in [1, 7, 100, 1_000] {
            for (width, height) in [(358.0, 120.0), (900.0, 160.0), (40.0, 400.0)] {
                let (columns, side) = grid(width, height, cells);
                let rows = cells.div_ceil(columns);
                assert!(side > 0.0 && columns as f64 * side <= width + 0.001 && rows as f64 * side <= height + 0.001);
            }
        }
    }

    #[test]
    fn a_million_packets_are_a_thousand_cells() {
        assert_eq!([1, 1_000, 1_001, 1_000_000].map(packets_per_cell), [1, 1, 2, 1_000]);
    }
}
