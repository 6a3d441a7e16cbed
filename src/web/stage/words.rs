//! The texts of the frame of a sale's page.

use crate::{components::format::count, i18n::by_lang};

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&EN, &ZH)
}

/// The catalogue.
pub struct Words {
    // The strip.
    pub strip: &'static str,
    pub left: &'static str,
    /// Instead of what is left.
    pub no_limit: &'static str,
    pub of_total: fn(String) -> String,
    pub per_s: &'static str,
    /// In its place, once the run is over.
    pub mean_per_s: &'static str,
    pub lag: &'static str,
    /// How many events it is.
    pub events: fn(u64) -> String,
    pub duplicate: &'static str,

    // Presenting.
    pub present: &'static str,
    pub present_hint: &'static str,
    pub stop_presenting: &'static str,

    // The tabs.
    pub tabs: &'static str,
    pub take_part: &'static str,
    pub crowd: &'static str,
    pub attempts: &'static str,

    // The reader's own attempt.
    pub try_it: &'static str,

    // The newest attempts.
    pub refused: &'static str,
    pub none_refused: &'static str,
    /// While the rows are read, new ones wait.
    pub paused_to_read: &'static str,
    /// By the button.
    pub paused: &'static str,
    pub pause: &'static str,
    pub filter_user: &'static str,
    /// Of the users that are shown.
    pub none_of_user: &'static str,

    // An archived sale.
    pub how_it_ended: &'static str,

    // The banners.
    pub not_live: &'static str,
    pub not_live_advice: &'static str,
    pub redis_down: &'static str,
    pub redis_down_advice: &'static str,
    pub server_gone: &'static str,
    pub server_gone_advice: &'static str,
    pub dismiss: &'static str,
}

static EN: Words = Words {
    strip: "At a glance",
    left: "Left",
    no_limit: "No limit",
    of_total: |total| format!("of {total}"),
    per_s: "Attempts/s",
    mean_per_s: "Average/s",
    lag: "Ledger lag",
    events: |events| if events == 1 { "1 event".to_owned() } else { format!("{} events", count(events)) },
    duplicate: "Duplicate sale",
    present: "Present",
    present_hint: "Show only the stage and its figures, for an audience (f)",
    stop_presenting: "Stop presenting",
    tabs: "Parts of the page",
    take_part: "Take part",
    crowd: "Crowd",
    attempts: "Attempts",
    try_it: "Try it yourself",
    refused: "Newest refused attempts",
    none_refused: "No refused attempts yet.",
    paused_to_read: "Paused while you read",
    paused: "Paused",
    pause: "Pause",
    filter_user: "Filter by user",
    none_of_user: "No matching user among the newest attempts.",
    how_it_ended: "How it ended",
    not_live: "This page is not live.",
    not_live_advice: "Four other windows of this browser show live pages, and over HTTP/1.1 a browser opens only six connections to a server. Close or minimize one of them, or use HTTP/2 (--tls-cert). Attempts made here count as usual.",
    redis_down: "Redis is unreachable.",
    redis_down_advice: "Attempts get no answer until it is back; they can be repeated safely. The ledger can still be searched. This page resumes by itself.",
    server_gone: "The connection to the server is lost.",
    server_gone_advice: "What is shown can still be read, and an attempt without an answer can be repeated safely. This page reconnects by itself.",
    dismiss: "Dismiss",
};

static ZH: Words = Words {
    strip: "概览",
    left: "剩余",
    no_limit: "不限量",
    of_total: |total| format!("/ {total}"),
    per_s: "请求/秒",
    mean_per_s: "平均/秒",
    lag: "账本滞后",
    events: |events| format!("{} 条事件", count(events)),
    duplicate: "复制活动",
    present: "演示",
    present_hint: "仅显示舞台与关键数据，适合投屏（f）",
    stop_presenting: "结束演示",
    tabs: "页面内容",
    take_part: "参与",
    crowd: "人群",
    attempts: "请求",
    try_it: "试一试",
    refused: "最新被拒请求",
    none_refused: "还没有被拒的请求。",
    paused_to_read: "阅读时暂停更新",
    paused: "已暂停",
    pause: "暂停",
    filter_user: "按用户筛选",
    none_of_user: "最新的请求中没有符合条件的用户。",
    how_it_ended: "最终结果",
    not_live: "此页面未实时更新。",
    not_live_advice: "此浏览器的另外 4 个窗口正在显示实时页面；使用 HTTP/1.1 时，浏览器与同一服务器最多建立 6 个连接。请关闭或最小化其中一个窗口，或改用 HTTP/2（--tls-cert）。在此处发起的请求照常有效。",
    redis_down: "无法连接 Redis。",
    redis_down_advice: "恢复之前请求得不到响应，可放心重试；账本仍可查询。恢复后本页自动继续。",
    server_gone: "与服务器的连接已断开。",
    server_gone_advice: "已显示的内容仍可查看，没有响应的请求可放心重试。本页会自动重新连接。",
    dismiss: "关闭",
};
