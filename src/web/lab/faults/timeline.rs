//! The timelines of incidents: injection, detection and recovery.

use crate::{
    components::{Badge, Button, FormErrors, LocalTime, TimeStyle, Tone, format::tenths, use_entry},
    lab::faults::{api::EndFaultRequest, words::words},
};
use leptos::prelude::*;
use model::{
    Millis,
    lab::faults::{Incident, Phase, Step},
};

/// Shows the timelines of all incidents, newest first.
#[component]
pub fn Timelines(
    /// The incidents, as last loaded.
    incidents: RwSignal<Vec<Incident>>,
    /// Shows the error if a fault could not be ended.
    errors: FormErrors,
    /// Reloads the incidents.
    reload: Callback<()>,
) -> impl IntoView {
    let words = words();
    let end = ServerAction::<EndFaultRequest>::new();
    errors.follow(end.into());
    let ended = end.value();
    Effect::watch(move || ended.track(), move |(), _, _| reload.run(()), false);
    let latest = Memo::new(move |_| incidents.with(|all| all.first().map(state)));
    view! {
        <section class="card" aria-labelledby="timeline-title">
            <h2 id="timeline-title">{words.timeline}</h2>
            // Announced when the newest incident advances, and not for each of its lines.
            <p role="status">{move || latest.get().unwrap_or_else(|| words.no_incidents.to_owned())}</p>
            <For
                each=move || incidents.get()
                key=|incident| incident.incident.clone()
                children=move |first| {
                    let id = first.incident.clone();
                    let incident = use_entry(first, {
                        let id = id.clone();
                        move || incidents.with(|all| all.iter().find(|one| one.incident == id).cloned())
                    });
                    let on_end = move || {
                        errors.clear();
                        end.dispatch(EndFaultRequest { incident: id.clone() });
                    };
                    view! { <Timeline incident on_end /> }
                }
            />
        </section>
    }
    .into_any()
}

/// Returns the state of an incident: `Cut the wire: Healed, 0.4 s after the fault was over`
fn state(incident: &Incident) -> String {
    let words = words();
    let name = (words.fault)(incident.fault).name;
    let after = incident.ended_at.zip(incident.healed_at).map(|(ended, healed)| seconds(ended, healed));
    let after = after.map(words.healed_after).unwrap_or_default();
    (words.titled)(name, (words.phase)(incident.phase)) + &after
}

#[component]
fn Timeline(
    /// One incident, as last loaded.
    incident: Memo<Incident>,
    /// Ends its fault early.
    on_end: impl Fn() + Clone + Send + Sync + 'static,
) -> impl IntoView {
    let words = words();
    let Incident { fault, sale, injected_at, .. } = incident.get_untracked();
    let phase = Memo::new(move |_| incident.with(|incident| incident.phase));
    let steps = move || incident.with(|incident| incident.steps.iter().cloned().enumerate().collect::<Vec<_>>());
    let waits = move || (words.waits_for)(fault).filter(|_| phase.get() == Phase::Healing);
    let name = (words.fault)(fault).name;
    view! {
        <article class="incident" aria-label=name>
            <div class="bar">
                <h3>{name} {sale.map(|sale| view! { " · " <span translate="no">{sale}</span> })}</h3>
                <span>
                    {move || badge(phase.get())} " " <LocalTime at=injected_at style=TimeStyle::Clock />
                </span>
            </div>
            <ol>
                <For each=steps key=|(place, _)| *place children=move |(_, step)| line(injected_at, step) />
            </ol>
            <p class="aside">{waits}</p>
            <Show when=move || phase.get() == Phase::Active>
                <Button on_click=on_end.clone()>{words.end}</Button>
            </Show>
        </article>
    }
    .into_any()
}

fn line(injected_at: Millis, step: Step) -> impl IntoView {
    let words = words();
    let Step { at, what, figure, name } = step;
    let text = (words.step)(what, figure, name.unwrap_or_default());
    view! {
        <li>
            <span class="when">{(words.after)(seconds(injected_at, at))}</span>
            " "
            {text}
        </li>
    }
}

fn badge(phase: Phase) -> impl IntoView {
    let (tone, icon) = match phase {
        Phase::Active => (Tone::Bad, icondata_lu::LuTriangleAlert),
        Phase::Healing => (Tone::Warning, icondata_lu::LuClock),
        Phase::Healed => (Tone::Good, icondata_lu::LuCheck),
        Phase::Unwatched => (Tone::Neutral, icondata_lu::LuX),
    };
    view! { <Badge tone icon text=(words().phase)(phase) /> }
}

/// Returns the seconds between two instants: `1.2`
fn seconds(from: Millis, to: Millis) -> String {
    tenths(u64::try_from(to - from).unwrap_or(0) / 100)
}
