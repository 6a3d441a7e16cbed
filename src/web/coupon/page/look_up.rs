//! The user whose coupons the page shows.

use crate::{
    components::{FormErrors, Latest, use_latest},
    coupon::{api, page::Sale},
};
use leptos::prelude::*;
use model::coupon::UserCoupons;

/// The user who was looked up last.
#[derive(Clone, Copy)]
pub struct LookUp {
    /// What the user holds. Whoever was found stays while nobody else is.
    pub user: RwSignal<Option<UserCoupons>>,
    /// Why nobody could be looked up.
    pub errors: FormErrors,
    sale: Sale,
    latest: Latest,
    /// Who is asked for.
    asked: StoredValue<Option<String>>,
}

/// Nobody at first. The user shown is looked up again when the limits or the day change, as both decide what is left.
pub fn use_look_up(sale: Sale) -> LookUp {
    let look_up = LookUp {
        user: RwSignal::default(),
        errors: FormErrors::default(),
        sale,
        latest: use_latest(),
        asked: StoredValue::default(),
    };
    let terms = Memo::new(move |_| sale.read(|sale| (sale.limits, sale.day_ends_at)));
    Effect::watch(move || terms.get(), move |_, _, _| look_up.refresh(), false);
    look_up
}

impl LookUp {
    /// Looks up what a user holds.
    pub fn show(self, user: String) {
        self.errors.clear();
        self.asked.set_value(Some(user.clone()));
        self.latest.ask(
            move || api::user(self.sale.id(), user),
            move |answer| {
                self.asked.set_value(None);
                match answer {
                    Ok(found) => self.user.set(Some(found)),
                    Err(error) => {
                        self.errors.set(Some(error));
                        self.errors.focus();
                    }
                }
            },
        );
    }

    /// Looks up again who is asked for, or else who is shown, if anybody is.
    pub fn refresh(self) {
        let shown = || self.user.with_untracked(|user| user.as_ref().map(|user| user.user.clone()));
        if let Some(user) = self.asked.get_value().or_else(shown) {
            self.show(user);
        }
    }
}
