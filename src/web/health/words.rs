//! The texts of the health and of what needs somebody.

use crate::{
    components::format::{count, counted},
    i18n::sale_name,
};
use model::{
    health::{Matter, Reason, Subject},
    ledger::SaleName,
};

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        health = "Health", "运行状况";
        unknown = "Checking", "正在检查";
        well = "All is well", "一切正常";
        problems: fn(u64) -> String =
            |problems| counted(problems, "problem", "problems"),
            |problems| format!("{} 个问题", count(problems));
        to_board = "Audits of all sales", "全部活动的审计";
        redis = "Redis", "Redis";
        answers = "Answers", "正常响应";
        redis_full = "Full: nothing new can be sold; payments go on.", "已满：无法售出新的，付款照常。";
        disk_full = "The disk is nearly full: nothing new can be sold; payments go on.", "磁盘将满：无法售出新的，付款照常。";
        database = "Ledger database", "账本数据库";
        writer = "Ledger writer", "账本写入进程";
        audits = "Audits", "审计";
        missing = "Sales missing from Redis", "Redis 中缺失的活动";

        // The bell.
        bell = "Needs attention", "需要处理";
        unseen: fn(u64) -> String = |new| format!("{} new", count(new)), |new| format!("{} 项新的", count(new));
        nothing = "Nothing needs attention.", "没有需要处理的事项。";
        only_first: fn(u64) -> String =
            |listed| format!("Only the first {} are listed.", count(listed)),
            |listed| format!("仅列出前 {} 项。", count(listed));
        notify = "Notify me in this browser", "在此浏览器中通知我";
        denied =
            "This browser does not allow it. Change that in the settings of the site.",
            "浏览器未允许通知。请在网站设置中更改。";
        broken = "An audit found an invariant broken.", "审计发现不变量被破坏。";
        suspended = "Suspended: it has lost data and takes no attempts.", "已暂停：数据有丢失，无法参与。";
        dead_letters: fn(u64) -> String =
            |number| format!("{} could not be recorded.", counted(number, "event", "events")),
            |number| format!("{} 条事件无法入账。", count(number));
        webhook = "Webhook", "Webhook";
        undelivered: fn(u64) -> String =
            |number| format!("{} not accepted in time.", counted(number, "row was", "rows were")),
            |number| format!("{} 条记录未被按时接收。", count(number));
        lag: fn(u64) -> String =
            |events| format!("{} wait for the ledger.", counted(events, "event", "events")),
            |events| format!("{} 条事件等待入账。", count(events));
        sold_out = "Nothing is left.", "已无剩余。";
        low: fn(u64) -> String = |left| format!("Only {} left.", count(left)), |left| format!("仅剩 {}。", count(left));
    }
}

/// Returns the name of what needs somebody: the readable one of a sale with a generated id, too.
pub fn subject_name(subject: &Subject) -> String {
    match subject {
        Subject::Sale(SaleName { sale, .. }) => {
            sale_name(sale).map_or_else(|| sale.clone(), |name| format!("{name} ({sale})"))
        }
        Subject::Webhook { webhook } => format!("{} {webhook}", words().webhook),
    }
}

/// Returns the sentence that says why it needs somebody.
pub fn reason_text(matter: &Matter) -> String {
    let words = words();
    match matter.reason {
        Reason::Broken => words.broken.to_owned(),
        Reason::Suspended => words.suspended.to_owned(),
        Reason::DeadLetters => (words.dead_letters)(matter.number),
        Reason::Undelivered => (words.undelivered)(matter.number),
        Reason::Lag => (words.lag)(matter.number),
        Reason::SoldOut => words.sold_out.to_owned(),
        Reason::Low => (words.low)(matter.number),
    }
}
