//! What a user holds: looked up by name, with what each limit still allows, and each coupon to be redeemed or given back.

use crate::{
    components::{
        Alert, Button, ConfirmButton, ConfirmWords, FormErrors, Icon, LocalTime, SubmitButton, TextField, TimeStyle,
        focus_next_frame, format::count, has_focus, reason_for_ledger, use_request_ids,
    },
    coupon::{
        api,
        page::{Sale, look_up::LookUp},
        words::words,
    },
    i18n,
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use model::{
    Answer, check_id,
    coupon::{Coupon, CouponState, End, LIMITS, Limit, UserCoupons},
    error::Result,
    form::{FormValues, USER},
};

/// What becomes of a coupon, or of its redemption.
#[derive(Clone, PartialEq, Eq)]
enum Ending {
    Redeem,
    GiveBack,
    /// The redemption by this request is taken back.
    Void(String),
}

/// Ends the coupon with this code, for a reason if one is given.
#[derive(Clone, Copy)]
struct Ends {
    end: Callback<(Ending, String, Option<String>)>,
    /// Whether one is on its way.
    pending: Memo<bool>,
}

fn read(values: &FormValues) -> Result<String> {
    let user = values.text(USER);
    check_id(USER, &user).map(|()| user)
}

/// Looks up a user.
#[component]
pub fn UserCard(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The user who was looked up.
    look_up: LookUp,
) -> impl IntoView {
    let words = words();
    let request_ids = use_request_ids::<(Ending, String)>();
    let end = Action::new(move |(ending, code, reason): &(Ending, String, Option<String>)| {
        let (sale, ending, code, reason) = (sale.id(), ending.clone(), code.clone(), reason.clone());
        let request_id = Some(request_ids.id((ending.clone(), code.clone())));
        async move {
            match ending {
                Ending::Redeem => api::redeem(sale, code, request_id).await,
                Ending::GiveBack => api::give_back(sale, code, reason, request_id).await,
                Ending::Void(redemption) => api::void(sale, code, reason, redemption).await,
            }
        }
    });
    let errors = FormErrors::default();
    errors.follow(end);
    let ended = end.value();
    let message = move || ended.get().and_then(Result::ok).map(|answer| (words.ended)(answer.outcome));
    let (told, table) = (NodeRef::<html::P>::new(), NodeRef::<html::Div>::new());
    let settle = move |answer: Option<Result<Answer<End>>>| {
        let Some(answer) = answer else { return };
        request_ids.settle(&answer);
        // The buttons of the coupon go, but the reader may have gone on to something else meanwhile.
        if answer.is_ok() && has_focus(table) {
            focus_next_frame(told);
        }
        look_up.refresh();
    };
    Effect::new(move || {
        let answer = ended.get();
        untrack(|| settle(answer));
    });
    let ends = Ends {
        end: Callback::new(move |ending| {
            errors.clear();
            end.clear();
            end.dispatch(ending);
        }),
        pending: end.pending(),
    };
    let submit = move |event: SubmitEvent| {
        if let Some(user) = look_up.errors.read(&event, read) {
            end.clear();
            look_up.show(user);
        }
    };
    let is_shown = Memo::new(move |_| look_up.user.with(Option::is_some));
    view! {
        <section class="card held" aria-labelledby="held-title">
            <h2 id="held-title">{words.look_up_title}</h2>
            <form class="look-up" on:submit=submit>
                <TextField
                    name="user"
                    id="look-up-user"
                    words=words.look_up_user
                    empty=i18n::words().no_name
                    errors=look_up.errors
                />
                <SubmitButton class="">
                    <Icon icon=icondata_lu::LuSearch />
                    {words.look_up}
                </SubmitButton>
            </form>
            <Alert errors=look_up.errors />
            <Show when=move || is_shown.get()>
                <Held look_up ends table />
            </Show>
            <p class="told" role="status" tabindex="-1" node_ref=told>
                {message}
            </p>
            <Alert errors attempt=true />
        </section>
    }
    .into_any()
}

/// The user who was looked up.
#[component]
fn Held(
    /// The user who was looked up.
    look_up: LookUp,
    /// The buttons' actions: redeem, give back, and take a redemption back.
    ends: Ends,
    /// Where the buttons are.
    table: NodeRef<html::Div>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let read = move |read: fn(&UserCoupons) -> String| {
        move || look_up.user.with(|user| user.as_ref().map(read).unwrap_or_default())
    };
    let left = move || {
        let left = look_up.user.with(|user| user.as_ref().map(|user| user.left).unwrap_or_default());
        let sentence = |limit: Limit| {
            let left =
                left.get(limit.name).map_or_else(|| words.unlimited.to_owned(), |left| (words.left)(count(left)));
            view! {
                <div>
                    <dt>{(words.limit_name)(limit.name)}</dt>
                    <dd>{left}</dd>
                </div>
            }
        };
        LIMITS.map(sentence).collect_view()
    };
    let coupons = Memo::new(move |_| {
        look_up.user.with(|user| user.as_ref().map(|user| user.coupons.clone()).unwrap_or_default())
    });
    view! {
        <h3 class="who">{read(|user| user.user.clone())}</h3>
        <dl class="terms">{left}</dl>
        <Show when=move || coupons.with(Vec::is_empty)>
            <p class="empty">{words.no_coupons}</p>
        </Show>
        <div class="scroll" role="region" aria-label=words.coupons tabindex="0" node_ref=table>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{words.code}</th>
                        <th scope="col">{words.state}</th>
                        <th scope="col">{shared.time}</th>
                        <th scope="col">{words.actions}</th>
                    </tr>
                </thead>
                <tbody>
                    <For each=move || coupons.get() key=|coupon| (coupon.code.clone(), coupon.state, coupon.ended_by.clone()) let:coupon>
                        <CouponRow coupon ends />
                    </For>
                </tbody>
            </table>
        </div>
    }
}

#[component]
fn CouponRow(
    /// A coupon of the user.
    coupon: Coupon,
    /// The buttons' actions: redeem, give back, and take a redemption back.
    ends: Ends,
) -> impl IntoView {
    let words = words();
    let Coupon { code, state, claimed_at, ended_at, ended_by } = coupon;
    let (redeemed, returned) = (code.clone(), code.clone());
    let buttons = (state == CouponState::Claimed).then(|| {
        view! {
            <Button
                pending=ends.pending
                on_click=move || ends.end.run((Ending::Redeem, redeemed.clone(), None))
                attr:aria-label=(words.redeem_code)(code.clone())
            >
                {words.redeem}
            </Button>
            <Button
                class="quiet"
                pending=ends.pending
                on_click=move || ends.end.run((Ending::GiveBack, returned.clone(), None))
                attr:aria-label=(words.give_back_code)(code.clone())
            >
                {words.give_back}
            </Button>
        }
    });
    let voided = code.clone();
    let void = ended_by.filter(|_| state == CouponState::Redeemed).map(|by| {
        let confirm = ConfirmWords { label: words.void, yes: words.void_yes, no: words.void_no };
        let question = (words.void_question)(voided.clone());
        let reason = RwSignal::new(String::new());
        let on_confirm = move || ends.end.run((Ending::Void(by.clone()), voided.clone(), reason_for_ledger(reason)));
        view! { <ConfirmButton words=confirm question reason pending=ends.pending on_confirm /> }
    });
    view! {
        <tr>
            <td class="coupon-code" translate="no">
                {code.clone()}
            </td>
            <td>{(words.state_name)(state)}</td>
            <td>
                <LocalTime at=ended_at.unwrap_or(claimed_at) style=TimeStyle::Clock />
            </td>
            <td class="actions">{buttons} {void}</td>
        </tr>
    }
}
