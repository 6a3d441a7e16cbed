//! The texts of closing and archiving.

use crate::i18n::by_lang;

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&EN, &ZH)
}

/// The catalogue.
pub struct Words {
    pub close: &'static str,
    /// What closing does, as a question; takes what it means for the kind of sale.
    pub close_question: fn(&str) -> String,
    pub close_yes: &'static str,
    pub archive: &'static str,
    pub archive_question: &'static str,
    pub archive_yes: &'static str,
    pub keep: &'static str,
}

static EN: Words = Words {
    close: "Close sale",
    close_question: |effect| {
        format!("Close this sale? It will accept no more attempts. {effect} This cannot be undone.")
    },
    close_yes: "Yes, close it",
    archive: "Archive",
    archive_question: "Archive this sale? It is removed from Redis; its history stays in the ledger.",
    archive_yes: "Yes, archive it",
    keep: "Keep it",
};

static ZH: Words = Words {
    close: "关闭活动",
    close_question: |effect| format!("关闭此活动？之后不再接受任何请求。{effect}此操作无法撤销。"),
    close_yes: "是，关闭",
    archive: "归档",
    archive_question: "归档此活动？其数据将从 Redis 中删除，历史记录保存在账本中。",
    archive_yes: "是，归档",
    keep: "保留",
};
