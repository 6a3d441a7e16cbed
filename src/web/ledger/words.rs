//! The texts of the ledger and of the audit board.

use crate::{
    components::format::{count, counted},
    i18n::{self, FieldWords, FigureWords, id_error},
};

/// The label of an outcome of a kind's sales in the history, by its stable name: the kind's own, or the ledger's for
/// outcomes that all kinds have; the name itself if there is none.
pub fn outcome_name(kind: &str, outcome: &str) -> String {
    i18n::outcome_name(kind, outcome).or_else(|| (words().outcome_name)(outcome)).unwrap_or(outcome).to_owned()
}

/// The same of any kind: what is called differently has all of its labels.
pub fn any_outcome_name(outcome: &str) -> String {
    let names = i18n::outcome_names(outcome);
    if names.is_empty() { outcome_name("", outcome) } else { names.join(" / ") }
}

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
    pub struct Words {
        title = "Ledger", "账本";
        intro =
            "Every change to every sale, newest first, from the database of record.",
            "每个活动的每一次变更，按时间倒序排列，以数据库记录为准。";

        // The search.
        sale: FieldWords {
            label = "Sale", "活动编号";
            hint = "", "";
            error = id_error!(en), id_error!(zh);
        };
        user: FieldWords {
            label = "User", "用户";
            hint = "", "";
            error = id_error!(en), id_error!(zh);
        };
        request_id: FieldWords {
            label = "Request ID", "请求编号";
            hint = "", "";
            error = id_error!(en), id_error!(zh);
        };
        order: FieldWords {
            label = "Order", "订单编号";
            hint = "", "";
            error = id_error!(en), id_error!(zh);
        };
        /// The time from which on, and before which; the hint stands before the name of a time zone.
        from: FieldWords {
            label = "From", "起始时间";
            hint = "Recorded at or after, in", "含此刻，时区：";
            error =
                "Enter a time from 1970 to 9999, such as 2026-11-28 09:00.",
                "请输入 1970 至 9999 年间的时间，例如 2026-11-28 09:00。";
        };
        to: FieldWords {
            label = "To", "截止时间";
            hint = "Recorded before, in", "不含此刻，时区：";
            error =
                "Enter a time later than the start, such as 2026-11-28 09:00.",
                "请输入晚于起始时间的时间，例如 2026-11-28 09:00。";
        };
        unknown_kind = "There is no such kind. Choose one from the list.", "没有这种类型，请从列表中选择。";
        any_outcome = "Any", "不限";
        unknown_outcome = "There is no such outcome. Choose one from the list.", "没有这种结果，请从列表中选择。";
        /// Labels of outcomes that all kinds have, by their stable names.
        outcome_name: fn(&str) -> Option<&'static str> =
            |name| match name {
                "opened" => Some("Opened"),
                "closed" => Some("Closed"),
                "refunded" => Some("Refunded"),
                "recovered" => Some("Recovered"),
                "paused" => Some("Paused"),
                "resumed" => Some("Resumed"),
                "scheduled" => Some("Start or end changed"),
                "reopened" => Some("Reopened"),
                "described" => Some("Texts changed"),
                _ => None,
            },
            |name| match name {
                "opened" => Some("创建"),
                "closed" => Some("关闭"),
                "refunded" => Some("退回"),
                "recovered" => Some("恢复"),
                "paused" => Some("暂停"),
                "resumed" => Some("继续"),
                "scheduled" => Some("更改时间"),
                "reopened" => Some("重新开放"),
                "described" => Some("修改文字"),
                _ => None,
            };
        search = "Search", "查询";
        /// What unfolds the search on a phone: by how many fields it is narrowed.
        search_by: fn(usize) -> String =
            |fields| match fields {
                0 => "Search".to_owned(),
                1 => "Search · 1 filter set".to_owned(),
                more => format!("Search · {more} filters set"),
            },
            |fields| match fields {
                0 => "查询".to_owned(),
                more => format!("查询 · 已设 {more} 个条件"),
            };

        // The history.
        history = "History", "历史记录";
        history_rows = "Rows, newest first", "记录（按时间倒序）";
        /// What a row is about: one item, or how many.
        item = "Item", "物品";
        event_id = "Event ID", "事件编号";
        /// Rows found, and whether that is only a lower bound.
        rows_found: fn(u64, bool) -> String =
            |number, at_least| {
                let rows = counted(number, "row", "rows");
                if at_least { format!("At least {rows}") } else { rows }
            },
            |number, at_least| format!("{}{} 条", if at_least { "至少 " } else { "共 " }, count(number));
        /// What the rows found add up to, by outcome.
        sums = "Sums", "合计";
        /// Rows with one outcome, or of one kind.
        rows_of: fn(&str, u64) -> String =
            |name, number| format!("{name} {}", count(number)),
            |name, number| format!("{name} {} 条", count(number));
        /// The same, with their money or their quantity.
        sum_of: fn(&str, u64, String) -> String =
            |name, number, sum| format!("{name} {} ({sum})", count(number)),
            |name, number, sum| format!("{name} {} 条（{sum}）", count(number));
        quantity: fn(String) -> String = |sum| format!("quantity {sum}"), |sum| format!("数量 {sum}");
        no_sums =
            "Too many rows to add up. Narrow the search.",
            "记录过多，未合计。请缩小查询范围。";
        nothing_found =
            "No matches. Remove a filter; recent changes may take a moment to appear.",
            "没有匹配的记录。请减少查询条件；刚发生的变更稍后才会显示。";
        /// There are no rows at all.
        empty =
            "No changes yet. Open a sale, and they appear here in a moment.",
            "还没有变更。创建活动后稍等片刻，就会显示在这里。";
        newest = "Newest", "最新";
        pages = "Pages", "分页";
        older_rows = "Older rows", "更早的记录";
        /// The switch that keeps the newest rows coming, and what it does.
        follow = "Follow", "跟踪";
        follow_hint = "Show new rows as they are recorded", "持续显示最新记录";
        following = "Following", "正在跟踪";
        follow_paused =
            "Paused. To continue, leave the rows and go back to the newest.",
            "已暂停。移开指针和焦点并回到最新记录后继续。";
        /// Followed by the time.
        export_csv = "Export as CSV", "导出 CSV";
        export_jsonl = "Export as JSON Lines", "导出 JSON Lines";
        /// Those on the sale that is searched for.
        export_notes = "Export notes", "导出备注";

        // A row's details.
        row_details = "Row details", "记录详情";
        close_details = "Close", "关闭";
        kind = "Kind", "类型";
        /// Who an item is for, where that is not the user.
        holder = "Holder", "持有人";
        /// Why an operator made the change.
        reason = "Reason", "原因";
        /// The place of the row in the order of recording.
        recorded = "Recording number", "记录序号";
        rows_of_order = "All rows of this order", "此订单的全部记录";
        /// When Redis recorded the event.
        recorded_at = "Recorded", "记录时间";
        /// The place of the change in its event.
        place = "Place in event", "事件内序号";
        row_id = "Row ID", "记录编号";

        // The ledger's lag and its problems.
        behind: FigureWords {
            label = "Lag", "滞后";
            meaning =
                "Events that the ledger has yet to record, and for how long the oldest of them has waited.",
                "账本尚未记录的事件数，以及其中最早一条已等待的时间。";
        };
        /// Events, and seconds with one decimal.
        behind_by: fn(u64, String) -> String =
            |events, seconds| format!("{}, {seconds} s", counted(events, "event", "events")),
            |events, seconds| format!("{} 条事件，{seconds} 秒", count(events));
        last_recorded: FigureWords {
            label = "Last recorded", "最后入账";
            meaning =
                "When the newest event in the ledger happened.",
                "账本中最新一条事件的发生时间。";
        };
        dead_letters: fn(u64) -> String =
            |number| format!("{} could not be recorded", counted(number, "event", "events")),
            |number| format!("{} 条事件无法入账", count(number));
        dead_letters_hint =
            "Fix the cause and try again; nothing is lost in the meantime.",
            "请排除原因后重试，期间不会丢失任何内容。";
        tried: fn(u32) -> String =
            |times| if times == 1 { "tried once".to_owned() } else { format!("tried {times} times") },
            |times| format!("已尝试 {times} 次");
        /// Entries recorded, and those that still cannot be.
        retried: fn(String, String) -> String =
            |applied, still| format!("{applied} recorded, {still} still cannot be recorded."),
            |applied, still| format!("已入账 {applied} 个，{still} 个仍无法入账。");
        long_stream: fn(String) -> String =
            |length| {
                format!(
                    "The event stream has exceeded its limit: {length} events. Nothing is dropped; check that a server \
                     is writing the ledger."
                )
            },
            |length| {
                format!("事件流已超过上限，现有 {length} 条事件。不会丢弃任何事件，请检查是否有服务器在写入账本。")
            };
        /// So many entries were recorded, and the ledger has lost them.
        missing_events: fn(u64) -> String =
            |number| {
                format!(
                    "The ledger has lost {} that it had recorded, and Redis no longer has {}. Restore its \
                     database.",
                    counted(number, "event", "events"),
                    if number == 1 { "it" } else { "them" }
                )
            },
            |number| {
                format!("账本丢失了 {} 个已入账的事件，而 Redis 也已不再保留。请恢复账本的数据库。", count(number))
            };
        not_in_redis =
            "This sale is in the ledger but not in Redis. To recover it, run",
            "此活动在账本中，但不在 Redis 中。如需恢复，请运行";
        /// The sale is on a master of a cluster that does not answer.
        away =
            "The part of Redis with this sale does not answer, so this is what the ledger has.",
            "此活动所在的 Redis 节点没有响应，这里显示的是账本中的数据。";
        suspended =
            "This sale is suspended. To recover it from the ledger, run",
            "此活动已挂起。如需从账本恢复，请运行";
        recovering =
            "Redis has lost part of this sale. The server is recovering it from the ledger.",
            "Redis 丢失了此活动的部分数据，服务器正在从账本恢复。";
        /// Followed by the reason.
        recovery_failed = "The last try failed:", "上次尝试失败：";
        /// Followed by the time.
        tried_again_at = "Next try at", "下次尝试时间：";
        /// Followed by the time of the recovery.
        recovered_at = "Recovered from the ledger at", "已从账本恢复，时间：";
        not_restored = "Not restored:", "未能恢复：";
        lost_events: fn(u64) -> String =
            |number| format!("{} that the ledger had not recorded", counted(number, "event", "events")),
            |number| format!("账本尚未记录的 {} 个事件", count(number));
        lost_wins: fn(u64) -> String =
            |number| format!("{} that Redis had counted", counted(number, "win", "wins")),
            |number| format!("Redis 已计数的 {} 次成功", count(number));
        given_up: fn(u64) -> String =
            |number| format!("{} that an operator gave up", counted(number, "event", "events")),
            |number| format!("运维人员放弃的 {} 个事件", count(number));
        given_twice: fn(u64) -> String =
            |number| format!("{} given to two users, of whom one keeps it", counted(number, "item", "items")),
            |number| format!("曾给出两次的 {} 件物品，仅其中一位用户保留", count(number));
        /// Between two of these.
        and_also = "; ", "；";
        /// Followed by two times.
        lost_between = "Wins between these times may be lost:", "以下时间段内的成功可能已丢失：";
        /// Followed by the time.
        lost_before = "Wins shortly before this time may be lost:", "此时间之前不久的成功可能已丢失：";
        writer = "Ledger writer:", "账本写入进程：";
        no_writer =
            "No server is writing the ledger. Start one; until then, events wait in Redis and none is lost.",
            "没有服务器在写入账本。请启动一个；在此之前，事件保存在 Redis 中，不会丢失。";
        unreachable =
            "The ledger is unreachable. Sales go on, and their events wait in Redis. Check that the database is \
             running.",
            "无法连接账本。活动照常进行，事件保存在 Redis 中。请检查数据库是否正在运行。";

        // The audit board.
        board_title = "Audit", "审计";
        board_intro =
            "The invariants of every sale: in Redis, in the ledger, and between the two.",
            "每个活动的不变量：Redis 内、账本内，以及两者之间。";
        board_empty =
            "No sales yet. Open one, and it appears here in a moment.",
            "还没有活动。创建后稍等片刻，就会显示在这里。";
        /// How many sales hold, of how many.
        hold_of: fn(u64, u64) -> String =
            |holding, all| {
                format!("{} of {} {}", count(holding), count(all), if holding == 1 { "holds" } else { "hold" })
            },
            |holding, all| format!("{} 个活动中 {} 个通过", count(all), count(holding));
        all_kinds = "All kinds", "全部类型";
        all_verdicts = "All verdicts", "全部判定";
        filter = "Filter", "筛选";
        clear_search = "Clear search", "清除搜索";
        copy_request_id = "Copy request ID", "复制请求编号";
        copy_order = "Copy order ID", "复制订单编号";
        clear_filter = "Clear filter", "清除筛选";
        /// The filter in the address is not valid.
        bad_filter =
            "This filter is not valid, so it was not applied: all sales are listed.",
            "筛选条件无效，未应用：以下列出全部活动。";
        board_no_match = "No matches. Change or clear the filter.", "没有匹配的活动。请修改或清除筛选。";
        newest_sales = "Newest", "最新";
        older_sales = "Older", "更早";
        audit_all = "Audit these", "审计以上活动";
        not_audited = "Not audited yet", "尚未审计";

        // The webhooks.
        webhooks = "Webhooks", "Webhook";
        all_outcomes = "All outcomes", "全部结果";
        sent_kinds = "Kinds", "类型";
        sent_outcomes = "Outcomes", "结果";
        rows_behind: FigureWords {
            label = "Rows behind", "待处理记录";
            meaning =
                "Rows of the change feed that have yet to be sent or passed over.",
                "变更流中尚未发送或跳过的记录数。";
        };
        stalled_sales: FigureWords {
            label = "Sales held up", "受阻的活动";
            meaning =
                "Sales whose next row was not accepted. It is sent again, and their later rows wait for it.",
                "下一条记录未被接收的活动数。该记录会重新发送，其后的记录等待它完成。";
        };
        undelivered: fn(u64) -> String =
            |number| format!("{} not accepted within a day", counted(number, "row was", "rows were")),
            |number| format!("{} 条记录在一天内未被接收", count(number));
        undelivered_hint =
            "Fix the receiver and send them again. Later rows do not wait for them.",
            "请修复接收方后重新发送；之后的记录不会等待它们。";
        send_again = "Send again", "重新发送";
        /// A row that will be sent again in a moment.
        sent_again_soon = "to be sent again", "即将重新发送";
        requeued: fn(u64) -> String =
            |number| format!("{} will be sent again in a moment.", counted(number, "row", "rows")),
            |number| format!("{} 条记录即将重新发送。", count(number));
    }
}
