//! The texts of the frame of a sale's page.

use crate::{
    components::format::{count, counted},
    i18n::FigureWords,
};

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        // The strip.
        strip = "At a glance", "概览";
        left = "Left", "剩余";
        /// Instead of what is left.
        no_limit = "No limit", "不限量";
        of_total: fn(String) -> String =
            |total| format!("of {total}"),
            |total| format!("/ {total}");
        per_s = "Attempts/s", "请求/秒";
        /// In its place, once the run is over.
        mean_per_s = "Average/s", "平均/秒";
        lag: FigureWords {
            label = "Ledger lag", "账本滞后";
            meaning =
                "Changes that Redis has made and the ledger has yet to record. Until then, they wait in Redis.",
                "Redis 已完成、账本尚未记录的变更。入账之前，它们保存在 Redis 中。";
        };
        /// How many events it is.
        events: fn(u64) -> String =
            |events| counted(events, "event", "events"),
            |events| format!("{} 条事件", count(events));
        seconds: fn(u64) -> String = |seconds| format!("{seconds} s"), |seconds| format!("{seconds} 秒");
        duplicate = "Duplicate sale", "复制活动";

        // Presenting.
        present = "Present", "演示";
        present_hint =
            "Show only the stage and its figures, for an audience (f)",
            "仅显示舞台与关键数据，适合投屏（f）";
        stop_presenting = "Stop presenting", "结束演示";

        // The tabs.
        tabs = "Parts of the page", "页面内容";
        take_part = "Take part", "参与";
        crowd = "Crowd", "模拟抢购";
        attempts = "Attempts", "请求";

        // The reader's own attempt.
        try_it = "Try it yourself", "试一试";
        waiting = "Waiting for the answer…", "正在等待响应…";
        waiting_long =
            "Still waiting for the answer. You may leave: whatever the answer, the attempt counts once.",
            "仍在等待响应。可以离开页面：无论结果如何，这次请求只算一次。";

        // The newest attempts.
        refused = "Newest refused attempts", "最新被拒请求";
        none_refused = "No refused attempts yet.", "还没有被拒的请求。";
        /// While the rows are read, new ones wait.
        paused_to_read = "Paused while you read", "阅读时暂停更新";
        /// By the button.
        paused = "Paused", "已暂停";
        pause = "Pause", "暂停";
        filter_user = "Filter by user", "按用户筛选";
        /// Of the users that are shown.
        none_of_user = "No matching user among the newest attempts.", "最新的请求中没有符合条件的用户。";

        // An archived sale.
        how_it_ended = "How it ended", "最终结果";

        // The banners.
        not_live = "This page is not live.", "此页面未实时更新。";
        not_live_advice =
            "Four other windows of this browser show live pages, and over HTTP/1.1 a browser opens only six \
             connections to a server. Close or minimize one of them, or use HTTP/2 (--tls-cert). Attempts made here \
             count as usual.",
            "此浏览器的另外 4 个窗口正在显示实时页面；使用 HTTP/1.1 时，浏览器与同一服务器最多建立 6 个连接。\
             请关闭或最小化其中一个窗口，或改用 HTTP/2（--tls-cert）。在此处发起的请求照常有效。";
        redis_down = "Redis is unreachable.", "无法连接 Redis。";
        redis_down_advice =
            "Attempts get no answer until it is back; they can be repeated safely. The ledger can still be searched. \
             This page resumes by itself.",
            "恢复之前请求得不到响应，可放心重试；账本仍可查询。恢复后本页自动继续。";
        silent = "The server has sent no news for some time.", "服务器已有一段时间没有消息。";
        server_gone = "The connection to the server is lost.", "与服务器的连接已断开。";
        server_gone_advice =
            "What is shown can still be read, and an attempt without an answer can be repeated safely. This page \
             reconnects by itself.",
            "已显示的内容仍可查看，没有响应的请求可放心重试。本页会自动重新连接。";
        dismiss = "Dismiss", "关闭";
    }
}
