//! The indicator: calm while all is well, and a panel with what is known.

use crate::{
    base_path::under_base,
    components::{
        Dropdown, Icon,
        format::{NO_VALUE, count, tenths},
    },
    health::{
        watch::{Glance, HealthWatch},
        words::words,
    },
    i18n,
    ledger::words::words as ledger_words,
};
use leptos::prelude::*;
use model::{
    Verdict,
    health::{Health, RedisRoom},
};

/// Shows whether all is well; the panel says what is known of each part.
#[component]
pub fn Indicator(
    /// The health.
    health: HealthWatch,
) -> impl IntoView {
    let words = words();
    let (glance, latest) = (health.glance(), health.latest());
    let said = move || match glance.get() {
        Glance::Unknown => words.unknown.to_owned(),
        Glance::Well => words.well.to_owned(),
        Glance::Problems(problems) => (words.problems)(problems),
        Glance::NoAnswer(code) => (i18n::words().error_title)(code).to_owned(),
    };
    let label = Signal::derive(move || format!("{}: {}", words.health, said()));
    let class = move || match glance.get() {
        Glance::Unknown => "signal",
        Glance::Well => "signal good",
        Glance::Problems(_) | Glance::NoAnswer(_) => "signal bad",
    };
    // Only news replaces the icon: the first answer, that all is well, changes its colour.
    let is_bad = Memo::new(move |_| matches!(glance.get(), Glance::Problems(_) | Glance::NoAnswer(_)));
    let icon = move || {
        let icon = if is_bad.get() { icondata_lu::LuTriangleAlert } else { icondata_lu::LuActivity };
        view! { <Icon icon /> }
    };
    let face = move || view! { <span class=class>{icon}</span> };
    view! {
        <Dropdown label face>
            <h2>{words.health}</h2>
            <p>{said}</p>
            {move || latest.get().map(|health| view! { <Parts health /> })}
            <a href=under_base("/audit")>{words.to_board}</a>
        </Dropdown>
    }
}

/// Shows what is known of each part.
#[component]
fn Parts(
    /// The latest answer.
    health: Health,
) -> impl IntoView {
    let (words, ledger) = (words(), ledger_words());
    let Health { redis, cluster, writer, ledger_answers, lag_events, lag_seconds, audits, missing_sales, .. } = health;
    let part = |name: &'static str, is_well: bool, text: String| {
        view! {
            <div class:bad=!is_well>
                <dt>{name}</dt>
                <dd>{text}</dd>
            </div>
        }
    };
    let of_redis = match (cluster, redis) {
        (Some(cluster), _) => (i18n::words().partial_cluster)(cluster),
        (None, RedisRoom::Free) => words.answers.to_owned(),
        (None, RedisRoom::Full) => words.redis_full.to_owned(),
        (None, RedisRoom::DiskFull) => words.disk_full.to_owned(),
    };
    let database = if ledger_answers { words.answers } else { ledger.unreachable };
    let has_writer = writer.is_some();
    let audited = match audits.all() {
        0 => NO_VALUE.to_owned(),
        all => (ledger.hold_of)(audits.holds, all),
    };
    let broken = move || match audits.broken {
        0 => String::new(),
        broken => format!(" · {}: {}", (i18n::words().verdict)(Verdict::Broken), count(broken)),
    };
    view! {
        <dl class="health">
            {part(words.redis, cluster.is_none() && redis == RedisRoom::Free, of_redis)}
            {part(words.database, ledger_answers, database.to_owned())}
            {part(words.writer, has_writer, writer.unwrap_or_else(|| ledger.no_writer.to_owned()))}
            {part(ledger.behind.label, true, (ledger.behind_by)(lag_events, tenths((lag_seconds * 10.0) as u64)))}
            {part(words.audits, audits.broken == 0, format!("{audited}{}", broken()))}
            {(missing_sales > 0).then(|| part(words.missing, false, count(missing_sales)))}
        </dl>
    }
}
