//! English.

use crate::{
    components::format::count,
    i18n::FieldWords,
    lab::words::{GalleryWords, PresetWords, SettingFigures, Words},
};
use model::lab::{Anomaly, Told, run::Phase, trace::Form};

pub static EN: Words = Words {
    title: "Lab",
    intro: "Ways to serialize attempts, side by side: the same seeded crowd, the same stock, each strategy on the same \
            real Redis and database.",
    strategies: &[
        ("read-check-write", "Read, check, write"),
        ("pipeline", "Pipeline"),
        ("lock-in-process", "Lock in the process, one server"),
        ("lock-in-process-two-servers", "Lock in the process, two servers"),
        ("decr-incr", "DECR first, INCR back"),
        ("watch-multi-exec", "WATCH, MULTI, EXEC"),
        ("setnx-lock", "SETNX lock"),
        ("setnx-lock-no-owner-check", "SETNX lock, no owner check"),
        ("setnx-lock-short-lifetime", "SETNX lock, lifetime too short"),
        ("user-lock", "Lock per user, double check"),
        ("user-lock-guard-unread", "Lock per user, −2 guard ignored"),
        ("user-lock-guard", "Lock per user, −2 guard checked"),
        ("select-for-update", "SELECT … FOR UPDATE"),
        ("conditional-update", "UPDATE … WHERE remaining > 0"),
        ("queue", "Queue with one worker"),
        ("script", "One script per attempt"),
        ("batched-script", "Batched script (Stampede)"),
    ],
    mistakes: &[
        ("cancel-replayed", "Cancellation replayed"),
        ("pay-against-expire", "Payment against expiry"),
        ("rebuild-against-deduction", "Cache rebuilt during a deduction"),
        ("deduct-before-dedupe", "Deduction before the duplicate check"),
    ],
    sources: &[],
    notes: &[
        ("setnx-lock", "as long as no holder stalls longer than its lifetime"),
        ("user-lock", "✓ as long as nobody stalls longer than a lock lasts"),
        ("user-lock-guard-unread", "✓ as long as nobody stalls longer than a lock lasts"),
    ],
    articles: "Five Chinese articles on selling with Redis and Lua: 0 tickets in one script, 1 red packets with a lock for \
               each user, 2 coupons with limits, 3 red packets in queues, 4 coupons with cached stock.",
    strategy: "Strategy",
    anomaly: |anomaly| match anomaly {
        Anomaly::Oversold => "Oversold",
        Anomaly::Doubled => "Doubled",
        Anomaly::Lost => "Lost",
        Anomaly::Drained => "Drained",
    },
    anomaly_is: |anomaly| match anomaly {
        Anomaly::Oversold => "More was given out than there was.",
        Anomaly::Doubled => "A user got more than one.",
        Anomaly::Lost => "A user was told they won, but no record has it.",
        Anomaly::Drained => "An item is gone, but nobody got it.",
    },

    matrix: "What can go wrong",
    matrix_intro: "Established by playing every interleaving of two or three attempts on a real Redis; where all three \
                   anomalies happen, until each is found. SQL is played on SQLite. Each ✗ leads to a play that shows it, \
                   each ✓ to one in which it could happen and does not.",
    comes_from: "Source",
    established_by: "Established by",
    bound: |scenes, attempts| {
        let scenes = counted(scenes as u64, "scene", "scenes");
        format!("{scenes} of up to {}", counted(attempts as u64, "attempt", "attempts"))
    },
    never: "never, in any order: see one",
    happens: "happens: step through it",
    step_through: "Step through",

    run_title: "Run the strategies",
    run_intro: "They are run in turn with the same crowd. The default takes less than a minute on two cores.",
    presets: "Kind of run",
    default: PresetWords { name: "Default", hint: "2,000 users, 100 items" },
    article: PresetWords { name: "The article's table", hint: "10,000 users, 100 packets" },
    slow_network: PresetWords { name: "Slow network", hint: "200 users, 5 ms more per round trip" },
    advanced: "Advanced settings",
    stock: FieldWords { label: "Stock", hint: "1 to 10,000", error: "Enter a whole number from 1 to 10,000." },
    users: FieldWords { label: "Users", hint: "1 to 100,000", error: "Enter a whole number from 1 to 100,000." },
    concurrency: FieldWords {
        label: "Concurrency",
        hint: "Attempts in flight, 1 to 80",
        error: "Enter a whole number from 1 to 80.",
    },
    repeat_rate: FieldWords {
        label: "Repeat rate (%)",
        hint: "Share of users who try twice",
        error: "Enter a percentage from 0 to 100.",
    },
    delay_ms: FieldWords {
        label: "Network delay (ms)",
        hint: "Added to each round trip, 0 to 50",
        error: "Enter a whole number from 0 to 50.",
    },
    seed: FieldWords {
        label: "Seed",
        hint: "The same seed repeats the crowd",
        error: "Enter a whole number from 0 to 18,446,744,073,709,551,615.",
    },
    chosen: "Strategies to run",
    choose_one: "Choose at least one strategy.",
    start: "Run",
    stop: "Stop",

    phase: |phase| match phase {
        Phase::Running => "Running",
        Phase::Done => "Done",
        Phase::Stopped => "Stopped",
        Phase::Failed => "Failed",
        Phase::Lost => "Interrupted",
    },
    settings: |SettingFigures { users, stock, concurrency, repeat_rate, delay_ms, seed }| {
        format!(
            "{} for {}, {concurrency} at a time, {repeat_rate} try twice, {delay_ms} ms delay, seed {seed}",
            counted(users, "user", "users"),
            counted(stock, "item", "items")
        )
    },
    progress: "Progress of the strategy",
    at_strategy: |nth, of, name| format!("{nth} of {of}: {name}"),
    answered: |answered, of| format!("{} of {}", count(answered), counted(of, "attempt", "attempts")),
    results: "Results",
    results_intro: "Choose a column to sort by it.",
    how_measured: "Latency is measured from when a worker takes the attempt: the next one comes when the last is answered. A \
                   script counts as one command.",
    per_s: "Attempts/s",
    p50_ms: "p50 (ms)",
    p99_ms: "p99 (ms)",
    round_trips: "Round trips per attempt",
    commands: "Commands per attempt",
    given: "Given out",
    unsold: |unsold| format!("{unsold} unsold"),
    retries: |retries| counted(retries, "retry", "retries"),
    lowest_stock: |lowest| format!("stock seen at {lowest}"),
    cut_short: "cut short after 20 s",
    holds_so_far: "Holds so far",
    unexpected: "not as expected",
    batches_wait: "The batched script is slower here than one script per attempt because at most two of its batches are in \
                   flight at a time: an attempt waits until one is back before it makes a round trip itself. \
                   Batching saves calls, not waiting time.",
    chart_per_s: "Attempts/s",
    chart_p99: "99th percentile latency",
    export: "Export",
    not_found: "There is no such run, or it is no longer kept. The form shows the settings from its link.",
    not_understood: |what| format!("Ignored because it is not valid: {what}"),

    history: "Earlier runs",
    no_history: "No runs are kept yet.",
    history_away: "The ledger cannot be reached, so earlier runs cannot be shown. Runs go on without it.",
    started: "Started",
    settings_title: "Settings",
    held: "Held",
    held_of: |held, of| format!("{held} of {of}"),
    show: "Show",
    show_all: "Show all",
    compare: "Compare",
    compare_hint: "Choose two runs to compare them.",
    compared: "Two runs side by side",
    first: "First: ",
    second: "Second: ",
    change: "Change in attempts/s",
    not_compared: "One of these runs does not exist, or is no longer kept.",
    end_comparison: "End comparison",

    step_title: "Step through",
    step_intro: "Attempts stop before every call. You decide who goes next, and see what each of them reads and writes. It \
                 runs on a real Redis, under keys of its own.",
    who: "Attempts",
    scene: |users| {
        let attempts = users.chars().count();
        let first = users.chars().next();
        if users.chars().all(|user| Some(user) == first) {
            return format!("{attempts} attempts of one user");
        }
        let is_different = users.chars().enumerate().all(|(at, user)| !users.chars().take(at).any(|one| one == user));
        if is_different {
            format!("{attempts} attempts of {attempts} users")
        } else {
            format!("{attempts} attempts of users {}", listed(users))
        }
    },
    choose: "Show",
    gallery: "Typical interleavings",
    oversell: GalleryWords { name: "Oversell", hint: "Both read the last item before either writes." },
    double_claim: GalleryWords { name: "Double claim from two tabs", hint: "One user, two attempts, two items." },
    two_servers: GalleryWords {
        name: "Two servers, two locks",
        hint: "A lock in memory knows nothing of another server's.",
    },
    not_the_owner: GalleryWords {
        name: "A lock released by somebody else",
        hint: "A late release deletes the next holder's lock.",
    },
    outlived: GalleryWords { name: "Work that outlives its lock", hint: "The lock expires, and two are inside." },
    cancel_replayed: GalleryWords {
        name: "Cancellation replayed",
        hint: "It is sent again, and two items go back for one.",
    },
    pay_against_expire: GalleryWords {
        name: "Payment against expiry",
        hint: "The order is paid, and sold to somebody else.",
    },
    rebuild_against_deduction: GalleryWords {
        name: "Cache rebuilt during a deduction",
        hint: "An old quantity overwrites what was deducted.",
    },
    deduct_before_dedupe: GalleryWords {
        name: "Deduction before the duplicate check",
        hint: "A double click takes an item that nobody gets.",
    },
    unread: GalleryWords {
        name: "A reply that nobody reads",
        hint: "The script refuses, and the user is told to have won.",
    },
    one_step: GalleryWords {
        name: "One script, one step",
        hint: "Nothing can run in between, so nothing can go wrong.",
    },
    next: "Who goes next?",
    goes_next: |letter| match letter {
        'w' => "The worker goes next".to_owned(),
        't' => "Time passes: locks of those at work expire".to_owned(),
        number => format!("Attempt {number} goes next"),
    },
    participant: |letter| match letter {
        'w' => "Worker".to_owned(),
        't' => "Time".to_owned(),
        number => format!("Attempt {number}"),
    },
    user: |user| format!("user-{user}"),
    waits: "waits",
    undo: "Undo",
    start_over: "Start over",
    source: "Source",
    about_to: |letter| format!("next: {letter}"),
    just_did: |letter| format!("done: {letter}"),
    steps: "Steps",
    step: "Step",
    keys: "Keys afterwards",
    before: "Before",
    no_steps: "Nobody has taken a step yet.",
    reply: "Reply",
    form: |form| match form {
        Form::Command => "command",
        Form::Pipeline => "pipeline",
        Form::Transaction => "transaction",
        Form::Script => "script",
        Form::Sql => "SQL",
        Form::Lock => "lock in memory",
        Form::Work => "work",
        Form::Time => "time",
    },
    told: |told| match told {
        Told::Won => "told: won",
        Told::Already => "told: has one already",
        Told::SoldOut => "told: sold out",
        Told::Busy => "told: busy",
        Told::Cancelled => "told: cancelled",
        Told::Expired => "told: expired",
    },
    verdict_holds: "Nothing went wrong in this order.",
    no_verdict: "The verdict is shown once every attempt has its answer.",
    worked: "done",
    locked: "locked",
    titled: |what, text| format!("{what}: {text}"),
    bad_play: "This play cannot be shown.",
    back_to_lab: "Back to the lab",
};

/// `1 retry`, `1,000 retries`
fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { several })
}

/// `1, 2, 2`
fn listed(users: &str) -> String {
    users.chars().map(String::from).collect::<Vec<_>>().join(", ")
}
