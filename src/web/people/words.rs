//! The texts of users' pages, of orders' history and of finding.

use crate::components::format::{count, counted};

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
    pub struct Words {
        // A user's page.
        user = "User", "用户";
        title_of: fn(&str) -> String = |user| format!("User {user}"), |user| format!("用户 {user}");
        copy_user = "Copy name", "复制用户名";
        in_ledger = "View in the ledger", "在账本中查看";
        has_now = "Has now", "现有";
        has_nothing =
            "Nothing at the moment. What was given back, refunded or expired is in the history below.",
            "目前没有。已退回、退款或过期的内容见下方历史。";
        is_partial =
            "This user has more than 10,000 changes. What was gained before those is left out; the ledger has all of it.",
            "此用户的变更超过 10,000 条。更早获得的内容未列出，可在账本中查看全部。";
        items: fn(u64) -> String = |number| counted(number, "item", "items"), |number| format!("{} 项", count(number));
        /// Items and money.
        items_worth: fn(u64, String) -> String =
            |number, money| format!("{}, {money}", counted(number, "item", "items")),
            |number, money| format!("{} 项，{money}", count(number));
        /// Followed by a time.
        last_change = "Last change", "最后变更";
        left_out: fn(u64) -> String =
            |number| format!("{} not listed.", counted(number, "item", "items")),
            |number| format!("另有 {} 项未列出。", count(number));
        first_sales = "Latest sales", "最近的活动";
        more_sales = "More sales", "更多活动";
        sums = "Totals", "合计";
        kind = "Kind", "类型";
        changes = "Changes", "变更数";
        history = "History", "历史";
        nothing_of_user = "Nothing recorded for this user", "没有此用户的记录";
        nothing_of_user_hint =
            "Names match exactly, capitals included. Press / to find a user by the beginning of the name. Attempts that were \
             refused are not recorded, and new changes appear here in a moment.",
            "用户名须完全一致，区分大小写。按 / 可按开头查找用户。被拒绝的请求不入账；刚发生的变更稍后显示在这里。";

        // The ledger's lag.
        behind: fn(u64) -> String =
            |events| {
                format!(
                    "The ledger is {} behind Redis, so the latest changes may be missing here.",
                    counted(events, "event", "events")
                )
            },
            |events| format!("账本比 Redis 落后 {} 条事件，这里可能缺少最新变更。", count(events));
        lag_unknown =
            "Redis does not answer, so the latest changes may be missing here.",
            "Redis 没有响应，这里可能缺少最新变更。";

        // Finding.
        find = "Find", "查找";
        find_hint = "Find a user, a sale, an order, a code or a page", "查找用户、活动、订单、券码或页面";
        find_label = "User, sale, order, request, code or page", "用户、活动、订单、请求、券码或页面";
        results = "Results", "结果";
        close = "Close", "关闭";
        pages = "Pages", "页面";
        sales = "Sales", "活动";
        users = "Users", "用户";
        orders = "Orders", "订单";
        requests = "Requests", "请求";
        codes = "Codes", "券码";
        /// The announced number of results.
        found: fn(usize) -> String =
            |number| match number {
                0 => "No results".to_owned(),
                1 => "1 result".to_owned(),
                more => format!("{more} results"),
            },
            |number| format!("{number} 个结果");
        nothing_found =
            "Nothing begins with this. Ids and names are found by their beginning, capitals included.",
            "没有以此开头的内容。按编号或名称的开头查找，区分大小写。";
        /// Before anything is typed.
        type_something =
            "Type the beginning of a name or an id. Press Enter to go there.",
            "输入名称或编号的开头，按回车前往。";

        // The list of keys.
        key_list = "Keys", "快捷键";
        key_find = "Find", "查找";
        key_help = "Show this list", "显示此列表";
        key_present = "Present a sale or a duel", "演示活动或对决";
        key_play = "Play or pause a replay", "播放或暂停回放";
        key_again = "Replay from the start", "从头回放";
        key_close = "Close what is open", "关闭当前面板";
        keys_off =
            "Single-key shortcuts are off. The switch at the top turns them on.",
            "单键快捷键已关闭，可用顶部的开关打开。";
    }
}
