//! An operator's actions on the life of a sale, in the menu of its page: each with its form or its question.

use crate::{
    components::{
        Alert, Button, ConfirmButton, ConfirmWords, FormErrors, Icon, Notice, SubmitButton, TextField,
        time_field::TimeField, use_request_ids,
    },
    i18n::{FieldWords, reopens},
    life::{
        api,
        plan_section::{TextsFields, read_texts},
        status::PageLife,
        when_field::{ENDS, OPENS, of_form, split, when},
        words::words,
    },
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use model::{
    Answer, Checks, Millis, SaleState,
    error::{Error, Result},
    form::FormValues,
    life::{
        Described, HoldClock, Life, Paused, Reopened, Resumed, Scheduled, Texts, When, check_description, check_reason,
        check_title,
    },
};

/// A change of the sale.
#[derive(Clone, Debug, PartialEq)]
enum Change {
    Pause { reason: String, hold_clock: HoldClock },
    Resume,
    Schedule { opens: Option<When>, ends: Option<When> },
    Reopen,
    Describe { title: Texts, description: Texts },
}

impl Change {
    /// Makes the change. Returns why nothing was changed, if that is not what was asked for.
    async fn send(self, kind: String, sale: String, request_id: String) -> Result<Option<&'static str>> {
        let words = &words().actions;
        let id = Some(request_id);
        Ok(match self {
            Self::Pause { reason, hold_clock } => {
                match outcome(api::pause(kind, sale, Some(reason), Some(hold_clock), id).await)? {
                    Paused::Paused { .. } | Paused::Repeat => None,
                    Paused::Ended { .. } => Some(words.ended),
                    Paused::Closed { .. } => Some(words.closed),
                }
            }
            Self::Resume => match outcome(api::resume(kind, sale, id).await)? {
                Resumed::Resumed | Resumed::Repeat => None,
                Resumed::Closed { .. } => Some(words.closed),
            },
            Self::Schedule { opens, ends } => {
                let ((opens_at, opens_in_s), (ends_at, ends_in_s)) = (split(opens), split(ends));
                match outcome(api::schedule(kind, sale, opens_at, opens_in_s, ends_at, ends_in_s, id).await)? {
                    Scheduled::Scheduled { .. } | Scheduled::Repeat { .. } => None,
                    Scheduled::TooLate { .. } => Some(words.too_late),
                    Scheduled::Closed { .. } => Some(words.closed),
                }
            }
            Self::Reopen => match outcome(api::reopen(kind, sale, None, None, id).await)? {
                Reopened::Reopened { .. } | Reopened::Repeat => None,
                Reopened::Ended { .. } => Some(words.ended),
                Reopened::Refunded => Some(words.refunded),
            },
            Self::Describe { title, description } => {
                match outcome(api::describe(kind, sale, Some(title), Some(description), id).await)? {
                    Described::Described | Described::Repeat => None,
                }
            }
        })
    }
}

fn outcome<O>(answer: Result<Answer<O>>) -> Result<O> {
    answer.map(|answer| answer.outcome)
}

/// Which of the actions a sale in this state has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Offered {
    pause: bool,
    resume: bool,
    start: bool,
    end: bool,
    reopen: bool,
    describe: bool,
}

impl Offered {
    /// A sale whose end came in a pause is over, but its pause may still keep what is held from expiring.
    fn of(state: SaleState, has_pause: bool) -> Self {
        let is_on = matches!(state, SaleState::Scheduled | SaleState::Open | SaleState::SoldOut | SaleState::Paused);
        Self {
            pause: is_on && state != SaleState::Paused,
            resume: state == SaleState::Paused || state == SaleState::Expired && has_pause,
            start: state == SaleState::Scheduled,
            end: is_on,
            reopen: state == SaleState::Closed,
            describe: !matches!(state, SaleState::Opening | SaleState::Suspended | SaleState::Archived),
        }
    }
}

/// The changes of the sale on the page, one at a time.
#[derive(Clone, Copy)]
struct Changes {
    life: PageLife,
    errors: FormErrors,
    pending: Memo<bool>,
    change: Callback<Change>,
    /// The number of changes that were made.
    done: RwSignal<u32>,
}

