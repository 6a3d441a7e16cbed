//! The form that opens a sale and goes to its page.

use crate::{
    components::TextField,
    coupon::{
        api::OpenCouponsRequest,
        page::limits::{limit_text, read_limits},
        words::words,
    },
    open_form::{OpenForm, OpenSaleRequest, use_open_form},
};
use leptos::prelude::*;
use model::{
    coupon::{DEFAULT_TIME_ZONE, INFO, LIMITS, Limit, Opened, SUGGESTED_LIMITS},
    error::Result,
    form::FormValues,
};

fn read(values: &FormValues) -> Result<OpenCouponsRequest> {
    let limits = read_limits(values)?;
    let request = OpenCouponsRequest::new(limits, values.optional("time_zone"), values.is_checked("given_back_counts"));
    Ok(OpenCouponsRequest { id: values.optional("id"), ..request })
}

impl OpenSaleRequest for OpenCouponsRequest {
    fn set_request_id(&mut self, id: String) {
        self.request_id = Some(id);
    }

    fn set_id(&mut self, id: Option<String>) {
        self.id = id;
    }

    fn sale(opened: Opened) -> String {
        opened.sale
    }
}

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
        <OpenForm state label=words.open_title icon=icondata_lu::LuTicketPercent>
            {LIMITS.map(limit).collect_view()}
            <TextField name="time_zone" words=words.time_zone value=DEFAULT_TIME_ZONE errors />
            <label class="check wide">
                <input type="checkbox" name="given_back_counts" />
                <span>{words.given_back_checkbox}</span>
            </label>
        </OpenForm>
    }
}
