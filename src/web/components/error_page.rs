//! Pages with nothing to show.

use crate::{
    components::{AttemptForm, RecoverCommand, attempt_form::SendAgain, page_data::use_retry},
    i18n::{sale_name, words},
};
use leptos::prelude::*;
use leptos_meta::Title;
use model::error::Code;
use std::time::Duration;

/// How often a page that could not be loaded is loaded again.
const RETRY: Duration = Duration::from_secs(5);

/// A page that cannot be shown.
#[component]
pub fn ErrorPage(
    /// Decides the texts; one for which the server is to blame is retried.
    code: Code,
    /// The id of the sale that the page is about.
    #[prop(optional_no_strip)]
    subject: Option<String>,
    /// The address of the history of what was here, if only the ledger has it.
    #[prop(optional_no_strip)]
    history: Option<String>,
    /// Where else the reader may look.
    #[prop(optional)]
    elsewhere: Option<AnyView>,
    /// The form on the page, if it is one of a sale. Where this page is the answer to it, it is sent again to try again: by
    /// a link, the attempt would be another one.
    #[prop(optional)]
    form: AttemptForm,
    /// What can be shown nevertheless.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let words = words();
    let can_retry = code.status() >= 500;
    let can_send_again = can_retry && form.can_be_sent_again();
    let elsewhere = if can_send_again { Some(view! { <SendAgain form /> }.into_any()) } else { elsewhere };
    if can_retry {
        // The reader need not press anything, but can.
        use_retry(RETRY, code);
    }
    view! {
        <EmptyPage
            title=(words.error_title)(code)
            sentence=(words.load_error)(code)
            // A sale that is lost as a whole comes back by a command.
            lost=subject.clone().filter(|_| code == Code::SaleLost)
            subject
            can_retry=can_retry && !can_send_again
            elsewhere
            history
            rest=children
        />
    }
}

/// What happened, why, and where to go from here.
#[component]
pub fn EmptyPage(
    /// The heading, and the title of the window.
    title: &'static str,
    /// Why there is nothing to see, and what to do about it.
    sentence: &'static str,
    /// The id of the sale that the page is about.
    #[prop(optional_no_strip)]
    subject: Option<String>,
    /// The id of the sale that Redis has lost.
    #[prop(optional_no_strip)]
    lost: Option<String>,
    /// Loading the page again may help.
    #[prop(optional)]
    can_retry: bool,
    /// Where else the reader may look.
    #[prop(optional_no_strip)]
    elsewhere: Option<AnyView>,
    /// The address of the history of what was here.
    #[prop(optional_no_strip)]
    history: Option<String>,
    /// What is shown below.
    #[prop(optional_no_strip)]
    rest: Option<Children>,
) -> impl IntoView {
    let words = words();
    view! {
        <Title text=title />
        <main id="main" class="error-page" tabindex="-1">
            <h1>{title}</h1>
            {subject
                // Browsers drop this one from a page, and would look for the text in vain.
                .map(|subject| subject.replace('\0', "\u{fffd}"))
                .map(|subject| {
                    let name = sale_name(&subject);
                    view! {
                        {name.map(|name| view! { <p class="subject-name" translate="no">{name}</p> })}
                        <p class="subject" translate="no">
                            {subject}
                        </p>
                    }
                })}
            <p>
                {sentence}
                {lost.map(|sale| view! { " " {words.recover_by} " " <RecoverCommand sale=Some(sale) /> })}
            </p>
            {elsewhere}
            <p class="actions">
                // Bypasses the router: only the server can start again.
                {can_retry
                    .then(|| {
                        view! {
                            <a class="button strong" href="" rel="external">
                                {words.try_again}
                            </a>
                        }
                    })}
                {history
                    .map(|history| {
                        view! {
                            <a class="button strong" href=history>
                                {words.view_history}
                            </a>
                        }
                    })} <a class="button" href="/">
                    {words.back_to_sales}
                </a>
            </p>
            {rest.map(|rest| rest())}
        </main>
    }
}
