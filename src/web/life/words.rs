//! The texts about the life of a sale.

crate::i18n::words! {
    /// The words.
    pub struct Words {
        /// An outcome, in a column or beside a figure.
        not_open = "Not started", "未开始";
        paused = "Paused", "暂停中";
        ended = "Ended", "已结束";
        /// An outcome, as a sentence.
        sale_not_open = "This sale has not started yet.", "活动尚未开始。";
        /// The reason of the pause is passed; it may be empty.
        sale_paused: fn(&str) -> String =
            |reason| format!("This sale is paused. {reason}").trim_end().to_owned(),
            |reason| format!("活动暂停中。{reason}");
        sale_ended = "This sale has ended.", "活动已结束。";
    }
}
