//! The texts of red packets.

use crate::{
    components::format::{count, counted},
    i18n::{FieldWords, KindWords},
};
use model::red_packet::{INFO, Splitter};

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
    pub struct Words {
        kind: KindWords {
            info = &INFO, &INFO;
            name = "Red packets", "红包";
            effect_of_closing =
                "Unclaimed money is refunded to the sender. This cannot be undone.",
                "未领金额将退回给发送者。此操作无法撤销。";
            reopens = false, false;
            explained_attempt = "The attempt is for one packet.", "请求领取一个红包。";
            item_name =
                |number| format!("#{number}"),
                |number| format!("#{number}");
            outcome_name =
                |name| match name {
                    "won" => Some("Won"),
                    _ => None,
                },
                |name| match name {
                    "won" => Some("抢到"),
                    _ => None,
                };
            invariant_name =
                |name| match name {
                    "packets" => Some("All packets accounted for"),
                    "money" => Some("All money accounted for"),
                    "doubled" => Some("No packet given twice"),
                    "twice" => Some("No user has two packets"),
                    "events" => Some("One event per win"),
                    "claimed_cents" => Some("The claimed amount adds up"),
                    "ledger" => Some("Every win is in the ledger"),
                    "ledger_cents" => Some("The ledger has the claimed amount"),
                    _ => None,
                },
                |name| match name {
                    "packets" => Some("红包数量相符"),
                    "money" => Some("金额相符"),
                    "doubled" => Some("没有红包重复发放"),
                    "twice" => Some("没有用户领到两个红包"),
                    "events" => Some("每次抢到都有一个事件"),
                    "claimed_cents" => Some("已领金额相符"),
                    "ledger" => Some("每次抢到都已入账"),
                    "ledger_cents" => Some("账本中的已领金额相符"),
                    _ => None,
                };
        };
        /// Beside the picture of the demonstration.
        demonstration =
            "A thousand gifts and far more hands: nobody gets two, and the amounts add up to the last cent.",
            "一千个红包，来抢的人多得多：谁也拿不到两个，金额分文不差。";

        // The list of sales, and the form that opens one.
        money_of: fn(String, String) -> String =
            |left, all| format!("{left} of {all}"),
            |left, all| format!("{left} / {all}");
        /// What went back when the sale ended.
        money_refunded: fn(String) -> String =
            |money| format!("{money} refunded"),
            |money| format!("已退回 {money}");
        open_title = "Open a red packet sale", "创建红包活动";
        count: FieldWords {
            label = "Packets", "红包个数";
            hint = "1 to 1,000,000", "1 至 1,000,000 个";
            error = "Enter a whole number from 1 to 1,000,000.", "请填写 1 至 1,000,000 的整数。";
        };
        amount: FieldWords {
            label = "Total amount", "总金额";
            hint = "At least 0.01 per packet", "每个至少 0.01";
            error =
                "Enter an amount in its currency, with its decimals: at least 0.01 per packet, at most 10 billion.",
                "请按所选货币的小数位数填写金额：每个红包至少 0.01，总额不超过 100 亿。";
        };
        hours: FieldWords {
            label = "Expires after (hours)", "有效期（小时）";
            hint = "Unclaimed money is then refunded to the sender", "到期后，未领金额退回给发送者";
            error = "Enter a duration from 1 second to 366 days.", "请填写 1 秒至 366 天的时长。";
        };
        minutes: FieldWords {
            label = "Minutes", "分钟";
            hint = "", "";
            error = "Enter a whole number of minutes.", "请填写整数分钟。";
        };
        splitter = "Split", "拆分方式";
        splitter_name: fn(Splitter) -> &'static str =
            |splitter| match splitter {
                Splitter::DoubleMean => "Random amounts",
                Splitter::LineCut => "Random cuts",
                Splitter::Equal => "Equal",
            },
            |splitter| match splitter {
                Splitter::DoubleMean => "随机金额（二倍均值法）",
                Splitter::LineCut => "随机切割（线段切割法）",
                Splitter::Equal => "平均分配",
            };
        splitter_hint: fn(Splitter) -> &'static str =
            |splitter| match splitter {
                Splitter::DoubleMean => "Each amount is from 0.01 to twice the mean of what is left.",
                Splitter::LineCut => "The total is cut at random places: a few large packets, many small ones.",
                Splitter::Equal => "Equal amounts, at most 0.01 apart.",
            },
            |splitter| match splitter {
                Splitter::DoubleMean => "每个金额在 0.01 与剩余均值的两倍之间。",
                Splitter::LineCut => "随机切分：大红包少，小红包多。",
                Splitter::Equal => "平均分配，最多相差 0.01。",
            };

        // The head of a sale.
        expires_at = "Expires", "到期时间";
        refund = "Refund unclaimed money", "退回未领金额";
        refund_question: fn(String, u64) -> String =
            |money, number| format!("Refund {money} in {} to the sender?", packets(number)),
            |money, number| format!("将 {} 个红包共 {money} 退回给发送者？", count(number));
        refund_yes = "Refund", "退回";
        refund_no = "Not now", "暂不退回";
        refunded_now: fn(String) -> String =
            |money| format!("{money} was refunded to the sender."),
            |money| format!("{money} 已退回给发送者。");
        refunded_before: fn(String) -> String =
            |money| format!("{money} had already been refunded to the sender."),
            |money| format!("{money} 此前已退回给发送者。");
        not_expired = "The sale has not expired. Nothing was refunded.", "活动尚未到期，没有退回任何金额。";

        // Queues and figures.
        queues = "Queues", "队列";
        pending = "Pending", "未领";
        pending_hint = "not claimed yet", "尚未领取";
        claimed = "Claimed", "已领";
        claimed_hint = "one per user", "一人一个";
        of: fn(String) -> String =
            |all| format!("of {all}"),
            |all| format!("/ {all}");
        queue_text: fn(String, String, String) -> String =
            |held, all, money| format!("{held} of {all}, {money}"),
            |held, all, money| format!("{held} / {all} 个，{money}");
        per_cell: fn(u64) -> String =
            |number| format!("Each cell stands for {}.", packets(number)),
            |number| format!("一格代表 {} 个红包。", count(number));
        refunded_line: fn(u64, String) -> String =
            |number, money| {
                format!(
                    "{} ({money}) {} refunded to the sender.",
                    packets(number),
                    if number == 1 { "was" } else { "were" }
                )
            },
            |number, money| format!("已退回 {} 个，共 {money}。", count(number));
        figures = "Figures", "数据";
        total = "Total", "总金额";
        remaining = "Remaining", "剩余金额";
        packets = "Packets", "红包个数";
        mean_batch = "Attempts per call", "每次调用的请求数";
        luckiest = "Luckiest", "手气最佳";
        luckiest_who: fn(String, String) -> String =
            |user, packet| format!("{user}, packet #{packet}"),
            |user, packet| format!("{user}，第 {packet} 号红包");
        luckiest_none = "No one yet", "暂无";
        histogram = "Amounts claimed", "已领金额分布";
        histogram_empty = "Nothing claimed yet.", "还没有人领取。";
        /// What the bars count.
        packets_by_amount = "Packets by amount", "各金额的红包个数";
        mean: fn(String) -> String =
            |amount| format!("mean {amount}"),
            |amount| format!("平均 {amount}");

        // Outcomes.
        won = "Won", "抢到";
        sold_out = "Sold out", "已抢光";
        expired = "Expired", "已过期";
        closed = "Closed", "已关闭";

        // The attempts.
        feed = "Attempts", "请求";
        feed_rows = "Newest attempts", "最新请求";
        feed_sample =
            "Under load, only a sample is shown; the counts are exact.",
            "请求密集时仅显示抽样，计数始终准确。";
        feed_empty = "No attempts to show.", "没有可显示的请求。";
        filter = "Show", "显示";
        paused: fn(String) -> String =
            |news| format!("Paused, {news} new"),
            |news| format!("已暂停，新增 {news} 条");
        packet = "Packet", "红包";

        // The visitor's own attempt.
        claim = "Claim a packet", "抢红包";
        you_won: fn(String) -> String =
            |packet| format!("is yours: packet #{packet}."),
            |packet| format!("已领取：第 {packet} 号红包。");
        already_yours: fn(String) -> String =
            |packet| format!("You already have packet #{packet}. Nothing changed."),
            |packet| format!("您已领取第 {packet} 号红包，结果不变。");
        too_late = "Sold out: every packet has been claimed.", "红包已抢光。";
        sale_expired =
            "This sale has expired. Unclaimed money is refunded to the sender.",
            "活动已过期，未领金额将退回给发送者。";
        sale_closed =
            "This sale was closed. Unclaimed money was refunded to the sender.",
            "活动已关闭，未领金额已退回给发送者。";

        // The audit.
        not_audited =
            "Not audited yet. An audit counts every packet in Redis.",
            "尚未审计。审计会清点 Redis 中的每个红包。";
    }
}

/// `1 packet`, `1,000 packets`
fn packets(number: u64) -> String {
    counted(number, "packet", "packets")
}
