//! The texts of closing and archiving.

use crate::components::format::count;

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        /// Opens the menu.
        more = "More", "更多";
        /// Where something is held; takes how much, and the id to type.
        type_id: fn(u64, &str) -> String =
            |held, id| format!("{} held. To close the sale, type {id}", count(held)),
            |held, id| format!("{} 项正被占用。如要关闭，请输入 {id}", count(held));
        close = "Close sale", "关闭活动";
        /// What closing does, as a question; takes what it means for the kind of sale.
        close_question: fn(&str) -> String =
            |effect| format!("Close this sale? It will accept no more attempts. {effect}"),
            |effect| format!("关闭此活动？之后不再接受任何请求。{effect}");
        close_yes = "Yes, close it", "是，关闭";
        archive = "Archive", "归档";
        archive_question =
            "Archive this sale? It is removed from Redis; its history stays in the ledger.",
            "归档此活动？其数据将从 Redis 中删除，历史记录保存在账本中。";
        archive_yes = "Yes, archive it", "是，归档";
        keep = "Keep it", "保留";
    }
}
