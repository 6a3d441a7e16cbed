//! The settings of a run. Presets are links with the settings in the address, which then fill the fields.

use crate::{
    base_path::under_base,
    components::{Button, FormErrors, Icon, SubmitButton, TextField, format::in_percent},
    lab::{
        api::{StartLabRequest, StopLabRequest},
        page::{control::RunControl, query::LabQuery},
        words::{PresetWords, strategy_name, words},
    },
};
use leptos::{
    ev::{MouseEvent, SubmitEvent},
    html,
    prelude::*,
};
use model::{
    Checks,
    error::{Error, Result},
    form::FormValues,
    lab::Settings,
};

/// Returns the name of a strategy's checkbox in the form.
fn box_name(strategy: &str) -> String {
    format!("strategy-{strategy}")
}

/// Returns the request for the typed settings, all checked.
fn read(values: &FormValues, names: &[String]) -> Result<StartLabRequest> {
    let chosen: Vec<String> = names.iter().filter(|name| values.is_checked(&box_name(name))).cloned().collect();
    let mut checks = Checks::default();
    let settings = Settings {
        stock: checks.value(values.number("stock")),
        users: checks.value(values.number("users")),
        concurrency: checks.value(values.number("concurrency")),
        ramp: values.is_checked("ramp"),
        repeat_rate: checks.value(values.percent("repeat_rate")),
        delay_ms: checks.value(values.number("delay_ms")),
        seed: checks.value(values.number("seed")),
        strategies: chosen,
    };
    checks.note(settings.check());
    let Settings { stock, users, concurrency, ramp, repeat_rate, delay_ms, seed, strategies } = settings;
    if strategies.is_empty() {
        return checks.finish(Err(Error::bad("strategies", "No strategy is chosen.")));
    }
    checks.finish(Ok(StartLabRequest {
        stock: Some(stock),
        users: Some(users),
        concurrency: Some(concurrency),
        ramp: Some(ramp),
        repeat_rate: Some(repeat_rate),
        delay_ms: Some(delay_ms),
        seed: Some(seed),
        // All strategies are sent as no list, so that the address stays short.
        strategies: (strategies.len() < names.len()).then_some(strategies),
    }))
}

/// Shows the form, with the presets above it.
#[component]
pub fn RunForm(
    /// The run on the page, and the actions that start and stop one.
    control: RunControl,
    /// The ids of all strategies.
    names: Vec<String>,
) -> impl IntoView {
    let words = words();
    let errors = control.errors;
    let known = StoredValue::new(names.clone());
    let read = move |values: &FormValues| known.with_value(|known| read(values, known));
    let on_submit = move |event: SubmitEvent| {
        if let Some(request) = errors.read(&event, read) {
            control.start.dispatch(request);
        }
    };
    let stop = move || {
        if let Some(run) = control.run.with_untracked(|run| run.as_ref().map(|run| run.run.clone())) {
            errors.clear();
            control.stop.dispatch(StopLabRequest { run });
        }
    };
    let is_running = Signal::derive(move || control.is_running());
    let no_choice = errors.sentence("strategies", move || words.choose_one);
    let fields = move |_| {
        let settings = control.settings.get_untracked();
        view! { <Fields settings names=names.clone() errors /> }
    };
    view! {
        <Presets control />
        <form
            class="lab-form"
            on:submit=on_submit
            on:input=move |event| errors.recheck(&event, read)
            on:focusin=move |event| errors.recheck(&event, read)
        >
            // Rendered anew with the settings that fill the fields.
            <For each=move || [control.filled.get()] key=|filled| *filled children=fields />
            <span id="strategies-error" role="alert">
                {move || no_choice.get().map(|sentence| view! { <span class="wrong">{sentence}</span> })}
            </span>
            <div class="actions">
                <SubmitButton pending=is_running>
                    <Icon icon=icondata_lu::LuPlay />
                    {words.start}
                </SubmitButton>
                <Button on_click=stop disabled=Signal::derive(move || !is_running.get()) pending=control.stop.pending()>
                    {words.stop}
                </Button>
            </div>
        </form>
    }
    .into_any()
}

/// Shows the fields, which are uncontrolled.
#[component]
fn Fields(
    /// The initial settings.
    settings: Settings,
    /// The ids of all strategies.
    names: Vec<String>,
    /// The errors of the form.
    errors: FormErrors,
) -> impl IntoView {
    let words = words();
    // Open if the settings are neither the default nor a preset.
    let is_advanced = !presets().iter().any(|(_, preset)| *preset == settings);
    let advanced = NodeRef::<html::Details>::new();
    errors.open(advanced);
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
    let Settings { stock, users, concurrency, ramp, repeat_rate, delay_ms, seed, .. } = settings;
    view! {
        <details class="advanced" open=is_advanced node_ref=advanced>
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
            <label class="choice">
                <input type="checkbox" name="ramp" checked=ramp />
                {words.ramp}
            </label>
            <fieldset class="choices" aria-describedby="strategies-error">
                <legend>{words.chosen}</legend>
                {choices}
            </fieldset>
        </details>
    }
    .into_any()
}

fn presets() -> [(&'static PresetWords, Settings); 4] {
    let words = words();
    [
        (&words.default, Settings::default()),
        (&words.article, Settings::article()),
        (&words.slow_network, Settings::slow_network()),
        (&words.ramp_preset, Settings::ramp()),
    ]
}

#[component]
fn Presets(
    /// The run on the page; a preset with the same settings is marked.
    control: RunControl,
) -> impl IntoView {
    let preset = |(words, preset): (&'static PresetWords, Settings)| {
        let href = LabQuery { settings: preset.clone(), ..LabQuery::default() }.url();
        let of_link = preset.clone();
        let is_chosen = move || control.settings.with(|settings| *settings == of_link).then_some("true");
        // Fills the form at once, even if the address is the same and other settings were typed.
        let fill = move |event: MouseEvent| {
            if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
                control.fill(preset.clone());
            }
        };
        view! {
            <a class="preset-link" href=under_base(href) data-noscroll aria-current=is_chosen on:click=fill>
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_settings_are_checked_whatever_is_wrong_with_the_others() {
        let wrong = |form: &str| {
            let read = read(&FormValues::decode(form.as_bytes()), &["script".to_owned()]);
            let errors = read.err().into_iter().flat_map(Error::each);
            errors.filter_map(|error| error.field).collect::<Vec<_>>()
        };
        let right = "stock=1&users=1&concurrency=1&repeat_rate=0&delay_ms=0&seed=1&strategy-script=on";
        assert!(wrong(right).is_empty());
        let all = "stock=few&users=0&concurrency=1&repeat_rate=0&delay_ms=51&seed=1";
        assert_eq!(wrong(all), ["stock", "users", "delay_ms", "strategies"]);
        assert_eq!(wrong(&format!("{right}&ramp=on")), ["users"], "the last stop takes more");
    }
}
