//! The keys of a sale in the lab. All have the hash tag `{lab:<run>:<strategy>}`, in a separate logical database.

/// The keys of a sale, named by their content.
#[derive(Clone, Debug)]
pub struct Sale {
    /// The prefix of the keys, and the name of the sale's rows in SQL: `{lab:<run>:<strategy>}`.
    pub tag: String,
    /// STRING: items left.
    pub stock: String,
    /// HASH: user → number of items.
    pub got: String,
    /// SET: users who have an item.
    pub winners: String,
    /// STRING: the token of the attempt that holds the lock of the sale.
    pub lock: String,
    /// LIST: work for the worker: attempts, or expired orders.
    pub queue: String,
    /// HASH: user → state of the user's order.
    pub orders: String,
    /// LIST: packets left, as JSON.
    pub pending: String,
    /// LIST: packets with their users, as JSON.
    pub consumed: String,
    /// HASH: user → user, for users with a packet.
    pub claimants: String,
}

impl Sale {
    /// The sale of a strategy in a run.
    pub fn new(run: &str, strategy: &str) -> Self {
        let tag = format!("{{lab:{run}:{strategy}}}");
        let key = |part: &str| format!("{tag}:{part}");
        Self {
            stock: key("stock"),
            got: key("got"),
            winners: key("winners"),
            lock: key("lock"),
            queue: key("queue"),
            orders: key("orders"),
            pending: key("pending"),
            consumed: key("consumed"),
            claimants: key("claimants"),
            tag,
        }
    }

    /// STRING: the token of the attempt that holds a user's lock.
    pub fn lock_of(&self, user: &str) -> String {
        format!("{}:lock:{user}", self.tag)
    }

    /// LIST: the answer that an attempt waits for.
    pub fn answer_to(&self, ticket: &str) -> String {
        format!("{}:answer:{ticket}", self.tag)
    }
}

/// The part of a key, for display. Any other word is unchanged.
pub fn part(word: &str) -> &str {
    word.split_once("}:").filter(|(tag, _)| tag.starts_with('{')).map_or(word, |(_, part)| part)
}
