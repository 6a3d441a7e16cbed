//! The form that opens a sale and goes to its page.

use crate::{
    components::TextField,
    open_form::{OpenForm, OpenSaleRequest, use_open_form},
    stock::{api::OpenStockRequest, words::words},
};
use leptos::prelude::*;
use model::{
    error::Result,
    form::FormValues,
    stock::{INFO, Opened},
};

fn read(values: &FormValues) -> Result<OpenStockRequest> {
    Ok(OpenStockRequest {
        id: values.optional("id"),
        request_id: None,
        quantity: values.number("quantity")?,
        ttl_s: values.optional_number("ttl_s")?,
        low_mark: values.optional_number("low_mark")?,
    })
}

impl OpenSaleRequest for OpenStockRequest {
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
