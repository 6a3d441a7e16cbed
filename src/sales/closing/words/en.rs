//! English.

use super::Words;

pub static EN: Words = Words {
    close: "Close sale",
    close_question: "Close this sale? No more attempts are accepted. This cannot be undone.",
    close_yes: "Yes, close it",
    archive: "Archive",
    archive_question: "Archive this sale? It is removed from Redis; its history stays in the ledger.",
    archive_yes: "Yes, archive it",
    keep: "No",
};