/// Shows the actions on the life of a sale.
#[component]
pub fn LifeActions(
    /// The kind, as in keys.
    kind: &'static str,
    /// The id of the sale.
    sale: String,
    /// The state of the sale: it decides which actions there are.
    state: Signal<SaleState>,
    /// The life of the sale.
    life: PageLife,
    /// The number of items that users hold: their time can be stopped by a pause.
    held: Signal<u64>,
    /// Runs when a change was made: the menu has done its work.
    on_done: Callback<()>,
) -> impl IntoView {
    let words = &words().actions;
    let errors = FormErrors::default();
    let request_ids = use_request_ids::<Change>();
    let action = Action::new(move |(change, request_id): &(Change, String)| {
        let sent = change.clone().send(kind.to_owned(), sale.clone(), request_id.clone());
        async move { sent.await.map_err(of_fields) }
    });
    errors.follow(action);
    let (done, answer) = (RwSignal::new(0), action.value());
    Effect::new(move || {
        answer.with(|answer| {
            let Some(answer) = answer else { return };
            request_ids.settle(answer);
            if matches!(answer, Ok(None)) {
                done.update(|done| *done += 1);
                on_done.run(());
            }
        });
    });
    let change = Callback::new(move |change: Change| {
        errors.clear();
        let id = request_ids.id(change.clone());
        action.dispatch((change, id));
    });
    let changes = Changes { life, errors, pending: action.pending(), change, done };
    let can_reopen = reopens(kind);
    let offered = Memo::new(move |_| Offered::of(state.get(), life.life.with(|life| life.pause.is_some())));
    let refused =
        move || answer.with(|answer| answer.as_ref().and_then(|answer| answer.as_ref().ok().copied().flatten()));
    let reopen = ConfirmWords { label: words.reopen, yes: words.reopen_yes, no: words.keep };
    view! {
        <Show when=move || offered.get().pause>
            <PauseForm changes held />
        </Show>
        <Show when=move || offered.get().resume>
            <Button pending=changes.pending on_click=move || change.run(Change::Resume)>
                <Icon icon=icondata_lu::LuPlay />
                {words.resume}
            </Button>
        </Show>
        <Show when=move || offered.get().end>
            <ScheduleForm changes has_start=Signal::derive(move || offered.get().start) />
        </Show>
        <Show when=move || offered.get().reopen && can_reopen>
            <ConfirmButton
                words=reopen
                question=words.reopen_question.to_owned()
                pending=changes.pending
                on_confirm=move || change.run(Change::Reopen)
            />
        </Show>
        <Show when=move || offered.get().describe>
            <DescribeForm changes />
        </Show>
        <div class="notices" role="alert">
            {move || refused().map(|why| view! { <Notice>{why}</Notice> })}
        </div>
        <Alert errors />
    }
}

/// Returns an error of the server with the fields as the forms have them.
fn of_fields(error: Error) -> Error {
    let mut checks = Checks::default();
    error.clone().each().for_each(|error| _ = checks.note::<()>(Err(of_form(error))));
    checks.finish(Ok(())).err().unwrap_or(error)
}

/// Shows a form that is folded until it is needed, and again once its change is made.
#[component]
fn ActionForm(
    /// The name of the action.
    label: &'static str,
    /// The text of the button that carries it out.
    yes: &'static str,
    /// The icon.
    icon: icondata_core::Icon,
    /// The changes of the sale.
    changes: Changes,
    /// Reads the change from the form; `None` if there is none.
    read: fn(&FormValues, &Life) -> Result<Option<Change>>,
    /// The fields, rendered when the form is opened.
    children: ChildrenFn,
) -> impl IntoView {
    let Changes { life, errors, pending, change, done } = changes;
    let (form, is_open) = (NodeRef::<html::Details>::new(), RwSignal::new(false));
    Effect::watch(
        move || done.get(),
        move |_, _, _| {
            if let Some(form) = form.get_untracked() {
                form.set_open(false);
            }
        },
        false,
    );
    let on_toggle = move |_| {
        errors.clear();
        is_open.set(form.get_untracked().is_some_and(|form| form.open()));
    };
    let on_submit = move |event: SubmitEvent| {
        let read = |values: &FormValues| life.life.with_untracked(|life| read(values, life));
        match errors.read(&event, read) {
            Some(Some(wanted)) if !pending.get_untracked() => change.run(wanted),
            // Nothing is to be changed.
            Some(None) => done.update(|done| *done += 1),
            _ => {}
        }
    };
    let children = StoredValue::new(children);
    view! {
        <details class="action-form" node_ref=form on:toggle=on_toggle>
            <summary class="button">
                <Icon icon />
                {label}
            </summary>
            <Show when=move || is_open.get()>
                <form class="form-grid" aria-label=label on:submit=on_submit>
                    {children.with_value(|children| children())}
                    <div class="actions">
                        <SubmitButton pending>{yes}</SubmitButton>
                    </div>
                </form>
            </Show>
        </details>
    }
}

/// Shows the form that pauses the sale.
#[component]
fn PauseForm(
    /// The changes of the sale.
    changes: Changes,
    /// The number of items that users hold.
    held: Signal<u64>,
) -> impl IntoView {
    let words = &words().actions;
    let errors = changes.errors;
    let has_holds = Memo::new(move |_| held.get() > 0);
    let fields = move || {
        view! {
            <p class="wide">{words.pause_hint}</p>
            <TextField name=REASON words=words.reason errors />
            <label class="check wide" hidden=move || !has_holds.get()>
                <input type="checkbox" name=STOPS />
                <span>{words.stop_holds}</span>
            </label>
        }
    };
    let read = |values: &FormValues, _: &Life| {
        let reason = values.text(REASON).trim().to_owned();
        check_reason(&reason)?;
        let hold_clock = if values.is_checked(STOPS) { HoldClock::Stops } else { HoldClock::Runs };
        Ok(Some(Change::Pause { reason, hold_clock }))
    };
    view! {
        <ActionForm label=words.pause yes=words.pause_yes icon=icondata_lu::LuPause changes read>
            {fields()}
        </ActionForm>
    }
}

