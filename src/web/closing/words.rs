//! The texts of closing and archiving.

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        close = "Close sale", "关闭活动";
        /// What closing does, as a question; takes what it means for the kind of sale.
        close_question: fn(&str) -> String =
            |effect| format!("Close this sale? It will accept no more attempts. {effect} This cannot be undone."),
            |effect| format!("关闭此活动？之后不再接受任何请求。{effect}此操作无法撤销。");
        close_yes = "Yes, close it", "是，关闭";
        archive = "Archive", "归档";
        archive_question =
            "Archive this sale? It is removed from Redis; its history stays in the ledger.",
            "归档此活动？其数据将从 Redis 中删除，历史记录保存在账本中。";
        archive_yes = "Yes, archive it", "是，归档";
        keep = "Keep it", "保留";
    }
}
