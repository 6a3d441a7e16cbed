//! What the forms that open a sale have in common, whatever its kind: they send what was typed, go to the page of the new
//! sale, and until then keep what was typed when the page is loaded again.

use crate::{
    components::{FormErrors, FormMemory, FormValues, sale_url, use_form_memory, use_request_ids},
    domain::KindInfo,
    error::{Error, Result},
};
use leptos::{ev::SubmitEvent, prelude::*, server_fn::ServerFn};
use leptos_router::hooks::use_navigate;
use serde::Serialize;

/// A request that opens a sale.
pub trait OpenSaleRequest: ServerFn<Error = Error> + Serialize {
    /// Gives the request its id.
    fn set_request_id(&mut self, id: String);

    /// The id of the sale that it opened.
    fn sale(opened: Self::Output) -> String;
}

/// A form that opens a sale.
pub struct OpenForm<R: Send + Sync + 'static> {
    /// What was wrong with what was sent last.
    pub errors: FormErrors,
    /// It was sent, and is not answered yet.
    pub pending: Signal<bool>,
    /// What was typed into it.
    pub typed: FormMemory,
    send: Callback<Result<R>>,
}

impl<R: Send + Sync + 'static> OpenForm<R> {
    /// Sends what `read` makes of the form's fields.
    pub fn submit(&self, event: &SubmitEvent, read: fn(&FormValues) -> Result<R>) {
        self.send.run(read(&FormValues::read(event)));
    }
}

/// A form that opens a sale of this kind and then goes to its page.
pub fn use_open_form<R>(kind: &'static KindInfo) -> OpenForm<R>
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
    let send = Callback::new(move |request: Result<R>| match request {
        Ok(mut request) => {
            errors.clear();
            // Sent again because its answer was lost, it opens no second sale.
            request.set_request_id(request_ids.id(serde_json::to_string(&request).unwrap_or_default()));
            open.dispatch(request);
        }
        Err(error) => errors.set(Some(error)),
    });
    OpenForm { errors, pending: open.pending().into(), typed, send }
}
