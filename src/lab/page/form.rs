//! The settings of a run. Presets are links, so the settings stand in the address, and fields begin with them.

use super::{RunControl, query::LabQuery};
use crate::{
    components::{Button, FormValues, Icon, SubmitButton, TextField, format::in_percent},
    error::{Error, Result},
    lab::{
        Settings,
        api::{StartLabRequest, StopLabRequest},
        words::{PresetWords, strategy_name, words},
    },
};
use leptos::{ev::SubmitEvent, prelude::*};

/// The settings that a request asks for.
pub fn settings_of(request: &StartLabRequest) -> Settings {
    let defaults = Settings::default();
    Settings {
        stock: request.stock.unwrap_or(defaults.stock),
        users: request.users.unwrap_or(defaults.users),
        concurrency: request.concurrency.unwrap_or(defaults.concurrency),
        repeat_rate: request.repeat_rate.unwrap_or(defaults.repeat_rate),
        delay_ms: request.delay_ms.unwrap_or(defaults.delay_ms),
        seed: request.seed.unwrap_or(defaults.seed),
        strategies: request.strategies.clone().unwrap_or_default(),
    }
}

/// What the box of a strategy is called in the form.
fn box_name(strategy: &str) -> String {
    format!("strategy-{strategy}")
}

/// What was typed, as far as it is numbers; the server knows the limits.
fn read(values: &FormValues, names: &[String]) -> Result<StartLabRequest> {
    let chosen: Vec<String> = names.iter().filter(|name| values.is_checked(&box_name(name))).cloned().collect();
    if chosen.is_empty() {
        return Err(Error::bad("strategies", "No strategy is chosen."));
    }
    Ok(StartLabRequest {
        stock: Some(values.number("stock")?),
        users: Some(values.number("users")?),
        concurrency: Some(values.number("concurrency")?),
        repeat_rate: Some(values.percent("repeat_rate")?),
        delay_ms: Some(values.number("delay_ms")?),
        seed: Some(values.number("seed")?),
        // All of them make no list, so that the address stays short.
        strategies: (chosen.len() < names.len()).then_some(chosen),
    })
}

/// The form, with the presets above it.
#[component]
pub fn RunForm(
    control: RunControl,
    /// What the fields hold at first.
    settings: Settings,
    /// The strategies that there are.
    names: Vec<String>,
) -> impl IntoView {
    let words = words();
    let errors = control.errors;
    let known = names.clone();
    let on_submit = move |event: SubmitEvent| {
        if untrack(|| control.is_running()) {
            event.prevent_default();
            return;
        }
        errors.clear();
        match read(&FormValues::read(&event), &known) {
            Ok(request) => _ = control.start.dispatch(request),
            Err(error) => errors.set(Some(error)),
        }
    };
    let stop = move || {
        if let Some(run) = control.run.with_untracked(|run| run.as_ref().map(|run| run.run.clone())) {
            errors.clear();
            control.stop.dispatch(StopLabRequest { run });
        }
    };
    let is_running = Signal::derive(move || control.is_running());
    let no_choice = errors.sentence("strategies", words.choose_one);
    // What differs from what is usual stands open.
    let is_advanced = LabQuery { settings: settings.clone(), run: None, compared: None }.url() != "/lab"
        && !presets().iter().any(|(_, preset)| *preset == settings);
    let choice = |name: &String| {
        let (id, is_chosen) = (box_name(name), settings.strategies.is_empty() || settings.strategies.contains(name));
        view! {
            <label class="choice">
                <input type="checkbox" name=id checked=is_chosen />
                {strategy_name(name)}
            </label>
        }
    };
    let choices = names.iter().map(choice).collect_view();
    let Settings { stock, users, concurrency, repeat_rate, delay_ms, seed, .. } = settings.clone();
    view! {
        <Presets settings=settings />
        <form class="lab-form" on:submit=on_submit>
            <details class="advanced" open=is_advanced>
                <summary>{words.advanced}</summary>
                <div class="form-grid">
                    <TextField name="stock" words=words.stock value=stock.to_string() numeric=true errors />
                    <TextField name="users" words=words.users value=users.to_string() numeric=true errors />
                    <TextField
                        name="concurrency"
                        words=words.concurrency
                        value=concurrency.to_string()
                        numeric=true
                        errors
                    />
                    <TextField
                        name="repeat_rate"
                        words=words.repeat_rate
                        value=in_percent(repeat_rate)
                        numeric=true
                        errors
                    />
                    <TextField name="delay_ms" words=words.delay_ms value=delay_ms.to_string() numeric=true errors />
                    <TextField name="seed" words=words.seed value=seed.to_string() numeric=true errors />
                </div>
                <fieldset class="choices" aria-describedby="strategies-error">
                    <legend>{words.chosen}</legend>
                    {choices}
                </fieldset>
            </details>
            <span id="strategies-error" role="alert">
                {move || no_choice.get().map(|sentence| view! { <span class="wrong">{sentence}</span> })}
            </span>
            <div class="actions">
                <SubmitButton disabled=is_running>
                    <Icon icon=icondata_lu::LuPlay />
                    {words.start}
                </SubmitButton>
                <Button on_click=stop disabled=Signal::derive(move || !is_running.get() || control.stop.pending().get())>
                    {words.stop}
                </Button>
            </div>
        </form>
    }
    .into_any()
}

fn presets() -> [(&'static PresetWords, Settings); 3] {
    let words = words();
    let slow_network = Settings { users: 200, stock: 20, concurrency: 16, delay_ms: 5, ..Settings::default() };
    [(&words.default, Settings::default()), (&words.article, Settings::article()), (&words.slow_network, slow_network)]
}

#[component]
fn Presets(settings: Settings) -> impl IntoView {
    let preset = |(words, preset): (&'static PresetWords, Settings)| {
        let is_chosen = preset == settings;
        let href = LabQuery { settings: preset, run: None, compared: None }.url();
        view! {
            // Another page, whose fields begin with other settings.
            <a class="preset-link" href=href rel="external" aria-current=is_chosen.then_some("true")>
                <b>{words.name}</b>
                <span class="aside">{words.hint}</span>
            </a>
        }
    };
    view! {
        <nav class="preset-links" aria-label=words().presets>
            {presets().map(preset).collect_view()}
        </nav>
    }
    .into_any()
}
