//! The form that opens a sale, whatever its kind. It sends the typed terms and goes to the page of the new sale. Until
//! then, it keeps the typed text across reloads.

use crate::{
    base_path::use_navigate,
    components::{
        Alert, Fields, FormErrors, FormMemory, Icon, SubmitButton, TICKED, TextField, sale_url, use_form_memory,
        use_latest, use_request_ids,
    },
    i18n,
    life::{PlanParts, PlanSection, plan_fields},
    templates::Templates,
};
use futures::future::BoxFuture;
use leptos::{
    ev::{Event, SubmitEvent},
    prelude::*,
    server_fn::ServerFn,
};
use model::{
    KindInfo,
    error::{Error, Result},
    form::FormValues,
    ledger::SaleName,
    life::PlanFields,
    url::with_query,
};
use serde::Serialize;
use serde_json::Value;

/// A request that opens a sale.
pub trait OpenSaleRequest: ServerFn<Error = Error> + Serialize {
    /// Gives the request its id.
    fn set_request_id(&mut self, id: String);

    /// Sets the id of the sale; without one, the server makes it from the request's id.
    fn set_id(&mut self, id: Option<String>);

    /// Sets the start and the end of the sale, its texts and its currency, as far as the kind has them.
    fn set_plan(&mut self, plan: PlanFields);

    /// Returns what [`Self::set_plan`] has set.
    fn plan(&self) -> PlanFields;

    /// Sets the start of the sale, in seconds from now; `None` for at once.
    fn set_opens_in_s(&mut self, seconds: Option<u64>);

    /// Returns whether the sale was there before.
    fn existed(opened: &Self::Output) -> bool;

    /// Returns the id of the opened sale.
    fn sale(opened: Self::Output) -> String;

    /// Returns the values of the form's fields that ask for the same under a new id.
    fn fields(&self) -> Fields {
        form_fields(self)
    }
}

/// Returns the values of the fields that forms of all kinds have alike: those with the names and texts of the request,
/// and those of the plan.
pub fn form_fields(request: &impl OpenSaleRequest) -> Fields {
    let mut fields = plain_fields(request);
    fields.extend(plan_fields(&request.plan()));
    fields
}

/// Returns the fields of a request as texts, by their names, but for lists and objects. The id is empty.
fn plain_fields(request: &impl Serialize) -> Fields {
    let text = |value: Value| match value {
        Value::Null | Value::Bool(false) => Some(String::new()),
        Value::Bool(true) => Some(TICKED.to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text),
        Value::Array(_) | Value::Object(_) => None,
    };
    let fields = serde_json::to_value(request).ok();
    let fields = fields.and_then(|value| if let Value::Object(fields) = value { Some(fields) } else { None });
    let mut fields: Fields =
        fields.into_iter().flatten().filter_map(|(name, value)| Some((name, text(value)?))).collect();
    fields.insert("id".to_owned(), String::new());
    fields
}

/// Returns the address of the form that opens a sale, filled in with the terms of this one.
pub fn like_url(kind: &str, sale: &str) -> String {
    format!("{}#open-title", with_query("/", [(LIKE, Some(format!("{kind}:{sale}")))]))
}

/// The parameter of the address that names the sale whose terms the form is filled in with.
pub const LIKE: &str = "like";

/// The sale whose terms the form of its kind is filled in with, for all forms of a page.
#[derive(Clone, Copy)]
pub struct LikeSale {
    /// The sale; `None` if no form is to be filled in.
    pub sale: Memo<Option<SaleName>>,
    /// Loads the fields of the form from the sale.
    pub load: Callback<SaleName, BoxFuture<'static, Result<Fields>>>,
    /// Runs when the form is filled in, or cannot be.
    pub done: Callback<()>,
}

/// Returns the fields of the form that opens a sale like that of this snapshot.
pub fn fields_like<S, R>(
    snapshot: impl Future<Output = Result<S>> + Send + 'static,
    copy: fn(&S) -> R,
) -> BoxFuture<'static, Result<Fields>>
where
    S: 'static,
    R: OpenSaleRequest + 'static,
{
    Box::pin(async move { Ok(copy(&snapshot.await?).fields()) })
}

/// Fills in a form of this kind whenever the page asks for it.
fn follow_like(kind: &'static KindInfo, typed: FormMemory, errors: FormErrors) {
    let Some(LikeSale { sale, load, done }) = use_context() else { return };
    let latest = use_latest();
    Effect::new(move || {
        let Some(sale) = sale.get().filter(|sale| sale.kind == kind.id) else { return };
        latest.ask(
            move || load.run(sale),
            move |answer| {
                match answer {
                    Ok(fields) => {
                        errors.clear();
                        typed.fill(fields);
                    }
                    Err(error) => errors.set(Some(error)),
                }
                done.run(());
            },
        );
    });
}

/// Implements [`OpenSaleRequest`] for a kind's request, whose answer has an id and says whether the sale was there, and
/// which has these fields of a plan. The last parameter is the function that returns the values of the form's fields, for
/// a form whose fields are not those of the request.
macro_rules! open_sale_request {
    ($request:ty: $($field:ident),+ $(; $fields:ident)?) => {
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

            fn plan(&self) -> model::life::PlanFields {
                let mut plan = model::life::PlanFields::default();
                $(plan.$field.clone_from(&self.$field);)+
                plan
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

            $(
                fn fields(&self) -> $crate::components::Fields {
                    $fields(self)
                }
            )?
        }
    };
}

pub(crate) use open_sale_request;

/// The state of the form that opens a sale.
#[derive(Clone, Copy)]
pub struct OpenFormState {
    /// The kind of the sales.
    kind: &'static KindInfo,
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
    follow_like(kind, typed, errors);
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
    OpenFormState { kind, errors, typed, pending: open.pending().into(), submit, recheck }
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
            <PlanSection parts=plan typed errors />
            <div class="actions">
                <SubmitButton pending>
                    <Icon icon />
                    {shared.open_sale}
                </SubmitButton>
            </div>
            <Alert errors />
        </form>
        <Templates kind typed form_errors=errors />
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_is_written_into_a_form_without_its_id() {
        let request = json!({
            "id": "spring", "count": 10, "seed": null, "is_fair": true, "is_late": false, "zone": "UTC", "prices": {},
        });
        let fields = plain_fields(&request);
        let text = |name: &str| fields.get(name).map(String::as_str);
        assert_eq!((text("id"), text("count"), text("seed")), (Some(""), Some("10"), Some("")));
        assert_eq!((text("is_fair"), text("is_late"), text("zone")), (Some(TICKED), Some(""), Some("UTC")));
        assert_eq!(text("prices"), None);
    }

    #[test]
    fn the_address_of_a_form_names_any_sale() {
        assert_eq!(like_url("raffle", "a&b c"), "/?like=raffle%3Aa%26b+c#open-title");
    }
}
