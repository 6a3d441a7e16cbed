//! Explains attempts, a few at a time.

use crate::kind::{AttemptCall, Kinds};
use ledger::{absence::archived_or_lost, database::Ledger};
use model::{
    Checks, check_id, check_new_id,
    error::{Code, Error, Result},
    explain::{ExplainedCommand, Explanation},
    text::shortened,
};
use std::sync::Arc;
use store::{
    Store,
    listing::state_of,
    runtime::Ids,
    trace::{TracedCall, reply_text, word_text},
};
use tokio::sync::Semaphore;

/// The number of attempts that one process explains at a time.
const AT_A_TIME: usize = 2;
/// The number of characters after which a word or a reply is cut.
const MOST_CHARS: usize = 200;

/// Explains attempts. Cheap to clone.
#[derive(Clone)]
pub struct Explaining {
    store: Store,
    ledger: Ledger,
    ids: Arc<Ids>,
    kinds: Kinds,
    places: Arc<Semaphore>,
}

impl Explaining {
    pub fn new(store: Store, ledger: Ledger, ids: Arc<Ids>, kinds: Kinds) -> Self {
        Self { store, ledger, ids, kinds, places: Arc::new(Semaphore::new(AT_A_TIME)) }
    }

    /// Makes an attempt of this user on a copy of the sale.
    ///
    /// # Errors
    /// `bad_request`, also if too much of the sale would be copied; `unknown_sale`, `sale_archived`, `sale_lost`;
    /// `busy`, `store_refused`, `unavailable`.
    pub async fn explain(&self, kind: &str, sale: &str, user: String) -> Result<Explanation> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.note(check_new_id("user", &user));
        let service = checks.finish(self.kinds.find(kind))?;
        let kind = service.info().id;
        if state_of(&self.store, kind, sale).await?.is_none_or(|state| state == "archived") {
            return archived_or_lost(Err(Error::unknown_sale(sale)), &self.store, &self.ledger, kind, sale).await;
        }
        let place = self.places.clone().try_acquire_owned().map_err(|_| {
            let why = format!("{AT_A_TIME} attempts are being explained, which is the most at a time; try again.");
            Error::new(Code::Busy, why)
        })?;
        let AttemptCall { script, args, hide } = service.attempt_call(sale, user).await?;
        let (sale, store) = (sale.to_owned(), self.store.clone());
        let copy = format!("copy-{}", self.ids.id());
        let (start, end) = (store.sale_key(kind, &sale, ""), format!(":{copy}"));
        // A task of its own holds the permit until Redis is done, even if the client goes away.
        let tracing = tokio::spawn(async move {
            let _place = place;
            store.trace(script, (kind, &sale), &copy, &args).await
        });
        let trace = tracing.await.map_err(Error::internal)??;
        let shown = |text: String| shortened(&hide(text), MOST_CHARS);
        Ok(Explanation {
            script: script.name.to_owned(),
            code: trace.code().map(|code| code.name().to_owned()),
            reply: shown(reply_text(&trace.reply)),
            has_ended: trace.has_ended,
            micros: trace.micros,
            commands: trace.calls.into_iter().map(|call| command(call, (&start, &end), shown)).collect(),
        })
    }
}

/// A command with the keys of the copy, between these texts, shown by their parts.
fn command(call: TracedCall, (start, end): (&str, &str), shown: impl Fn(String) -> String) -> ExplainedCommand {
    let word = |word: &Vec<u8>| {
        let text = word_text(word);
        let part = text.strip_prefix(start).and_then(|text| text.strip_suffix(end)).map(str::to_owned);
        shown(part.unwrap_or(text))
    };
    ExplainedCommand {
        line: call.line,
        words: call.words.iter().map(word).collect(),
        reply: shown(reply_text(&call.reply)),
        micros: call.micros,
    }
}

#[async_trait::async_trait]
impl model::explain::ExplainApi for Explaining {
    async fn explain(&self, kind: &str, sale: &str, user: String) -> Result<Explanation> {
        self.explain(kind, sale, user).await
    }
}
