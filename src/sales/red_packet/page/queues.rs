//! The two queues: the packets that nobody has yet, and those that somebody has.

use super::{Sale, Snapshot};
use crate::{
    components::{
        Meter,
        canvas::{Canvas, Surface},
        format::{count, money, share},
    },
    domain::Cents,
    i18n,
    sales::red_packet::words::words,
};
use leptos::prelude::*;
use std::ops::Range;

/// How many cells a queue is drawn with at most; a cell of a larger one stands for several packets.
const MAX_CELLS: u64 = 1_000;
/// Between two cells, in CSS pixels; none where cells are tiny.
const GAP: f64 = 1.0;

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
    let text = Signal::derive(move || (words.queue_text)(count(packets.get()), count(capacity), money(cents.get())));
    view! {
        <div class=class>
            <h3>{title} <span class="aside">{hint}</span></h3>
            <div class="number">
                <b>{move || count(packets.get())}</b>
                <span class="of">{(words.of)(count(capacity))}</span>
            </div>
            <Meter class="" label=title value=packets max=capacity text>
                <Canvas class="cells" draw=move |surface| draw_cells(surface, cells.get(), capacity, color) />
            </Meter>
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

/// Draws the cells of a queue that has room for `capacity` packets and holds `packets`, row by row: whole rows at a time,
/// and then the gaps, since a thousand squares for each frame would cost more than the rest of the page.
fn draw_cells(surface: &Surface, packets: u64, capacity: u64, color: &'static str) {
    let per_cell = packets_per_cell(capacity);
    let cells = capacity.div_ceil(per_cell).max(1);
    let (columns, side) = grid(surface.width, surface.height, cells);
    let context = surface.context();
    let fill = |cells: Range<u64>, color: &'static str, opacity: f64| {
        surface.set_fill(color, opacity);
        for Block { column, row, columns, rows } in blocks(cells, columns) {
            let [x, y, width, height] = [column, row, columns, rows].map(|cells| cells as f64 * side);
            context.fill_rect(x, y, width, height);
        }
    };
    let full = packets / per_cell;
    let rest = (packets % per_cell) as f64 / per_cell as f64;
    fill(0..full, color, 1.0);
    fill(full..cells, "--cell", 1.0);
    if rest > 0.0 {
        fill(full..full + 1, color, rest);
    }
    if side >= 4.0 {
        let ends = |lines: u64| (1..=lines).map(|line| line as f64 * side - GAP);
        ends(columns).for_each(|x| context.clear_rect(x, 0.0, GAP, surface.height));
        ends(cells.div_ceil(columns)).for_each(|y| context.clear_rect(0.0, y, surface.width, GAP));
    }
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
