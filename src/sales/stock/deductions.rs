//! The batches of attempts: what finds the quantity not cached is tried again once it is.

use super::{
    Outcome,
    rebuild::Rebuilder,
    scripts::{Attempt, DEDUCT, KIND, TRIES, attempts_list, not_cached, read_deduction},
};
use crate::{
    error::Result,
    runtime::Clock,
    store::{Store, batcher::BatchCall, reply::ReplyCode},
};
use std::sync::Arc;

/// The binding of `deduct.lua`.
pub(super) struct DeductScript {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub rebuilder: Rebuilder,
}

impl BatchCall for DeductScript {
    type Attempt = Attempt;
    type Reply = Result<Outcome>;

    async fn call(&self, sale: &str, attempts: Vec<Attempt>) -> Result<Vec<Result<Outcome>>> {
        let mut answers: Vec<Option<Result<Outcome>>> = vec![None; attempts.len()];
        let mut open: Vec<usize> = (0..attempts.len()).collect();
        for _ in 0..TRIES {
            let asked: Vec<&Attempt> = open.iter().map(|place| &attempts[*place]).collect();
            let args = (self.clock.script_time(), asked.len(), attempts_list(&asked));
            let replies = self.store.attempt(&DEDUCT, (KIND, sale), &args, asked.len()).await?;
            let mut uncached = Vec::new();
            for (place, reply) in open.into_iter().zip(&replies) {
                match reply.code {
                    ReplyCode::NotCached => uncached.push(place),
                    _ => answers[place] = Some(read_deduction(reply, sale)),
                }
            }
            if uncached.is_empty() {
                break;
            }
            open = uncached;
            // What was answered stays answered, whatever becomes of the others.
            if let Err(error) = self.rebuilder.ensure_cached(sale).await {
                open.iter().for_each(|place| answers[*place] = Some(Err(error.clone())));
                break;
            }
        }
        Ok(answers.into_iter().map(|answer| answer.unwrap_or_else(|| Err(not_cached(sale)))).collect())
    }
}
