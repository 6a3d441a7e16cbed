//! The keys of a sale in the lab. All have the hash tag `{lab:<run>:<strategy>}`, in a logical database of their own.

/// The keys of a sale, named by what strategies keep in them.
#[derive(Clone, Debug)]
pub struct Sale {
    /// What the keys begin with, and the name of its rows in SQL: `{lab:<run>:<strategy>}`.
    pub tag: String,
    /// STRING: items left.
    pub stock: String,
    /// HASH: user → items that the user has.
    pub got: String,
    /// SET: users who have an item.
    pub winners: String,
    /// STRING: the token of the attempt that holds the lock of the sale.
    pub lock: String,
    /// LIST: what waits for the worker: attempts, or orders that have expired.
    pub queue: String,
    /// HASH: user → state of the user's order.
    pub orders: String,
    /// LIST: packets left, as JSON.
    pub pending: String,
    /// LIST: packets with their users, as JSON.
    pub consumed: String,
    /// HASH: user → user, for those who have a packet.
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

    /// LIST: where an attempt waits for its answer.
    pub fn answer_to(&self, ticket: &str) -> String {
        format!("{}:answer:{ticket}", self.tag)
    }
}

/// The part of a key, for display; any other word unchanged.
pub fn part(word: &str) -> &str {
    word.split_once("}:").filter(|(tag, _)| tag.starts_with('{')).map_or(word, |(_, part)| part)
}
