//! The form that opens a sale and goes to its page.

use super::limits::read_limits;
use crate::{
    components::{Alert, FormValues, Icon, SubmitButton, TextField},
    error::Result,
    i18n,
    sales::{
        coupon::{ByLimit, DEFAULT_TIME_ZONE, INFO, Opened, api::OpenCouponsRequest, words::words},
        open_form::{OpenSaleRequest, use_open_form},
    },
};
use leptos::prelude::*;

fn read(values: &FormValues) -> Result<OpenCouponsRequest> {
    let ByLimit { total, per_user, per_user_per_day } = read_limits(values)?;
    Ok(OpenCouponsRequest {
        id: values.optional("id"),
        request_id: None,
        total,
        per_user,
        per_user_per_day,
        time_zone: values.optional("time_zone"),
        given_back_counts: Some(values.is_checked("given_back_counts")),
    })
}

impl OpenSaleRequest for OpenCouponsRequest {
    fn set_request_id(&mut self, id: String) {
        self.request_id = Some(id);
    }

    fn sale(opened: Opened) -> String {
        opened.sale
    }
}

/// Opens a sale of coupons.
#[component]
pub fn OpenCoupons() -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let form = use_open_form::<OpenCouponsRequest>(&INFO);
    let (errors, pending) = (form.errors, form.pending);
    view! {
        <form class="form-grid" aria-label=words.open_title on:submit=move |event| form.submit(&event, read)>
            <TextField name="total" words=words.total value="10000" numeric=true errors />
            <TextField name="per_user" words=words.per_user value="5" numeric=true errors />
            <TextField name="per_user_per_day" words=words.per_user_per_day value="2" numeric=true errors />
            <TextField name="time_zone" words=words.time_zone value=DEFAULT_TIME_ZONE errors />
            <label class="check wide">
                <input type="checkbox" name="given_back_counts" />
                <span>{words.given_back_counts}</span>
            </label>
            <TextField name="id" words=shared.sale_id errors />
            <div class="actions">
                <SubmitButton pending>
                    <Icon icon=icondata_lu::LuTicketPercent />
                    {words.open}
                </SubmitButton>
            </div>
            <Alert errors />
        </form>
    }
}
