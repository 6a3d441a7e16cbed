//! English.

use crate::{
    components::format::count,
    crowd::words::{ConfigFigures, Marks, Pace, Presets, Runs, Words},
    i18n::FieldWords,
};
use model::crowd::{ArrivalKind, Phase};

/// `1 user`, `1,000 users`
fn users(number: u64) -> String {
    format!("{} {}", count(number), if number == 1 { "user" } else { "users" })
}

/// `1 attempt`, `1,000 attempts`
fn attempts(number: u64) -> String {
    format!("{} {}", count(number), if number == 1 { "attempt" } else { "attempts" })
}

pub static EN: Words = Words {
    title: "Crowd",
    intro: "Simulated users. Their attempts take the same path through server and scripts as yours.",

    preset: "Kind of crowd",
    presets: Presets {
        ramp: "Gentle ramp",
        ramp_hint: "Faster and faster for 15 seconds.",
        burst: "Everyone at once",
        burst_hint: "All users click at the same moment.",
        double: "Double clickers",
        double_hint: "All at once, and everyone clicks twice.",
    },

    advanced: "All settings",
    users: FieldWords { label: "Users", hint: "1 to 1,000,000", error: "Enter a whole number from 1 to 1,000,000." },
    concurrency: FieldWords {
        label: "Concurrency",
        hint: "Attempts in flight, 1 to 10,000",
        error: "Enter a whole number from 1 to 10,000.",
    },
    repeat_rate: FieldWords {
        label: "Repeat rate (%)",
        hint: "Share of users who click twice",
        error: "Enter a percentage from 0 to 100.",
    },
    arrival: "Arrival",
    arrival_name: |kind| match kind {
        ArrivalKind::Burst => "Burst",
        ArrivalKind::Ramp => "Ramp",
        ArrivalKind::Constant => "Constant",
    },
    arrival_hint: |kind| match kind {
        ArrivalKind::Burst => "All at once, limited only by concurrency.",
        ArrivalKind::Ramp => "Increasing, then steady.",
        ArrivalKind::Constant => "The same number every second.",
    },
    per_s: FieldWords {
        label: "Users per second",
        hint: "1 to 1,000,000",
        error: "Enter a whole number from 1 to 1,000,000.",
    },
    over_s: FieldWords {
        label: "Ramp duration (s)",
        hint: "1 to 3,600",
        error: "Enter a whole number from 1 to 3,600.",
    },
    in_vain: "Nothing is left now. Duplicate the sale for a fresh one.",
    let_loose: "Let a crowd loose",
    no_run: "No crowd has been here yet. Choose a preset and start one: its attempts, their latency and the verdict appear \
             here.",
    again: "Again",
    wrong_setting: "No crowd was started: a setting in the Crowd tab is not valid.",
    stop: "Stop",

    phase: |phase| match phase {
        Phase::Running => "Running",
        Phase::Verifying => "Verifying",
        Phase::Done => "Done",
        Phase::Stopped => "Stopped",
        Phase::Lost => "Interrupted: its server stopped",
    },
    no_crowd: "No crowd yet",
    progress: "Crowd progress",
    done_of: |done, all| format!("{} of {}", count(done), attempts(all)),
    done_of_about: |done, all| format!("{} of about {}", count(done), attempts(all)),
    time_taken: |time| format!("took {time}"),
    waits_for_redis: "Waiting for Redis",
    waits_for_server: "Waiting for the server",
    run_config: |ConfigFigures { users, concurrency, arrival, repeat_rate, seed }| {
        format!("{}, {concurrency} at once, {arrival}, {repeat_rate} repeat, seed {seed}", self::users(users))
    },
    unknown: "Unknown",
    unanswered: "No answer, by reason",
    now_per_s: "Current attempts/s",
    mean_per_s: "Average attempts/s",
    slowest: "Slowest",
    chart_rate: "Attempts per second",
    chart_latency: "Latency",

    oversold: "Oversold",
    doubled: "Doubled",
    lost: "Lost",
    unexpected: "Unexpected",
    audit_broken: "The run itself was clean, but the audit found a broken invariant: see the Audit tab.",
    cents_expected: "Total expected",
    cents_found: "Total found",

    marks: Marks {
        sold_out: "sold out",
        redis_down: "Redis down",
        redis_back: "Redis back",
        changed: |per_s| format!("load changed to {} a second", users(per_s)),
    },
    pace: Pace {
        per_s: FieldWords {
            label: "Users per second from now on",
            hint: "1 to 1,000,000",
            error: "Enter a whole number from 1 to 1,000,000.",
        },
        change: "Change load",
    },
    runs: Runs {
        title: "Runs",
        empty: "No runs yet. Press \"Let a crowd loose\": when it ends, its figures and its verdict are kept here.",
        none: "No crowd has run here.",
        kept: |most| format!("The newest {most} are kept."),
        started: "Started",
        crowd: "Crowd",
        users,
        throughput: "Attempts/s",
        no_verdict: "No verdict",
        older: "Older runs",
        report: "Report",
        compare: "Compare",
        chosen: "Chosen",
        choose_another: "Choose another run to compare it with.",

        comparison: "Two runs side by side",
        first: "First",
        second: "Second",
        change: "Change",
        end_comparison: "End comparison",
        not_kept: "This link names a run that is no longer kept.",

        settings: "Settings",
        figures: "Figures",
        answers: "Answers",
        ended: "Status",
        answered: "Finished",
        duration: "Duration",

        report_title: |sale| format!("Crowd run at {sale}"),
        run: "Run",
        course: "Over time",
        no_audit: "There was no audit.",
    },
};
