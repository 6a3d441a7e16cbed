//! The built-in halls.

use crate::{
    Cents,
    ticket::hall::{Layout, Section},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A built-in hall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HallName {
    /// 596 seats: curved stalls, circle and balcony.
    Theatre,
    /// 12,000 seats: a floor, and two rings around it.
    Arena,
    /// 60,000 seats in three tiers around a pitch, six categories.
    Stadium,
}

impl HallName {
    /// Every built-in hall, smallest first.
    pub const ALL: [Self; 3] = [Self::Theatre, Self::Arena, Self::Stadium];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Theatre => "theatre",
            Self::Arena => "arena",
            Self::Stadium => "stadium",
        }
    }

    /// The categories in order, each with the default price of a seat in cents.
    pub fn categories(self) -> &'static [(&'static str, Cents)] {
        match self {
            Self::Theatre => &[("stalls", 8_800), ("circle", 5_800), ("balcony", 3_800)],
            Self::Arena => &[("floor", 12_800), ("lower", 8_800), ("upper", 4_800)],
            Self::Stadium => &[
                ("cat1", 128_000),
                ("cat2", 98_000),
                ("cat3", 68_000),
                ("cat4", 48_000),
                ("cat5", 38_000),
                ("cat6", 28_000),
            ],
        }
    }

    /// The built-in hall with this layout, if there is one.
    pub fn of(layout: &Layout) -> Option<Self> {
        Self::ALL.into_iter().find(|hall| hall.layout() == *layout)
    }

    /// The name of the built-in hall with this layout; empty if there is none.
    pub fn name_of(layout: &Layout) -> &'static str {
        Self::of(layout).map_or("", Self::name)
    }

    /// The hall with this name in JSON.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hall| hall.name() == name)
    }

    /// The layout of the hall.
    pub fn layout(self) -> Layout {
        let sections = match self {
            Self::Theatre => theatre(),
            Self::Arena => arena(),
            Self::Stadium => stadium(),
        };
        let categories = self.categories().iter().map(|(name, _)| (*name).to_owned()).collect();
        Layout { categories, sections, marks: Vec::new() }.placed()
    }
}

/// Rows around the stage. Each row is one seat longer than the previous one.
fn theatre() -> Vec<Section> {
    let block = |id: &str, category: &str, rows: u16, first: u16, radius: f64, rank: u16| Section {
        id: id.to_owned(),
        category: category.to_owned(),
        rows: (0..rows).map(|row| (first + row).into()).collect(),
        rank,
        radius,
        ..Section::default()
    };
    vec![
        block("S", "stalls", 14, 18, 16.0, 0),
        block("C", "circle", 5, 30, 34.0, 14),
        block("B", "balcony", 3, 30, 43.0, 19),
    ]
}

/// A ring of identical sections around the origin.
struct Ring {
    /// The first letter of each section's id; its number follows.
    letter: char,
    sections: u16,
    rows: u16,
    seats: u16,
    radius: f64,
    rank: u16,
}

impl Ring {
    fn sections(&self, category: impl Fn(u16) -> &'static str) -> Vec<Section> {
        (0..self.sections)
            .map(|number| Section {
                id: format!("{}{:02}", self.letter, number + 1),
                category: category(number).to_owned(),
                rows: vec![self.seats.into(); usize::from(self.rows)],
                rank: self.rank,
                turn: 360.0 * f64::from(number) / f64::from(self.sections),
                radius: self.radius,
                ..Section::default()
            })
            .collect()
    }
}

fn arena() -> Vec<Section> {
    let mut sections: Vec<Section> = (0..8)
        .map(|number: u16| Section {
            id: format!("F{:02}", number + 1),
            category: "floor".to_owned(),
            rows: vec![20_u16.into(); 14],
            x: Some(f64::from(number % 4) * 23.0 - 34.5),
            y: Some(f64::from(number / 4) * 17.0 - 16.0),
            rank: number / 4 * 14,
            ..Section::default()
        })
        .collect();
    let lower = Ring { letter: 'L', sections: 16, rows: 14, seats: 20, radius: 62.0, rank: 0 };
    let upper = Ring { letter: 'U', sections: 24, rows: 11, seats: 20, radius: 84.0, rank: 14 };
    sections.extend(lower.sections(|_| "lower"));
    sections.extend(upper.sections(|_| "upper"));
    sections
}

/// Long sides cost more than ends, and low tiers more than high ones.
fn stadium() -> Vec<Section> {
    const SECTIONS: u16 = 40;
    // Sections at 0 and 180 degrees are in the middle of the long sides.
    let is_side = |number: u16| {
        let from_middle = (number + SECTIONS / 4) % (SECTIONS / 2);
        (5..=15).contains(&from_middle)
    };
    let tier = |letter, rows, seats, radius, rank| Ring { letter, sections: SECTIONS, rows, seats, radius, rank };
    let mut sections = tier('A', 20, 20, 140.0, 0).sections(|number| if is_side(number) { "cat1" } else { "cat3" });
    sections.extend(tier('B', 20, 25, 164.0, 20).sections(|number| if is_side(number) { "cat2" } else { "cat4" }));
    sections.extend(tier('C', 20, 30, 196.0, 40).sections(|number| if is_side(number) { "cat5" } else { "cat6" }));
    sections
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_halls_have_a_category_of_the_same_name() {
        let names: Vec<&str> = HallName::ALL.iter().flat_map(|hall| hall.categories()).map(|(name, _)| *name).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
    }
}
