//! The specifics of a crowd at a red packet sale: all of its users want the same.

use crate::{
    crowd::{
        panel::{CrowdKindForm, Newest},
        preset::Preset,
    },
    i18n, life,
    red_packet::words::words,
};
use leptos::prelude::*;
use model::{
    crowd::Behavior,
    red_packet::{Declined, INFO, Snapshot},
};

/// The crowd panel of a red packet sale.
pub const CROWD: CrowdKindForm = CrowdKindForm {
    kind: INFO.id,
    presets: |packets| Preset::common(users(packets), &Behavior::new()),
    fields: |_, _| ().into_any(),
    behavior: |_| Ok(Behavior::new()),
    sold_out: "sold_out",
    refusals: || vec!["sold_out", "expired", "closed", "not_open", "paused"],
    answers: || {
        let (words, shared) = (words(), i18n::words());
        vec![
            (words.won, "won"),
            (shared.repeat.label, "repeat"),
            (words.sold_out, "sold_out"),
            (words.expired, "expired"),
            (words.closed, "closed"),
            (life::words().not_open, "not_open"),
            (life::words().paused, "paused"),
        ]
    },
    behavior_name: |_| None,
};

/// Returns the usual number of users: a fifth more than packets.
fn users(packets: u64) -> u32 {
    u32::try_from(packets + packets / 5).unwrap_or(u32::MAX)
}

/// Returns the newest users of a snapshot.
pub fn newest(sale: &Snapshot) -> Newest {
    let words = words();
    let reason = |declined| match declined {
        Declined::Repeat => i18n::words().repeat.label,
        Declined::SoldOut => words.sold_out,
        Declined::Expired => words.expired,
        Declined::Closed => words.closed,
        Declined::NotOpen => life::words().not_open,
        Declined::Paused => life::words().paused,
    };
    Newest::new(sale.latest.iter().map(|claim| &claim.user), &sale.declined, Declined::Repeat, reason)
}
