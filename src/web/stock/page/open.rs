//! The form that opens a sale and goes to its page.

use crate::{
    components::TextField,
    life::{PlanParts, read_plan},
    open_form::{OpenForm, OpenSaleRequest, open_sale_request, typed_id, use_open_form},
    stock::{api::OpenStockRequest, words::words},
};
use leptos::prelude::*;
use model::{
    Checks,
    error::Result,
    form::FormValues,
    life::Plan,
    stock::{DEFAULT_TTL_S, INFO, Terms},
};

/// Returns the typed terms, all checked.
fn read(values: &FormValues) -> Result<OpenStockRequest> {
    let mut checks = Checks::default();
    let (plan, _) = read_plan(values, &mut checks);
    let terms = Terms {
        sale: typed_id(values),
        quantity: checks.value(values.number("quantity")),
        ttl_s: checks.value(values.optional_number("ttl_s")).unwrap_or(DEFAULT_TTL_S),
        low_mark: checks.value(values.optional_number("low_mark")),
        limit_per_user: checks.value(values.optional_number("limit_per_user")),
        hold_s: checks.value(values.optional_number("hold_s")),
        group: values.optional("group"),
        // Checked by itself.
        plan: Plan::default(),
    };
    let checked = terms.check();
    let Terms { quantity, ttl_s, low_mark, limit_per_user, hold_s, group, .. } = terms;
    let mut request = OpenStockRequest {
        id: values.optional("id"),
        request_id: None,
        quantity,
        ttl_s: Some(ttl_s),
        low_mark,
        limit_per_user,
        hold_s,
        group,
        opens_at: None,
        opens_in_s: None,
        ends_at: None,
        ends_in_s: None,
        title: None,
        description: None,
        currency: None,
    };
    request.set_plan(plan);
    checks.finish(checked.map(|()| request))
}

/// What the plan of a sale may have.
const PLAN: PlanParts = PlanParts { ends: true, money: false };

open_sale_request!(OpenStockRequest: opens_at, opens_in_s, ends_at, ends_in_s, title, description, currency);

/// Opens a sale of stock.
#[component]
pub fn OpenStock() -> impl IntoView {
    let words = words();
    let state = use_open_form(&INFO, read);
    let errors = state.errors;
    view! {
        <OpenForm state label=words.open_title icon=icondata_lu::LuPackage plan=PLAN>
            <TextField name="quantity" words=words.quantity value="10000" numeric=true errors />
            <TextField name="ttl_s" words=words.ttl_s value="300" numeric=true errors />
            <TextField name="low_mark" words=words.low_mark value="500" numeric=true errors />
            <TextField name="limit_per_user" words=words.limit_per_user numeric=true errors />
            <TextField name="hold_s" words=words.hold_s numeric=true errors />
            <TextField name="group" words=words.group errors />
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
        assert!(wrong("quantity=10&ttl_s=&low_mark=&limit_per_user=&hold_s=&group=").is_empty());
        assert_eq!(
            wrong("quantity=many&ttl_s=86401&low_mark=0&limit_per_user=0&hold_s=604801&group=..&id=.."),
            ["quantity", "id", "ttl_s", "low_mark", "limit_per_user", "hold_s", "group"]
        );
    }
}
