//! Halls: every seat has one id and one number, the best first; errors name the part of a layout that exceeds a limit.

use super::{section, small};
use model::{
    error::Error,
    ticket::{
        hall::{
            Hall, Layout, Seat,
            marks::{Mark, Marking},
            rows::RowLayout,
        },
        halls::HallName,
        layout_file,
    },
};
use std::collections::HashSet;

fn hall(layout: Layout) -> Hall {
    Hall::new(layout).expect("a hall")
}

fn refused(layout: Layout) -> Error {
    Hall::new(layout).expect_err("no hall")
}

#[test]
fn the_halls_have_the_seats_that_they_say() {
    let sizes = HallName::ALL.map(|name| hall(name.layout()).seats());
    assert_eq!(sizes, [596, 12_000, 60_000]);
    for name in HallName::ALL {
        assert_eq!(hall(name.layout()).categories.len(), name.categories().len());
    }
    assert_eq!(HallName::Stadium.categories().len(), 6);
}

#[test]
fn every_seat_is_found_by_its_id_and_by_its_number() {
    for name in HallName::ALL {
        let hall = hall(name.layout());
        let mut ids = HashSet::new();
        for number in 0..hall.seats() {
            let seat = hall.seat(number).expect("a seat");
            let id = hall.id(seat);
            assert_eq!(hall.find(&id), Some(seat), "{id}");
            assert_eq!(hall.number(seat), number);
            assert!(ids.insert(id));
        }
        assert_eq!(hall.seat(hall.seats()), None);
    }
}

#[test]
fn no_two_seats_stand_on_each_other() {
    for name in HallName::ALL {
        let hall = hall(name.layout());
        let mut places: Vec<(f64, f64)> =
            (0..hall.seats()).map(|number| hall.position(hall.seat(number).expect("a seat"))).collect();
        // Neighbours in x are all that can be near; 0.9 leaves room for the bend of a row.
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, place) in places.iter().enumerate() {
            for other in places[at + 1..].iter().take_while(|other| other.0 - place.0 < 0.9) {
                let apart = (other.0 - place.0).hypot(other.1 - place.1);
                assert!(apart > 0.9, "{}: {place:?} and {other:?}", name.name());
            }
        }
    }
}

#[test]
fn rows_follow_each_other_from_the_best_of_each_category() {
    let hall = hall(small());
    let first: Vec<String> = (0..hall.rows.len() as u32).map(|row| hall.id(Seat { row, place: 0 })).collect();
    // Of two sections at the same distance, the one that is named first.
    assert_eq!(first, ["A-01-01", "A-02-01", "A-03-01", "L-01-01", "R-01-01", "L-02-01", "R-02-01"]);
    let seats: Vec<_> = hall.categories.iter().map(|category| category.seats.clone()).collect();
    assert_eq!(seats, [0..18, 18..34]);
}

#[test]
fn what_is_no_id_finds_no_seat() {
    let hall = hall(small());
    assert!(hall.find("A-01-05").is_some());
    for id in [
        "A-01-06",
        "A-04-01",
        "A-00-01",
        "A-01-00",
        "A-1-1",
        "A-01-1",
        "A-001-01",
        "B-01-01",
        "A-01",
        "A-01-01-01",
        "A-+1-01",
        "",
        "--",
        "A-01-99999999999",
    ] {
        assert_eq!(hall.find(id), None, "{id}");
    }
}

