//! Error pages and empty pages.

use crate::{
    base_path::under_base,
    components::{AttemptForm, RecoverCommand, attempt_form::SendAgain, page_data::use_retry, use_server_version},
    i18n::{sale_name, words},
};
use leptos::prelude::*;
use leptos_meta::Title;
use model::error::Code;
use std::time::Duration;

/// The interval at which a page that could not be loaded is loaded again.
const RETRY: Duration = Duration::from_secs(5);

/// Shows an error in place of a page.
#[component]
pub fn ErrorPage(
    /// Decides the texts; errors of the server are retried.
    code: Code,
    /// The id of the sale that the page is about.
    #[prop(optional_no_strip)]
    subject: Option<String>,
    /// The address of the sale's history, if only the ledger still has it.
    #[prop(optional_no_strip)]
    history: Option<String>,
    /// Links to other places to look.
    #[prop(optional)]
    elsewhere: Option<AnyView>,
    /// The form on the page, if it is one of a sale. If this page is the answer to it, the retry sends the form again:
    /// a link would make another attempt.
    #[prop(optional)]
    form: AttemptForm,
    /// The contents that can be shown nevertheless.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let words = words();
    let can_retry = code.status() >= 500;
    let can_send_again = can_retry && form.can_be_sent_again();
    let elsewhere = if can_send_again { Some(view! { <SendAgain form /> }.into_any()) } else { elsewhere };
    if can_retry {
        // The page retries by itself; the button is optional.
        use_retry(RETRY, code);
    }
    if code == Code::Unreadable {
        let version = use_server_version();
        Effect::new(move || version.ask());
    }
    view! {
        <EmptyPage
            title=(words.error_title)(code)
            sentence=(words.load_error)(code)
            // A sale that is lost as a whole is recovered by a command.
            lost=subject.clone().filter(|_| code == Code::SaleLost)
            subject
            can_retry=can_retry && !can_send_again
            elsewhere
            history
            rest=children
        />
    }
}

/// Explains missing contents: the problem, its reason and the next steps.
#[component]
pub fn EmptyPage(
    /// The heading, and the title of the window.
    title: &'static str,
    /// The reason, and the next step.
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
    /// Links to other places to look.
    #[prop(optional_no_strip)]
    elsewhere: Option<AnyView>,
    /// The address of the sale's history.
    #[prop(optional_no_strip)]
    history: Option<String>,
    /// The contents below.
    #[prop(optional_no_strip)]
    rest: Option<Children>,
) -> impl IntoView {
    let words = words();
    view! {
        <Title text=title />
        <main id="main" class="error-page" tabindex="-1">
            <h1>{title}</h1>
            {subject
                // Browsers drop this character from a page, so hydration would not find the text.
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
                            <a class="button strong" href=under_base(history)>
                                {words.view_history}
                            </a>
                        }
                    })} <a class="button" href=under_base("/")>
                    {words.back_to_sales}
                </a>
            </p>
            {rest.map(|rest| rest())}
        </main>
    }
}
