//! The texts of closing and archiving.

use crate::components::format::{count, counted};

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

        // Several sales at once.
        several = "Selected sales", "所选活动";
        chosen: fn(u64) -> String = |sales| format!("{} selected", count(sales)), |sales| format!("已选 {} 个", count(sales));
        choose_none = "Select none", "取消选择";
        close_several = "Close sales", "关闭活动";
        /// How many are closed, and how many of the selected are not, as they are not running.
        close_several_question: fn(u64, u64) -> String =
            |sales, others| {
                format!(
                    "Close {}? {} no more attempts.{}",
                    counted(sales, "sale", "sales"),
                    if sales == 1 { "It will accept" } else { "They will accept" },
                    others_left(others, "not running")
                )
            },
            |sales, others| {
                let others = match others {
                    0 => String::new(),
                    _ => format!("另有 {} 个不在进行中，保持不变。", count(others)),
                };
                format!("关闭 {} 个活动？之后不再接受任何请求。{others}", count(sales))
            };
        /// The word to type where something is held, so that nobody closes such sales by a slip.
        close_word = "close", "关闭";
        /// Where something is held: how much, and in how many of the sales; and the word to type.
        type_word: fn(u64, u64, &str) -> String =
            |held, sales, word| format!("{} held in {} of them. To close them, type {word}", count(held), count(sales)),
            |held, sales, word| format!("其中 {} 个活动有 {} 项正被占用。如要关闭，请输入 {word}", count(sales), count(held));
        close_several_yes = "Yes, close them", "是，全部关闭";
        archive_several = "Archive sales", "归档活动";
        /// How many are archived, and how many of the selected are not, as they are not over.
        archive_several_question: fn(u64, u64) -> String =
            |sales, others| {
                format!(
                    "Archive {}? {} removed from Redis; the history stays in the ledger.{}",
                    counted(sales, "sale", "sales"),
                    if sales == 1 { "It is" } else { "They are" },
                    others_left(others, "not closed")
                )
            },
            |sales, others| {
                let others = match others {
                    0 => String::new(),
                    _ => format!("另有 {} 个尚未关闭，保持不变。", count(others)),
                };
                format!("归档 {} 个活动？其数据将从 Redis 中删除，历史记录保存在账本中。{others}", count(sales))
            };
        archive_several_yes = "Yes, archive them", "是，全部归档";
        keep_several = "Keep them", "保留";
        progress: fn(u64, u64) -> String =
            |done, all| format!("{} of {} done. Stay on this page until it is complete.", count(done), count(all)),
            |done, all| format!("已处理 {} / {}，完成之前请勿离开此页。", count(done), count(all));
        /// What a sale is afterwards.
        closed = "Closed", "已关闭";
        archived = "Archived", "已归档";
        /// For how many it succeeded, and for how many it failed.
        closed_several: fn(u64, u64) -> String =
            |sales, failed| format!("{} closed{}", counted(sales, "sale", "sales"), failures(failed)),
            |sales, failed| format!("已关闭 {} 个活动{}", count(sales), failures_zh(failed));
        archived_several: fn(u64, u64) -> String =
            |sales, failed| format!("{} archived{}", counted(sales, "sale", "sales"), failures(failed)),
            |sales, failed| format!("已归档 {} 个活动{}", count(sales), failures_zh(failed));
        dismiss = "Dismiss", "知道了";
    }
}

/// Says that some of the selected sales are left as they are.
fn others_left(others: u64, why: &str) -> String {
    match others {
        0 => String::new(),
        1 => format!(" 1 more is {why} and stays as it is."),
        _ => format!(" {} more are {why} and stay as they are.", count(others)),
    }
}

fn failures(failed: u64) -> String {
    if failed == 0 { ".".to_owned() } else { format!(", {} failed.", count(failed)) }
}

fn failures_zh(failed: u64) -> String {
    if failed == 0 { "。".to_owned() } else { format!("，{} 个失败。", count(failed)) }
}