#[test]
fn a_layout_that_breaks_a_limit_is_told_where() {
    type Change = fn(&mut Layout);
    let with = |change: Change| {
        let mut layout = small();
        change(&mut layout);
        let error = refused(layout);
        (error.field.unwrap_or_default(), error.message)
    };
    let cases: [(Change, &str, &str); 12] = [
        (|it| it.sections[2].id = "L".to_owned(), "layout.sections[2].id", "section 1"),
        (|it| it.sections[1].category = "gold".to_owned(), "layout.sections[1].category", "near, far"),
        (|it| it.categories[1] = "near".to_owned(), "layout.categories[1]", "duplicate"),
        (|it| it.categories.clear(), "layout.categories", "1 to 32"),
        (|it| it.categories[0] = "a b".to_owned(), "layout.categories[0]", "letters"),
        (|it| it.sections.clear(), "layout.sections", "1 to 2000"),
        (|it| it.sections[0].id = "A-1".to_owned(), "layout.sections[0].id", "letters"),
        (|it| it.sections[0].rows.clear(), "layout.sections[0].rows", "1 to 200"),
        (|it| it.sections[0].rows[1] = 0_u16.into(), "layout.sections[0].rows[1]", "1 to 200"),
        (|it| it.sections[0].rows[1] = 201_u16.into(), "layout.sections[0].rows[1]", "1 to 200"),
        (|it| it.sections[0].radius = -1.0, "layout.sections[0].radius", "straight"),
        (|it| it.sections[0].x = Some(f64::NAN), "layout.sections[0].x", "number"),
    ];
    for (change, field, word) in cases {
        let (found, message) = with(change);
        assert_eq!(found, field, "{message}");
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn rows_have_names_numbers_gaps_and_aisles() {
    let mut layout = small();
    layout.sections[0].rows[1] =
        RowLayout { name: Some("B".to_owned()), from: 2, step: 2, gaps: vec![6], aisles: vec![8], ..6_u16.into() };
    let hall = hall(layout);
    let ids: Vec<String> = (0..hall.seats()).filter_map(|number| hall.seat(number)).map(|seat| hall.id(seat)).collect();
    // The block in the middle of the row is the best of it.
    assert_eq!(ids[5..10], ["A-B-08", "A-B-02", "A-B-04", "A-B-10", "A-B-12"]);
    for (number, id) in (0..).zip(&ids) {
        let seat = hall.find(&id.to_lowercase()).expect("in small letters");
        assert_eq!((hall.number(seat), &hall.id(seat)), (number, id));
        let (x, y) = hall.position(seat);
        assert_eq!(hall.seat_at(|section| section.from_point(x + 0.2, y - 0.2)), Some(seat), "{id}");
    }
    for id in ["A-B-06", "A-B-03", "A-B-14", "A-02-02", "A-BB-02"] {
        assert_eq!(hall.find(id), None, "{id}");
    }
    let x = |id: &str| hall.position(hall.find(id).expect("a seat")).0;
    assert_eq!((x("A-B-08") - x("A-B-04"), x("A-B-10") - x("A-B-08")), (2.0, 2.0), "a gap, and an aisle");
}

#[test]
fn all_mistakes_of_a_layout_are_told_at_once() {
    let mut layout = small();
    layout.sections[0].rows[1] = RowLayout { step: 0, ..6_u16.into() };
    layout.sections[1].rows[0] = RowLayout { name: Some("02".to_owned()), gaps: vec![9], ..4_u16.into() };
    layout.sections[2].category = "gold".to_owned();
    layout.marks = vec![Marking {
        mark: Some(Mark::Blocked),
        seats: vec!["A-01-01".to_owned(), "a-01-01".to_owned(), "Z-01-01".to_owned()],
        note: Some(String::new()),
        category: None,
    }];
    let fields: Vec<String> = refused(layout).each().filter_map(|error| error.field).collect();
    let expected = [
        "sections[0].rows[1].step",
        "sections[1].rows[0].gaps",
        "sections[1].rows[1]",
        "sections[2].category",
        "marks[0].note",
        "marks[0].seats[1]",
        "marks[0].seats[2]",
    ];
    assert_eq!(fields, expected.map(|field| format!("layout.{field}")));
}

/// The examples of `docs/layouts.md`.
#[test]
fn the_documented_layouts_have_no_mistakes() {
    let document = include_str!("../../docs/layouts.md");
    let blocks: Vec<&str> = document.split("```").skip(1).step_by(2).collect();
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        let (_, text) = block.split_once('\n').expect("a language");
        assert_eq!(layout_file::read(text).mistakes, [], "{text}");
    }
}

#[test]
fn two_hundred_thousand_seats_are_taken_and_one_more_is_not() {
    let mut layout = Layout { categories: vec!["all".to_owned()], ..Layout::default() };
    for number in 0..5 {
        layout.sections.push(section(&format!("S{number}"), "all", &[200; 200]));
    }
    assert_eq!(hall(layout.clone()).seats(), 200_000);
    layout.sections.push(section("T", "all", &[1]));
    let error = refused(layout);
    assert_eq!(error.field.as_deref(), Some("layout.sections[5].rows"));
    assert!(error.message.contains("200001"), "{}", error.message);
}
