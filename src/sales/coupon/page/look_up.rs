//! The user whose coupons the page shows.

use super::Sale;
use crate::{
    components::FormErrors,
    error::Result,
    sales::coupon::{UserCoupons, api},
};
use leptos::{prelude::*, reactive::actions::ActionAbortHandle};

/// The user who was looked up last.
#[derive(Clone, Copy)]
pub struct LookUp {
    /// What the user holds. Whoever was found stays while nobody else is.
    pub user: Memo<Option<UserCoupons>>,
    /// Why nobody could be looked up.
    pub errors: FormErrors,
    find: Action<String, Result<UserCoupons>>,
    /// Ends the question before: answers may come in another order than questions, and the last one is shown.
    abort: StoredValue<Option<ActionAbortHandle>>,
}

/// Nobody yet; whoever is shown is looked up again when the limits or the day change, as what is left follows from them.
pub fn use_look_up(sale: Sale) -> LookUp {
    let find = Action::new(move |user: &String| api::user(sale.id(), user.clone()));
    let errors = FormErrors::default();
    errors.follow(find);
    let found = find.value();
    let user = Memo::new(move |before: Option<&Option<UserCoupons>>| {
        let found = found.with(|found| found.as_ref().and_then(|found| found.as_ref().ok()).cloned());
        found.or_else(|| before.cloned().flatten())
    });
    let look_up = LookUp { user, errors, find, abort: StoredValue::new(None) };
    let terms = Memo::new(move |_| sale.read(|sale| (sale.limits, sale.day_ends_at)));
    Effect::watch(move || terms.get(), move |_, _, _| look_up.refresh(), false);
    look_up
}

impl LookUp {
    /// Looks up what a user holds.
    pub fn show(self, user: String) {
        self.errors.clear();
        let question = self.find.dispatch(user);
        if let Some(before) = self.abort.try_update_value(|abort| abort.replace(question)).flatten() {
            before.abort();
        }
    }

    /// Looks up again who is asked for, or else who is shown, if anybody is.
    pub fn refresh(self) {
        let shown = || self.user.with_untracked(|user| user.as_ref().map(|user| user.user.clone()));
        if let Some(user) = self.find.input().get_untracked().or_else(shown) {
            self.show(user);
        }
    }
}
