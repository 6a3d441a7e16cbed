//! The form that opens a sale, whatever its kind. It sends the typed terms and goes to the page of the new sale. Until
//! then, it keeps the typed text across reloads.

use crate::{
    base_path::use_navigate,
    components::{
        Alert, FormErrors, FormMemory, Icon, SubmitButton, TextField, sale_url, use_form_memory, use_request_ids,
    },
    i18n,
    life::{PlanParts, PlanSection},
};
use leptos::{
    ev::{Event, SubmitEvent},
    prelude::*,
    server_fn::ServerFn,
};
use model::{
    KindInfo,
    error::{Error, Result},
    form::FormValues,
    life::PlanFields,
};
use serde::Serialize;

/// A request that opens a sale.
pub trait OpenSaleRequest: ServerFn<Error = Error> + Serialize {
    /// Gives the request its id.
    fn set_request_id(&mut self, id: String);

    /// Sets the id of the sale; without one, the server makes it from the request's id.
    fn set_id(&mut self, id: Option<String>);

    /// Sets the start and the end of the sale, its texts and its currency, as far as the kind has them.
    fn set_plan(&mut self, plan: PlanFields);

    /// Sets the start of the sale, in seconds from now; `None` for at once.
    fn set_opens_in_s(&mut self, seconds: Option<u64>);

    /// Returns whether the sale was there before.
    fn existed(opened: &Self::Output) -> bool;

    /// Returns the id of the opened sale.
    fn sale(opened: Self::Output) -> String;
}

/// Implements [`OpenSaleRequest`] for a kind's request, whose answer has an id and says whether the sale was there, and
/// which has these fields of a plan.
macro_rules! open_sale_request {
    ($request:ty: $($field:ident),+) => {
        impl $crate::open_form::OpenSaleRequest for $request {
            fn set_request_id(&mut self, id: String) {
                self.request_id = Some(id);
            }

            fn set_id(&mut self, id: Option<String>) {
                self.id = id;
            }

            fn set_plan(&mut self, plan: model::life::PlanFields) {
                $(self.$field = plan.$field;)+
            }

            fn set_opens_in_s(&mut self, seconds: Option<u64>) {
                self.opens_in_s = seconds;
            }

            fn existed(opened: &Self::Output) -> bool {
                opened.existed
            }

            fn sale(opened: Self::Output) -> String {
                opened.sale
            }
        }
    };
}

pub(crate) use open_sale_request;

/// The state of the form that opens a sale.
#[derive(Clone, Copy)]
pub struct OpenFormState {
    /// The kind, as in keys.
    kind: &'static str,
    /// The errors of the latest submission.
    pub errors: FormErrors,
    /// The typed contents of the form.
    pub typed: FormMemory,
    /// A submission is waiting for its answer.
    pending: Signal<bool>,
    submit: Callback<SubmitEvent>,
    recheck: Callback<Event>,
}

/// Returns the id in the form, for checks of the terms: any valid one, if the server is to choose it.
pub fn typed_id(values: &FormValues) -> String {
    values.optional("id").unwrap_or_else(|| "any".to_owned())
}

/// Opens sales of this kind by a form, and then goes to their page. `read` makes the request from the form's fields, and
/// checks all of them.
pub fn use_open_form<R>(kind: &'static KindInfo, read: fn(&FormValues) -> Result<R>) -> OpenFormState
where
    R: OpenSaleRequest + Clone + Send + Sync + 'static,
    R::Output: Clone + Send + Sync + 'static,
{
    let open = ServerAction::<R>::new();
    let errors = FormErrors::default();
    errors.follow(open.into());
    let request_ids = use_request_ids::<String>();
    let typed = use_form_memory(format!("open:{}", kind.id));
    Effect::new(move || typed.restore());
    let (opened, navigate) = (open.value(), use_navigate());
    Effect::new(move || {
        let Some(answer) = opened.get() else { return };
        request_ids.settle(&answer);
        if let Ok(opened) = answer {
            typed.forget();
            untrack(|| navigate(&sale_url(kind, &R::sale(opened)), Default::default()));
        }
    });
    let submit = Callback::new(move |event: SubmitEvent| {
        if let Some(mut request) = errors.read(&event, read) {
            // If the request is sent again because its answer was lost, it opens no second sale.
            request.set_request_id(request_ids.id(serde_json::to_string(&request).unwrap_or_default()));
            open.dispatch(request);
        }
    });
    let recheck = Callback::new(move |event: Event| errors.recheck(&event, read));
    OpenFormState { kind: kind.id, errors, typed, pending: open.pending().into(), submit, recheck }
}

/// Shows the form that opens a sale: the fields of its kind, and then the id and the button.
#[component]
pub fn OpenForm(
    /// Its state.
    state: OpenFormState,
    /// The name of the form.
    label: &'static str,
    /// The icon of the button.
    icon: icondata_core::Icon,
    /// What the plan of a sale of the kind may have.
    plan: PlanParts,
    /// The fields of the kind.
    children: Children,
) -> impl IntoView {
    let shared = i18n::words();
    let OpenFormState { kind, errors, typed, pending, submit, recheck } = state;
    view! {
        <form
            class="form-grid"
            node_ref=typed.form
            aria-label=label
            on:submit=move |event| submit.run(event)
            on:input=move |event| recheck.run(event)
            on:focusin=move |event| recheck.run(event.into())
        >
            {children()}
            <TextField name="id" words=shared.sale_id errors />
            <PlanSection kind parts=plan errors />
            <div class="actions">
                <SubmitButton pending>
                    <Icon icon />
                    {shared.open_sale}
                </SubmitButton>
            </div>
            <Alert errors />
        </form>
    }
}
