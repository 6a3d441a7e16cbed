//! The result of a run's verification.

use crate::{
    base_path::under_base,
    components::{
        Definition, ParameterLink, Tone, VerdictBadge,
        format::{count, micros, money},
    },
    crowd::{panel::CrowdControl, words::words},
    i18n::{self, FigureWords},
};
use leptos::prelude::*;
use model::{
    Verdict,
    crowd::{self, Status, replay::url},
};

/// Shows the verdict of the run, once it is over.
#[component]
pub fn Verification(
    /// The crowd of the sale on the page.
    crowd: CrowdControl,
) -> impl IntoView {
    let found = Memo::new(move |_| crowd.status.with(|status| status.as_ref().and_then(VerifiedRun::of)));
    // The banner and the strip announce it.
    move || found.get().map(|found| view! { <Findings found /> })
}

/// The result of a run's verification, with the speed of the run.
#[derive(Clone, PartialEq)]
pub struct VerifiedRun {
    run: String,
    verification: crowd::Verification,
    attempts: u64,
    unknown: u64,
    not_tried: u64,
    unrecorded: u64,
    mean_per_s: u64,
    p99_us: u64,
}

impl VerifiedRun {
    /// Returns the result, if the run is over and verified.
    pub fn of(status: &Status) -> Option<Self> {
        let verification = status.verification.clone()?;
        Some(Self {
            run: status.run.clone(),
            verification,
            attempts: status.attempts,
            unknown: status.unknown,
            not_tried: status.not_tried(),
            unrecorded: status.unrecorded(),
            mean_per_s: status.mean_per_s,
            p99_us: status.p99_us,
        })
    }

    /// Returns the tone of the verdict: a warning if some attempts went unanswered, even if everything holds.
    pub fn tone(&self) -> Tone {
        run_tone(self.verification.verdict, self.unanswered() + self.unrecorded)
    }

    fn unanswered(&self) -> u64 {
        self.unknown + self.not_tried
    }
}

/// Returns the tone of a run's verdict: a warning if it holds but some attempts went unanswered.
pub fn run_tone(verdict: Verdict, unanswered: u64) -> Tone {
    match Tone::of(verdict) {
        Tone::Good if unanswered > 0 => Tone::Warning,
        tone => tone,
    }
}

/// Shows the verdict and its figures.
#[component]
pub fn Findings(
    /// The result of a finished run.
    found: VerifiedRun,
) -> impl IntoView {
    let (tone, unanswered) = (found.tone(), found.unanswered());
    let VerifiedRun { run, verification, attempts, unknown, unrecorded, mean_per_s, p99_us, .. } = found;
    let (words, shared) = (words(), i18n::words());
    let crowd::Verification { oversold, doubled, lost, unexpected, before_start, .. } = verification;
    let sum = oversold + doubled + lost + unexpected + before_start.unwrap_or_default();
    let is_by_audit = verification.verdict == Verdict::Broken && sum == 0;
    let none = |term: FigureWords, value: u64| {
        view! {
            <Definition term class=if value == 0 { "chief" } else { "chief broken" }>
                {count(value)}
            </Definition>
        }
    };
    // Of an interrupted run, nobody knows what all of its users were told.
    let is_known_to_hold = verification.verdict == Verdict::Holds && unrecorded == 0;
    let (has_money, currency) = (verification.has_money(), verification.currency);
    let class = if verification.expected_cents == verification.found_cents { "" } else { "broken" };
    view! {
        <div class="verdict" role="group" aria-label=shared.verdict_title>
            <h3>{shared.verdict_title} <VerdictBadge verdict=verification.verdict tone /></h3>
            {(unanswered > 0).then(|| view! { <p>{(words.without_answer)(unanswered, attempts, unknown)}</p> })}
            {(unrecorded > 0).then(|| view! { <p>{(words.interrupted)(unrecorded, attempts)}</p> })}
            {is_known_to_hold
                .then(|| {
                    view! {
                        <p>
                            {words.holds} " "
                            <ParameterLink name="tab" value=Some("audit".to_owned())>
                                {words.how_known}
                            </ParameterLink>
                        </p>
                    }
                })}
            {is_by_audit.then(|| view! { <p>{words.audit_broken}</p> })}
            {verification.reason.is_some().then(|| view! { <p>{shared.verdict_unknown}</p> })}
            <p>
                <a href=under_base(url(&run))>{words.runs.replay}</a>
            </p>
            <dl class="tiles">
                {none(words.oversold, verification.oversold)}
                {none(words.doubled, verification.doubled)}
                {none(words.lost, verification.lost)}
                {none(words.unexpected, verification.unexpected)}
                {before_start.map(|value| none(words.before_start, value))}
                {has_money
                    .then(|| {
                        view! {
                            <Definition term=words.cents_expected class>
                                {money(verification.expected_cents, currency)}
                            </Definition>
                            <Definition term=words.cents_found class>
                                {money(verification.found_cents, currency)}
                            </Definition>
                        }
                    })} <Definition term=words.mean_per_s>{count(mean_per_s)}</Definition>
                <Definition term=shared.p99>{micros(p99_us)}</Definition>
            </dl>
        </div>
    }
}
