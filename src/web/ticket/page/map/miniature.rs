//! The demonstration on the first page: the hall, each section in a colour between that of free seats and that of taken
//! ones. Seats would be smaller than a pixel.

use crate::{
    components::use_latest,
    kind::{Miniature, MiniatureSale},
    ticket::{
        api,
        page::{
            map::{geometry::Bounds, placement::Placement},
            sale::free_by_section,
        },
        words::words,
    },
};
use leptos::{either::Either, prelude::*};
use model::ticket::{
    hall::{Hall, Section},
    halls::HallName,
    seats::SeatState,
};

/// The demonstration of tickets.
pub const MINIATURE: Miniature =
    Miniature { sentence: || words().demonstration, picture: |sale| view! { <SmallHall sale /> }.into_any() };

/// The width of the drawing. Its points are whole numbers.
const WIDTH: f64 = 400.0;

#[component]
fn SmallHall(
    /// The sale of the picture.
    sale: MiniatureSale,
) -> impl IntoView {
    let hall = sale.sale.with_untracked(|sale| sale.text("hall").and_then(HallName::from_name));
    // A demonstration has a built-in hall.
    let Some(hall) = hall.map(|name| Hall::laid_out(name.layout())) else { return Either::Left(()) };
    let (sections, height) = outlines(&hall);
    let taken = use_taken(sale, hall);
    // While the seats are not known, and where no program runs, each section has its share of all taken seats.
    let share = move |place: usize| {
        let known = taken.with(|taken| taken.get(place).copied());
        let share = known.map_or_else(|| sale.share(), |known| known * sale.played.get());
        format!("--taken:{}%", (share * 100.0).round())
    };
    let section = |(place, outline): (usize, String)| view! { <path d=outline style=move || share(place) /> };
    Either::Right(view! {
        <svg class="mini-hall" viewBox=format!("0 0 {WIDTH} {height}")>
            {sections.into_iter().enumerate().map(section).collect_view()}
        </svg>
    })
}

/// Returns the share of the seats that are taken in each section, in the order of the layout. It is empty before it is
/// known, while no seat is taken, and while a crowd is there: every reader would ask for all seats again and again.
fn use_taken(sale: MiniatureSale, hall: Hall) -> RwSignal<Vec<f64>> {
    let taken = RwSignal::new(Vec::new());
    let hall = StoredValue::new(hall);
    let latest = use_latest();
    // The number of seats left makes it another question.
    let question = Memo::new(move |_| {
        sale.sale.with(|sale| (!sale.crowd && sale.left != sale.total).then(|| (sale.sale.clone(), sale.left)))
    });
    Effect::new(move || {
        let Some((sale, _)) = question.get() else {
            latest.give_up();
            taken.set(Vec::new());
            return;
        };
        latest.ask(
            move || api::snapshot(sale),
            move |answer| {
                let shares = answer.ok().and_then(|snapshot| {
                    hall.with_value(|hall| {
                        let mut seats = vec![SeatState::Free; hall.seats() as usize];
                        snapshot.seats.apply(&mut seats, |_| {}).then(|| taken_by_section(hall, &seats))
                    })
                });
                if let Some(shares) = shares {
                    taken.set(shares);
                }
            },
        );
    });
    taken
}

fn taken_by_section(hall: &Hall, seats: &[SeatState]) -> Vec<f64> {
    let sections = hall.layout.sections.iter().zip(free_by_section(hall, seats));
    sections.map(|(section, free)| 1.0 - f64::from(free) / f64::from(section.seats().max(1))).collect()
}

/// Returns the path around each section of a hall, and the height of all.
fn outlines(hall: &Hall) -> (Vec<String>, f64) {
    let placement = Placement::new(hall);
    let corners: Vec<_> = hall.layout.sections.iter().map(|section| corners(section, &placement)).collect();
    let bounds = Bounds::around(corners.iter().flatten().copied());
    let scale = WIDTH / bounds.width().max(1.0);
    let point =
        |(x, y): &(f64, f64)| format!("{} {}", ((x - bounds.left) * scale).round(), ((y - bounds.top) * scale).round());
    let path = |corners: &[(f64, f64); 6]| format!("M{}z", corners.each_ref().map(&point).join("L"));
    (corners.iter().map(path).collect(), (bounds.height() * scale).round())
}

/// Returns the ends and the middle of a section's first row, and of its last one, back again.
fn corners(section: &Section, placement: &Placement) -> [(f64, f64); 6] {
    let last = section.rows.len().saturating_sub(1);
    let point = |row: usize, side: f64| placement.point(section, side * (section.half(row as u16) + 0.5), row as f64);
    [point(0, -1.0), point(0, 0.0), point(0, 1.0), point(last, 1.0), point(last, 0.0), point(last, -1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_section_has_an_outline_within_the_drawing() {
        for name in HallName::ALL {
            let hall = Hall::laid_out(name.layout());
            let (sections, height) = outlines(&hall);
            assert_eq!(sections.len(), hall.layout.sections.len());
            let numbers = sections.iter().flat_map(|path| path.split(|c: char| !c.is_ascii_digit()));
            let numbers: Vec<f64> = numbers.filter_map(|number| number.parse().ok()).collect();
            assert_eq!(numbers.len(), 12 * sections.len(), "{name:?}: none is negative");
            assert!(numbers.chunks(2).all(|point| point[0] <= WIDTH && point[1] <= height), "{name:?}");
        }
    }

    #[test]
    fn a_section_is_as_taken_as_its_seats() {
        let hall = Hall::laid_out(HallName::Theatre.layout());
        let mut seats = vec![SeatState::Free; hall.seats() as usize];
        assert!(taken_by_section(&hall, &seats).iter().all(|share| *share == 0.0));
        seats.fill(SeatState::Sold);
        assert!(taken_by_section(&hall, &seats).iter().all(|share| *share == 1.0));
    }
}
