//! The user whose coupons the page shows.

use super::Sale;
use crate::{
    components::FormErrors,
    sales::coupon::{UserCoupons, api},
};
use leptos::{prelude::*, task::spawn_local};

/// The user who was looked up last.
#[derive(Clone, Copy)]
pub struct LookUp {
    /// What the user holds.
    pub user: RwSignal<Option<UserCoupons>>,
    /// Why nobody could be looked up.
    pub errors: FormErrors,
    /// How often somebody was looked up: only the latest answer counts, whichever arrives last.
    count: StoredValue<u32>,
    sale: Sale,
}

/// Nobody yet; whoever is shown is looked up again when the limits or the day change, as what is left follows from them.
pub fn use_look_up(sale: Sale) -> LookUp {
    let (user, errors, count) = (RwSignal::new(None), FormErrors::default(), StoredValue::new(0));
    let look_up = LookUp { user, errors, count, sale };
    let terms = Memo::new(move |_| sale.read(|sale| (sale.limits, sale.day_ends_at)));
    Effect::watch(move || terms.get(), move |_, _, _| look_up.refresh(), false);
    look_up
}

impl LookUp {
    /// Looks up what a user holds.
    pub fn show(self, user: String) {
        self.errors.clear();
        self.count.update_value(|count| *count += 1);
        let (sale, count) = (self.sale.id(), self.count.get_value());
        spawn_local(async move {
            let found = api::user(sale, user).await;
            // The page may be gone by now.
            if self.count.try_get_value() == Some(count) {
                match found {
                    Ok(found) => self.user.set(Some(found)),
                    Err(error) => self.errors.set(Some(error)),
                }
            }
        });
    }

    /// Looks up again who is shown, if anybody is.
    pub fn refresh(self) {
        if let Some(user) = self.user.with_untracked(|user| user.as_ref().map(|user| user.user.clone())) {
            self.show(user);
        }
    }
}
