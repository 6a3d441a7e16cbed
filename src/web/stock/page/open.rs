//! The form that opens a sale and goes to its page.

use crate::{
    components::TextField,
    open_form::{OpenForm, OpenSaleRequest, typed_id, use_open_form},
    stock::{api::OpenStockRequest, words::words},
};
use leptos::prelude::*;
use model::{
    Checks,
    error::Result,
    form::FormValues,
    stock::{DEFAULT_TTL_S, INFO, Opened, Terms},
};

/// Returns the typed terms, all checked.
fn read(values: &FormValues) -> Result<OpenStockRequest> {
    let mut checks = Checks::default();
    let terms = Terms {
        sale: typed_id(values),
        quantity: checks.value(values.number("quantity")),
        ttl_s: checks.value(values.optional_number("ttl_s")).unwrap_or(DEFAULT_TTL_S),
        low_mark: checks.value(values.optional_number("low_mark")),
        plan: model::life::Plan::default(),
    };
    let checked = terms.check();
    let Terms { quantity, ttl_s, low_mark, .. } = terms;
    let (id, ttl_s) = (values.optional("id"), Some(ttl_s));
    checks.finish(checked.map(|()| OpenStockRequest { id, request_id: None, quantity, ttl_s, low_mark }))
}

impl OpenSaleRequest for OpenStockRequest {
    fn set_request_id(&mut self, id: String) {
        self.request_id = Some(id);
    }

    fn set_id(&mut self, id: Option<String>) {
        self.id = id;
    }

    fn existed(opened: &Opened) -> bool {
        opened.existed
    }

    fn sale(opened: Opened) -> String {
        opened.sale
    }
}

/// Opens a sale of stock.
#[component]
pub fn OpenStock() -> impl IntoView {
    let words = words();
    let state = use_open_form(&INFO, read);
    let errors = state.errors;
    view! {
        <OpenForm state label=words.open_title icon=icondata_lu::LuPackage>
            <TextField name="quantity" words=words.quantity value="10000" numeric=true errors />
            <TextField name="ttl_s" words=words.ttl_s value="300" numeric=true errors />
            <TextField name="low_mark" words=words.low_mark value="500" numeric=true errors />
        </OpenForm>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::error::Error;

    #[test]
    fn all_fields_are_checked_whatever_is_wrong_with_the_others() {
        let wrong = |form: &str| {
            let read = read(&FormValues::decode(form.as_bytes()));
            let errors = read.err().into_iter().flat_map(Error::each);
            errors.filter_map(|error| error.field).collect::<Vec<_>>()
        };
        assert!(wrong("quantity=10&ttl_s=&low_mark=").is_empty());
        assert_eq!(wrong("quantity=many&ttl_s=86401&low_mark=0&id=.."), ["quantity", "id", "ttl_s", "low_mark"]);
    }
}
