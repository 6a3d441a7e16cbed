//! The two queues: the packets that nobody has yet, and those that somebody has.

use super::{Sale, Snapshot};
use crate::{
    components::{
        Meter,
        format::{count, money, share},
    },
    domain::Cents,
    sales::red_packet::words::words,
};
use leptos::prelude::*;
use std::ops::Range;

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
    let (title, hint, class) = match side {
        Side::Pending => (words.pending, words.pending_hint, "queue pending"),
        Side::Claimed => (words.claimed, words.claimed_hint, "queue claimed"),
    };
    let capacity = sale.snapshot.with_untracked(|sale| sale.count);
    let drawn = Memo::new(move |_| sale.snapshot.with(|sale| side.packets(sale)));
    let packets = Memo::new(move |_| sale.read(|sale| side.packets(sale)));
    let cents = Memo::new(move |_| sale.read(|sale| side.cents(sale)));
    let text = Signal::derive(move || (words.queue_text)(count(packets.get()), count(capacity), money(cents.get())));
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
                <span class="money">{move || money(cents.get())}</span>
                <span>{move || share(packets.get(), capacity)}</span>
            </div>
        </div>
    }
}

/// The picture of a queue, as SVG: cells row by row, the first `packets` of them filled. The cells in one state are one path,
/// however many they are, and the gaps are lines over them. It is stretched to its box.
#[component]
fn Cells(
    /// How many packets are in the queue.
    packets: Memo<u64>,
    /// How many it has room for.
    capacity: u64,
) -> impl IntoView {
    let per_cell = packets_per_cell(capacity);
    let cells = capacity.div_ceil(per_cell).max(1);
    let (columns, rows) = grid(cells);
    let full = Memo::new(move |_| packets.get() / per_cell);
    // The cell of which only some packets are in the queue.
    let part = move || {
        let (full, rest) = (full.get(), packets.get() % per_cell);
        (rest > 0).then(|| {
            let opacity = format!("{:.2}", rest as f64 / per_cell as f64);
            view! { <path d=outline(full..full + 1, columns) opacity=opacity /> }
        })
    };
    view! {
        <svg
            class="cells"
            viewBox=format!("0 0 {columns} {rows}")
            preserveAspectRatio="none"
            aria-hidden="true"
            style=format!("--columns:{columns};--rows:{rows}")
        >
            <path class="room" d=outline(0..cells, columns) />
            <path d=move || outline(0..full.get(), columns) />
            {part}
            <path class="gaps" d=gaps(columns, rows) />
        </svg>
    }
}

/// Packets that one cell stands for.
fn packets_per_cell(capacity: u64) -> u64 {
    capacity.div_ceil(MAX_CELLS).max(1)
}

/// Columns and rows of so many cells: twice as many columns, as the box is wider than it is high.
fn grid(cells: u64) -> (u64, u64) {
    let columns = (2 * cells).isqrt().max(1);
    (columns, cells.div_ceil(columns))
}

/// The path around these cells.
fn outline(cells: Range<u64>, columns: u64) -> String {
    blocks(cells, columns)
        .map(|Block { column, row, columns, rows }| format!("M{column} {row}h{columns}v{rows}h-{columns}z"))
        .collect()
}

/// The lines between cells.
fn gaps(columns: u64, rows: u64) -> String {
    let down = (1..columns).map(|column| format!("M{column} 0v{rows}"));
    let across = (1..rows).map(|row| format!("M0 {row}h{columns}"));
    down.chain(across).collect()
}

/// Cells that form a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    column: u64,
    row: u64,
    columns: u64,
    rows: u64,
}

/// The blocks that these cells form: the end of a row, whole rows, and the beginning of a row, as far as there are such.
fn blocks(cells: Range<u64>, columns: u64) -> impl Iterator<Item = Block> {
    let Range { start, end } = cells;
    let whole_from = start.next_multiple_of(columns).min(end);
    let whole_until = whole_from.max(end - end % columns);
    let row_of = move |cells: Range<u64>| Block {
        column: cells.start % columns,
        row: cells.start / columns,
        columns: cells.end - cells.start,
        rows: 1,
    };
    let whole = Block { column: 0, row: whole_from / columns, columns, rows: (whole_until - whole_from) / columns };
    let all = [row_of(start..whole_from), whole, row_of(whole_until..end)];
    all.into_iter().filter(|block| block.columns > 0 && block.rows > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cells_have_a_place_in_rows_of_which_each_is_used() {
        assert_eq!([1, 2, 7, 20, 1_000].map(grid), [(1, 1), (2, 1), (3, 3), (6, 4), (44, 23)]);
        for cells in 1..=1_000 {
            let (columns, rows) = grid(cells);
            assert!(columns * rows >= cells && columns * (rows - 1) < cells, "{cells}");
        }
    }

    #[test]
    fn cells_are_outlined_block_by_block_with_lines_between_them() {
        assert_eq!(outline(0..13, 5), "M0 0h5v2h-5zM0 2h3v1h-3z");
        assert_eq!(outline(3..3, 5), "");
        assert_eq!(gaps(3, 2), "M1 0v2M2 0v2M0 1h3");
        assert_eq!(gaps(1, 1), "");
    }

    #[test]
    fn cells_form_blocks_that_cover_each_of_them_once() {
        let block = |column, row, columns, rows| Block { column, row, columns, rows };
        let all = |cells| blocks(cells, 10).collect::<Vec<_>>();
        assert_eq!(all(3..45), [block(3, 0, 7, 1), block(0, 1, 10, 3), block(0, 4, 5, 1)]);
        assert_eq!(all(0..20), [block(0, 0, 10, 2)]);
        assert_eq!(all(12..17), [block(2, 1, 5, 1)]);
        assert_eq!(all(20..20), []);
        for (start, end) in (0..40).flat_map(|start| (start..40).map(move |end| (start, end))) {
            let cells = |Block { column, row, columns, rows }| {
                (row..row + rows).flat_map(move |row| (column..column + columns).map(move |column| row * 10 + column))
            };
            assert_eq!(blocks(start..end, 10).flat_map(cells).collect::<Vec<_>>(), (start..end).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_million_packets_are_a_thousand_cells() {
        assert_eq!([1, 1_000, 1_001, 1_000_000].map(packets_per_cell), [1, 1, 2, 1_000]);
    }
}
