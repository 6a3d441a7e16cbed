//! The two queues: unclaimed packets, and claimed ones.

use crate::{
    components::{
        Meter,
        format::{count, share},
    },
    red_packet::{
        page::{Sale, Snapshot},
        words::words,
    },
};
use leptos::prelude::*;
use model::Cents;
use std::ops::Range;

/// The maximum number of cells in the picture of a queue; in a larger queue, a cell stands for several packets.
const MAX_CELLS: u64 = 1_000;
/// The lowest opacity of a partly filled cell, which distinguishes it from an empty one.
const LEAST_OPACITY: f64 = 0.25;

/// Shows both queues side by side, and the ledger's lag behind them.
#[component]
pub fn Queues(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let capacity = sale.snapshot.with_untracked(|sale| sale.count);
    let refunded = move || {
        let (packets, cents) = sale.read(|sale| (sale.refunded, sale.refunded_cents));
        (packets > 0).then(|| (words.refunded_line)(packets, sale.money(cents)))
    };
    view! {
        <section class="card queues" aria-labelledby="queues-title" data-figures="top">
            <h2 id="queues-title" class="stage-heading">{words.queues}</h2>
            <div class="pair">
                <Queue sale side=Side::Pending />
                <Queue sale side=Side::Claimed />
            </div>
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
    /// The side of this queue.
    side: Side,
) -> impl IntoView {
    let words = words();
    let (title, hint, class) = match side {
        Side::Pending => (words.pending, words.pending_hint, "queue pending"),
        Side::Claimed => (words.claimed, words.claimed_hint, "queue claimed"),
    };
    let capacity = sale.snapshot.with_untracked(|sale| sale.count);
    let drawn = Memo::new(move |_| sale.snapshot.with(|sale| side.packets(sale).min(capacity)));
    let packets = Memo::new(move |_| sale.read(|sale| side.packets(sale)));
    let cents = Memo::new(move |_| sale.read(|sale| side.cents(sale)));
    let text =
        Signal::derive(move || (words.queue_text)(count(packets.get()), count(capacity), sale.money(cents.get())));
    view! {
        <div class=class>
            <h3>{title} <span class="aside">{hint}</span></h3>
            <div class="number">
                <b>{move || count(packets.get())}</b>
                <span class="of">{(words.of)(count(capacity))}</span>
            </div>
            <Meter class="" label=title value=packets max=capacity text>
                <Cells packets=drawn capacity />
            </Meter>
            <div class="sub">
                <span class="money">{move || sale.money(cents.get())}</span>
                <span>{move || share(packets.get(), capacity)}</span>
            </div>
        </div>
    }
}

/// Shows a queue as an SVG picture, stretched to its box: rows of cells with lines over them as gaps. As many cells are
/// filled as `packets` fill; the opacity of the last shows its share. A change repaints as little as possible: the full
/// rows, the row that is being filled, and its last cell are a path each.
#[component]
fn Cells(
    /// The number of packets in the queue.
    packets: Memo<u64>,
    /// The capacity of the queue.
    capacity: u64,
) -> impl IntoView {
    let per_cell = packets_per_cell(capacity);
    let cells = capacity.div_ceil(per_cell).max(1);
    let (columns, rows) = grid(cells);
    let whole = cells - cells % columns;
    let full = Memo::new(move |_| packets.get() / per_cell);
    let full_rows = Memo::new(move |_| full.get() / columns);
    view! {
        <svg
            class="cells"
            viewBox=format!("0 0 {columns} {rows}")
            preserveAspectRatio="none"
            aria-hidden="true"
            style=format!("--columns:{columns};--rows:{rows}")
        >
            <path class="room" d=format!("{}{}", outline(0..whole, columns), outline(whole..cells, columns)) />
            <path d=move || outline(0..full_rows.get() * columns, columns) />
            <path d=move || outline(full_rows.get() * columns..full.get(), columns) />
            <path d=move || outline(full.get()..full.get() + 1, columns) opacity=move || format!("{:.2}", fullness(packets.get(), capacity)) />
            <path class="gaps" d=gaps(columns, rows) />
        </svg>
    }
}

/// Returns the number of packets per cell.
fn packets_per_cell(capacity: u64) -> u64 {
    capacity.div_ceil(MAX_CELLS).max(1)
}

/// Returns the opacity of the cell after the full ones.
fn fullness(packets: u64, capacity: u64) -> f64 {
    let per_cell = packets_per_cell(capacity);
    match packets % per_cell {
        0 => 0.0,
        // The last cell may stand for fewer packets than the others.
        some => (some as f64 / per_cell.min(capacity + some - packets) as f64).max(LEAST_OPACITY),
    }
}

/// Returns the columns and rows of a grid of this many cells. It has about as many columns as rows, as the box is
/// nearly square, and its last row is as full as possible.
fn grid(cells: u64) -> (u64, u64) {
    let root = cells.isqrt().max(1);
    let missing = |columns: &u64| cells.next_multiple_of(*columns) - cells;
    let columns = (root..=root * 3 / 2).min_by_key(missing).unwrap_or(root);
    (columns, cells.div_ceil(columns))
}

/// Returns the path around these cells: those of whole rows, or of one row.
fn outline(cells: Range<u64>, columns: u64) -> String {
    let Range { start, end } = cells;
    if start == end {
        return String::new();
    }
    let (column, row) = (start % columns, start / columns);
    let (width, height) = if end - start < columns { (end - start, 1) } else { (columns, (end - start) / columns) };
    format!("M{column} {row}h{width}v{height}h-{width}z")
}

/// Returns the lines between cells.
fn gaps(columns: u64, rows: u64) -> String {
    let down = (1..columns).map(|column| format!("M{column} 0v{rows}"));
    let across = (1..rows).map(|row| format!("M0 {row}h{columns}"));
    down.chain(across).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cells_have_a_place_in_rows_of_which_each_is_used() {
        assert_eq!([1, 2, 7, 20, 1_000].map(grid), [(1, 1), (1, 2), (2, 4), (4, 5), (40, 25)]);
        for cells in 1..=1_000 {
            let (columns, rows) = grid(cells);
            assert!(columns * rows >= cells && columns * (rows - 1) < cells, "{cells}");
        }
    }

    #[test]
    fn whole_rows_and_parts_of_a_row_are_outlined_with_lines_between_cells() {
        let paths = [0..10, 10..13, 13..14, 0..5, 5..5].map(|cells| outline(cells, 5));
        assert_eq!(paths, ["M0 0h5v2h-5z", "M0 2h3v1h-3z", "M3 2h1v1h-1z", "M0 0h5v1h-5z", ""]);
        assert_eq!(gaps(3, 2), "M1 0v2M2 0v2M0 1h3");
        assert_eq!(gaps(1, 1), "");
    }

    #[test]
    fn a_cell_is_as_opaque_as_it_is_full() {
        assert_eq!([0, 1, 25, 50, 100].map(|packets| fullness(packets, 100_000)), [0.0, 0.25, 0.25, 0.5, 0.0]);
        // The last of the 618 cells stands for one packet, the others for two.
        assert_eq!([1_233, 1_234, 1_235].map(|packets| fullness(packets, 1_235)), [0.5, 0.0, 1.0]);
    }

    #[test]
    fn a_million_packets_are_a_thousand_cells() {
        assert_eq!([1, 1_000, 1_001, 1_000_000].map(packets_per_cell), [1, 1, 2, 1_000]);
    }
}
