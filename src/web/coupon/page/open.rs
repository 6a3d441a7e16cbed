//! The form that opens a sale and goes to its page.

use crate::{
    components::TextField,
    coupon::{
        api::OpenCouponsRequest,
        page::limits::{limit_text, read_limits},
        words::words,
    },
    life::{PlanParts, read_plan},
    open_form::{OpenForm, OpenSaleRequest, open_sale_request, typed_id, use_open_form},
};
use leptos::prelude::*;
use model::{
    Checks, check_new_id,
    coupon::{DEFAULT_TIME_ZONE, INFO, LIMITS, Limit, Lists, SUGGESTED_LIMITS, Validity},
    error::Result,
    form::FormValues,
};

/// Returns the typed terms, all checked but the time zone, which the server knows.
fn read(values: &FormValues) -> Result<OpenCouponsRequest> {
    let mut checks = Checks::default();
    let limits = checks.value(read_limits(values));
    let mut listed = |field| checks.value(values.optional_number(field));
    let lists = Lists::given(listed("own_codes"), listed("only_for"));
    let lists = checks.value(lists);
    checks.note(lists.check());
    let (plan, _) = read_plan(values, &mut checks);
    checks.finish(check_new_id("id", &typed_id(values)))?;
    let counts = values.is_checked("given_back_counts");
    let mut request = OpenCouponsRequest::new(limits, values.optional("time_zone"), counts, Validity::default(), lists);
    request.set_id(values.optional("id"));
    request.set_plan(plan);
    Ok(request)
}

/// What the plan of a sale may have.
const PLAN: PlanParts = PlanParts { ends: true, money: false };

open_sale_request!(OpenCouponsRequest: opens_at, opens_in_s, ends_at, ends_in_s, title, description, currency);

/// Opens a sale of coupons.
#[component]
pub fn OpenCoupons() -> impl IntoView {
    let words = words();
    let state = use_open_form(&INFO, read);
    let errors = state.errors;
    let limit = move |Limit { name, .. }: Limit| {
        let value = limit_text(SUGGESTED_LIMITS.get(name));
        view! { <TextField name=name.name() words=(words.limit_field)(name) value numeric=true errors /> }
    };
    view! {
        <OpenForm state label=words.open_title icon=icondata_lu::LuTicketPercent plan=PLAN>
            <div class="fields">
                {LIMITS.map(limit).collect_view()}
                <TextField name="time_zone" words=words.time_zone value=DEFAULT_TIME_ZONE errors />
                <TextField name="own_codes" words=words.own_codes_field numeric=true errors />
                <TextField name="only_for" words=words.only_for_field numeric=true errors />
            </div>
            <label class="check wide">
                <input type="checkbox" name="given_back_counts" />
                <span>{words.given_back_checkbox}</span>
            </label>
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
        assert!(wrong("total=10&per_user=&per_user_per_day=1").is_empty());
        assert_eq!(wrong("total=abc&per_user=0&per_user_per_day=1&id=.."), ["total", "per_user", "id"]);
        assert_eq!(wrong("own_codes=1,000,001&only_for=x"), ["only_for", "own_codes"]);
    }
}