/// The fields of a pause.
const REASON: &str = "reason";
const STOPS: &str = "hold_clock";

/// Shows the form that changes the start and the end.
#[component]
fn ScheduleForm(
    /// The changes of the sale.
    changes: Changes,
    /// The start can be changed, too: it has not passed.
    has_start: Signal<bool>,
) -> impl IntoView {
    let words = words();
    let errors = changes.errors;
    let fields = move || {
        let (opens_at, ends_at) = changes.life.life.with_untracked(|life| (life.opens_at, life.ends_at));
        let in_menu = |field: FieldWords| FieldWords { hint: words.actions.time_hint, ..field };
        view! {
            {has_start
                .get_untracked()
                .then(|| view! { <TimeField name=OPENS words=in_menu(words.opens) value=opens_at errors /> })}
            <TimeField name=ENDS words=in_menu(words.ends) value=ends_at errors />
        }
    };
    let read = |values: &FormValues, life: &Life| {
        let mut checks = Checks::default();
        let opens = checks.value(changed(values, OPENS, life.opens_at));
        let ends = checks.value(changed(values, ENDS, life.ends_at));
        let is_any = opens.is_some() || ends.is_some();
        checks.finish(Ok(is_any.then_some(Change::Schedule { opens, ends })))
    };
    view! {
        <ActionForm
            label=words.actions.schedule
            yes=words.actions.schedule_yes
            icon=icondata_lu::LuCalendarClock
            changes
            read
        >
            {fields()}
        </ActionForm>
    }
}

/// Returns the time in a field, if it is another one than before.
fn changed(values: &FormValues, field: &str, before: Option<Millis>) -> Result<Option<When>> {
    // A field shows whole seconds.
    let shown = before.map(|at| at / 1_000 * 1_000);
    let typed = when(values, field, before)?;
    Ok(typed.filter(|typed| *typed != When::At(before.unwrap_or_default()) && Some(*typed) != shown.map(When::At)))
}

/// Shows the form that changes the texts.
#[component]
fn DescribeForm(
    /// The changes of the sale.
    changes: Changes,
) -> impl IntoView {
    let words = &words().actions;
    let errors = changes.errors;
    let fields = move || {
        let (title, description) =
            changes.life.life.with_untracked(|life| (life.title.clone(), life.description.clone()));
        view! { <TextsFields title description errors /> }
    };
    let read = |values: &FormValues, life: &Life| {
        let (title, description) = read_texts(values);
        let mut checks = Checks::default();
        checks.note(check_title(&title));
        let checked = check_description(&description);
        let is_same =
            title.clone().without_empty() == life.title && description.clone().without_empty() == life.description;
        checks.finish(checked.map(|()| (!is_same).then_some(Change::Describe { title, description })))
    };
    view! {
        <ActionForm
            label=words.describe
            yes=words.describe_yes
            icon=icondata_lu::LuPencil
            changes
            read
        >
            {fields()}
        </ActionForm>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sale_can_be_paused_while_it_may_give_something() {
        use SaleState::{Archived, Closed, Expired, Open, Paused, Refunded, Scheduled, SoldOut, Suspended};
        for state in [Scheduled, Open, SoldOut] {
            let offered = Offered::of(state, false);
            assert!(offered.pause && offered.end && !offered.resume && !offered.reopen, "{state:?}");
            assert_eq!(offered.start, state == Scheduled, "{state:?}");
        }
        assert!(Offered::of(Paused, false).resume && !Offered::of(Paused, false).pause);
        assert!(Offered::of(Closed, false).reopen);
        assert!(Offered::of(Expired, true).resume && !Offered::of(Expired, false).resume);
        for state in [Expired, Refunded] {
            assert_eq!(Offered::of(state, false), Offered { describe: true, ..Offered::default() }, "{state:?}");
        }
        for state in [Suspended, Archived] {
            assert_eq!(Offered::of(state, false), Offered::default(), "{state:?}");
        }
    }

    #[test]
    fn a_time_that_stands_as_it_was_is_no_change() {
        let values = |text: &str| FormValues::decode(format!("ends_at={text}").as_bytes());
        assert_eq!(changed(&values("2026-11-28T09:00:00Z"), ENDS, Some(1_795_856_400_500)), Ok(None));
        assert_eq!(changed(&values(""), ENDS, Some(5)), Ok(None));
        assert_eq!(changed(&values("5+min"), ENDS, Some(5)), Ok(Some(When::InSeconds(300))));
    }
}
