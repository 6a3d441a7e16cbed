//! The texts that several rooms share.

use crate::i18n::{FieldWords, FigureWords, id_error};
use model::{Millis, SaleState, Verdict, cluster::PartialCluster, error::Code};

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
    pub struct Words {
        // The frame around all pages.
        brand = "Stampede", "Stampede";
        /// Above every page where there is no JavaScript.
        without_script =
            "JavaScript is off: on the page of a sale you can still make an attempt, and each page shows how things \
             stood when it was loaded. Times are UTC, or in the time zone that this browser last reported.",
            "JavaScript 已关闭：在活动页面仍可提交请求；页面显示加载时的状态。时间为 UTC，\
             或此浏览器上次访问时所在的时区。";
        /// The link to the page as it stands now, where there is no JavaScript.
        update = "Update this page", "更新此页";
        /// On an error page that is the answer to the form of an attempt.
        attempt_made =
            "You have made an attempt, and this page cannot show what came of it. It is safe to send it again: you get \
             the original answer.",
            "您刚才提交了一次请求，此页无法显示其结果。可以放心再次发送：返回的仍是最初的结果。";
        send_again = "Send it again", "再次发送";
        /// Above a page whose program could not be loaded or started.
        not_started =
            "This page could not be started: on the page of a sale you can still make an attempt, and each page shows how \
             things stood when it was loaded.",
            "此页未能启动：在活动页面仍可提交请求；页面显示加载时的状态。";
        /// The server was upgraded, or this page comes from another server that was.
        other_version = "The server has another version of this page.", "服务器上有此页面的另一个版本。";
        load_anew = "Reload the page", "重新加载";
        skip = "Skip to content", "跳到正文";
        navigation = "Main", "主导航";
        theme = "Theme", "外观";
        keys = "Single-key shortcuts", "单键快捷键";
        keys_hint =
            "Single-key shortcuts, where a page has any: letters and Space act without another key.",
            "单键快捷键：在支持的页面上，按字母或空格即可操作。";
        theme_system = "System", "跟随系统";
        theme_light = "Light", "浅色";
        theme_dark = "Dark", "深色";
        /// The title of the switch of the time zone; the name of the zone is passed.
        times_in: fn(String) -> String =
            |zone| format!("Times in {zone}."),
            |zone| format!("时间按 {zone} 显示。");
        /// Behind a number on an axis.
        per_minute = "/min", "/分钟";
        just_now = "just now", "刚刚";
        minutes_ago: fn(Millis) -> String =
            |minutes| format!("{minutes} min ago"),
            |minutes| format!("{minutes} 分钟前");
        hours_ago: fn(Millis) -> String =
            |hours| format!("{hours} {} ago", if hours == 1 { "hour" } else { "hours" }),
            |hours| format!("{hours} 小时前");
        days_ago: fn(Millis) -> String =
            |days| format!("{days} {} ago", if days == 1 { "day" } else { "days" }),
            |days| format!("{days} 天前");
        show_utc = " Press to show UTC.", "点击改为 UTC。";
        show_own_times = " Press to show your own time zone.", "点击改为本地时区。";
        loading = "Loading…", "加载中…";
        copy_link = "Copy link", "复制链接";
        copied = "Copied", "已复制";
        /// What of the address: `stock=x`.
        not_understood: fn(&str) -> String =
            |what| format!("Ignored because it is not valid: {what}"),
            |what| format!("地址中有无法识别的内容，已忽略：{what}");
        as_table = "View as table", "以表格查看";
        /// The days of a countdown, before its hours.
        days: fn(u64) -> String =
            |days| format!("{days} d "),
            |days| format!("{days} 天 ");
        time_left: fn(String) -> String =
            |left| format!("{left} left"),
            |left| format!("还剩 {left}");

        // Errors.
        /// For screen readers, which hear the sentence of each at its field.
        fields_wrong: fn(usize) -> String =
            |fields| match fields {
                1 => "1 field needs a correction.".to_owned(),
                _ => format!("{fields} fields need a correction."),
            },
            |fields| format!("{fields} 项需要更正。");
        no_name = "Enter a name.", "请填写用户名。";
        error_title: fn(Code) -> &'static str =
            |code| match code {
                Code::BadRequest => "Invalid request",
                Code::Forbidden => "Request refused",
                Code::UnknownSale => "Sale not found",
                Code::SaleArchived => "Sale archived",
                Code::NotArchivable => "Not ready to be archived",
                Code::UnknownOrder => "Order not found",
                Code::UnknownRun => "Run not found",
                Code::SaleExists => "ID already in use",
                Code::SaleOpening => "Sale is still opening",
                Code::RequestReused => "Request already used",
                Code::CrowdRunning => "A crowd is already running",
                Code::LabRunning => "The lab is in use",
                Code::LabUnavailable => "The lab has no Redis",
                Code::FaultsDisabled => "Faults are disabled",
                Code::UnknownIncident => "Incident not found",
                Code::FaultActive => "The fault is in progress",
                Code::Busy => "Server is busy",
                Code::Unavailable => "Redis is unreachable",
                Code::StoreRefused => "Redis refused the request",
                Code::LedgerUnavailable => "The ledger is unreachable",
                Code::SaleSuspended => "Sale suspended",
                Code::SaleLost => "Sale lost from Redis",
                Code::Network => "The server is unreachable",
                Code::Unreadable => "The answer cannot be read",
                Code::Internal => "Internal error",
            },
            |code| match code {
                Code::BadRequest => "请求无效",
                Code::Forbidden => "请求被拒绝",
                Code::UnknownSale => "活动不存在",
                Code::SaleArchived => "活动已归档",
                Code::NotArchivable => "暂时无法归档",
                Code::UnknownOrder => "订单不存在",
                Code::UnknownRun => "模拟不存在",
                Code::SaleExists => "编号已被使用",
                Code::SaleOpening => "活动正在创建",
                Code::RequestReused => "请求编号已被使用",
                Code::CrowdRunning => "已有模拟在运行",
                Code::LabRunning => "实验室正在使用",
                Code::LabUnavailable => "实验室没有 Redis",
                Code::FaultsDisabled => "故障演练未启用",
                Code::UnknownIncident => "故障记录不存在",
                Code::FaultActive => "该故障正在进行",
                Code::Busy => "服务器繁忙",
                Code::Unavailable => "无法连接 Redis",
                Code::StoreRefused => "Redis 拒绝了请求",
                Code::LedgerUnavailable => "无法连接账本",
                Code::SaleSuspended => "活动已挂起",
                Code::SaleLost => "Redis 丢失了活动",
                Code::Network => "无法连接服务器",
                Code::Unreadable => "无法读取响应",
                Code::Internal => "内部错误",
            };
        /// What happened, and the next step.
        error: fn(Code) -> &'static str =
            |code| match code {
                Code::BadRequest => "The server could not process this request. Check what you entered and try again.",
                Code::Forbidden => {
                    "This server does not take requests from other sites. Open the page at the server's own address."
                }
                Code::UnknownSale => "No sale has this ID. Check the ID, or open a sale.",
                Code::SaleArchived => "This sale was archived. Its history is in the ledger.",
                Code::NotArchivable => "Nothing was changed.",
                Code::UnknownOrder => "This sale has no order with this ID. Check the ID.",
                Code::UnknownRun => "This run has expired. Start a new crowd.",
                Code::SaleExists => {
                    "Another sale already has this ID. Choose a different one, or leave the field empty."
                }
                Code::SaleOpening => "The sale is being prepared. Try again once it is open.",
                Code::RequestReused => {
                    "This request was already used for something else. Try again: it is sent as a new one."
                }
                Code::CrowdRunning => "A crowd is already running here. Stop it, or wait until it is done.",
                Code::LabRunning => "A run of the lab is already in progress. Stop it, or wait until it is done.",
                Code::LabUnavailable => {
                    "The sales are on a cluster, so the lab needs a Redis of its own, and this server has none. Start the \
                     server with --lab-redis."
                }
                Code::FaultsDisabled => "This server was started without --faults, so nothing was done.",
                Code::UnknownIncident => "This server no longer knows this incident. Reload the page.",
                Code::FaultActive => "This fault is already in progress. End it, or wait until it is over.",
                Code::Busy => {
                    "The server cannot take this right now. Nothing was changed; try again in a moment. If it goes on, \
                     Redis may be full: /readyz says so."
                }
                Code::Unavailable => "Redis did not answer, so the outcome is unknown. Try again in a moment.",
                Code::Network => "The server did not answer, so the outcome is unknown. Try again in a moment.",
                Code::Unreadable => {
                    "The answer cannot be read, so the outcome is unknown. The server may have another version of this \
                     page: reload the page."
                }
                Code::StoreRefused => "Redis refused the request, so nothing was changed. The server log says why.",
                Code::LedgerUnavailable => "The ledger did not answer. Sales are not affected; try again in a moment.",
                Code::SaleSuspended => {
                    "Redis lost part of this sale. It stays suspended until it is recovered from the ledger."
                }
                Code::SaleLost => {
                    "Redis has lost this sale, but the ledger still has it. No attempts are possible until it is \
                     recovered."
                }
                Code::Internal => {
                    "Something went wrong on the server. Try again; if it keeps happening, check the server log."
                }
            },
            |code| match code {
                Code::BadRequest => "服务器无法处理此请求。请检查填写的内容后重试。",
                Code::Forbidden => "服务器不接受其他网站发来的请求。请通过服务器自己的地址打开页面。",
                Code::UnknownSale => "没有活动使用此编号。请检查编号，或创建一个活动。",
                Code::SaleArchived => "此活动已归档，历史记录保存在账本中。",
                Code::NotArchivable => "未做任何更改。先关闭活动，并等未结束的订单、运行中的模拟和账本记录都完成。",
                Code::UnknownOrder => "此活动没有该编号的订单。请检查编号。",
                Code::UnknownRun => "此次模拟已过期。请重新开始模拟。",
                Code::SaleExists => "此编号已被其他活动使用。请换一个，或留空自动生成。",
                Code::SaleOpening => "活动仍在准备中，请在开放后重试。",
                Code::RequestReused => "此请求编号已用于其他操作。请重试，将作为新的请求发送。",
                Code::CrowdRunning => "此处已有模拟在运行。请先停止，或等它结束。",
                Code::LabRunning => "实验室已有一次运行。请先停止，或等它结束。",
                Code::LabUnavailable => {
                    "活动在集群上，实验室需要单独的 Redis，而这台服务器没有。请用 --lab-redis 启动服务器。"
                }
                Code::FaultsDisabled => "服务器启动时没有加 --faults，未执行任何操作。",
                Code::UnknownIncident => "这台服务器已没有这条故障记录。请刷新页面。",
                Code::FaultActive => "该故障已在进行。请结束它，或等待它结束。",
                Code::Busy => {
                    "服务器暂时无法处理该请求。未做任何更改，请稍后重试。若一直如此，可能是 Redis 已满，见 /readyz。"
                }
                Code::Unavailable => "Redis 没有响应，结果未知。请稍后重试。",
                Code::Network => "服务器没有响应，结果未知。请稍后重试。",
                Code::Unreadable => "无法读取响应，结果未知。服务器上可能有此页面的另一个版本，请重新加载页面。",
                Code::StoreRefused => "Redis 拒绝了请求，未做任何更改。原因见服务器日志。",
                Code::LedgerUnavailable => "账本没有响应。活动不受影响，请稍后重试。",
                Code::SaleSuspended => "Redis 丢失了此活动的部分数据。从账本恢复之前，活动保持挂起。",
                Code::SaleLost => "Redis 丢失了此活动，但账本中仍有记录。恢复之前无法参与。",
                Code::Internal => "服务器出错。请重试；若问题持续，请查看服务器日志。",
            };
        /// The same for an attempt, which can be sent again under its request id to get the original answer.
        attempt_error: fn(Code) -> &'static str =
            |code| match code {
                Code::Unavailable => {
                    "Redis did not answer, so the outcome is unknown. It is safe to try again: you get the original \
                     answer."
                }
                Code::Network => {
                    "The server did not answer, so the outcome is unknown. It is safe to try again: you get the \
                     original answer."
                }
                other => (Words::EN.error)(other),
            },
            |code| match code {
                Code::Unavailable => "Redis 没有响应，结果未知。可以放心重试：返回的仍是最初的结果。",
                Code::Network => "服务器没有响应，结果未知。可以放心重试：返回的仍是最初的结果。",
                other => (Words::ZH.error)(other),
            };
        /// Before the time at which an outage was noticed.
        translated =
            "Your browser has translated this page, so figures may stand still. Show the original, or choose a language above.",
            "浏览器已翻译本页，数字可能不再更新。请显示原文，或在上方选择语言。";
        outage_since = "Since", "始于";
        /// Some masters of the cluster do not answer.
        partial_cluster: fn(PartialCluster) -> String =
            |PartialCluster { answering, masters }| {
                format!(
                    "{answering} of {masters} masters of the Redis cluster answer. Sales on the others take no attempts \
                     until they are back; all other sales go on."
                )
            },
            |PartialCluster { answering, masters }| {
                format!(
                    "Redis 集群的 {masters} 个主节点中有 {answering} 个响应。其余节点上的活动在恢复之前无法参与，其他活动照常进行。"
                )
            };
        /// Before the time at which the figures were true.
        figures_as_of = "Figures as of", "数据截至";
        /// What can still be done meanwhile.
        outage_advice: fn(Code) -> &'static str =
            |code| match code {
                Code::Unavailable => {
                    "Attempts get no answer until it is back; the ledger can still be searched. This page resumes by \
                     itself."
                }
                Code::LedgerUnavailable => "Sales go on. This page resumes by itself.",
                Code::Network => "What is shown can still be read. This page resumes by itself.",
                _ => "This page resumes by itself.",
            },
            |code| match code {
                Code::Unavailable => "恢复之前请求得不到响应；账本仍可查询。恢复后本页自动继续。",
                Code::LedgerUnavailable => "活动照常进行。恢复后本页自动继续。",
                Code::Network => "已显示的内容仍可查看。恢复后本页自动继续。",
                _ => "恢复后本页自动继续。",
            };
        /// As [`Words::error`], if data could not be loaded, so that nothing was attempted.
        load_error: fn(Code) -> &'static str =
            |code| match code {
                Code::Unavailable => {
                    "Redis is not answering, so this cannot be shown right now. Nothing that was won is lost; try \
                     again in a moment."
                }
                Code::Network => {
                    "The server is not answering, so this cannot be shown right now. Try again in a moment."
                }
                Code::Unreadable => {
                    "The answer cannot be read, so this cannot be shown. The server may have another version of this page: \
                     reload the page."
                }
                Code::UnknownSale => "No sale of this kind has this ID. Check the ID, or open a sale.",
                other => (Words::EN.error)(other),
            },
            |code| match code {
                Code::Unavailable => "Redis 没有响应，暂时无法显示。已抢到的不会丢失，请稍后重试。",
                Code::Network => "服务器没有响应，暂时无法显示。请稍后重试。",
                Code::Unreadable => "无法读取响应，因此无法显示。服务器上可能有此页面的另一个版本，请重新加载页面。",
                Code::UnknownSale => "没有使用此编号的该类活动。请检查编号，或创建一个活动。",
                other => (Words::ZH.error)(other),
            };
        /// Followed by the command that recovers the sale of the page.
        recover_by = "To bring it back, run", "要恢复活动，请运行";
        /// Followed by links to the sales of other kinds that have the id for which this kind has none.
        same_id_elsewhere = "Other kinds of sale with this ID:", "使用此编号的其他类型活动：";
        not_found = "Page not found", "页面不存在";
        not_found_hint = "There is nothing at this address.", "这个地址没有内容。";
        try_again = "Try again", "重试";
        back_to_sales = "Go to sales", "查看活动";
        view_history = "View its history", "查看历史";

        // Shared by all kinds of sale.
        sale = "Sale", "活动编号";
        sale_id: FieldWords {
            label = "ID", "编号";
            hint = "Optional; generated if empty", "可留空，自动生成";
            error = id_error!(en), id_error!(zh);
        };
        seed: FieldWords {
            label = "Seed", "随机种子";
            hint = "Optional; the same seed repeats the result", "可留空；相同种子可重现结果";
            error =
                "Enter a whole number from 0 to 18,446,744,073,709,551,615, or leave it empty.",
                "请填写 0 至 18,446,744,073,709,551,615 的整数，或留空。";
        };
        your_name: FieldWords {
            label = "Your name", "用户名";
            hint = "", "";
            error = id_error!(en), id_error!(zh);
        };
        /// On the button of the form that opens one.
        open_sale = "Open sale", "创建活动";
        copy_id = "Copy ID", "复制编号";
        /// Leads to the form that opens a sale, filled in with the terms of this one.
        open_like = "Open like this one", "照此创建";
        opened_at = "Opened", "开售时间";
        state_name: fn(SaleState) -> &'static str =
            |state| match state {
                SaleState::Opening => "Opening",
                SaleState::Scheduled => "Scheduled",
                SaleState::Open => "Open",
                SaleState::SoldOut => "Sold out",
                SaleState::Paused => "Paused",
                SaleState::Expired => "Expired",
                SaleState::Refunded => "Refunded",
                SaleState::Suspended => "Suspended",
                SaleState::Closed => "Closed",
                SaleState::Archived => "Archived",
            },
            |state| match state {
                SaleState::Opening => "创建中",
                SaleState::Scheduled => "待开售",
                SaleState::Open => "进行中",
                SaleState::SoldOut => "已售罄",
                SaleState::Paused => "暂停中",
                SaleState::Expired => "已过期",
                SaleState::Refunded => "已退款",
                SaleState::Suspended => "已挂起",
                SaleState::Closed => "已关闭",
                SaleState::Archived => "已归档",
            };
        terms = "Terms", "活动规则";
        attempts = "Attempts", "请求数";
        calls: FigureWords {
            label = "Script calls", "脚本调用次数";
            meaning = "One call decides many attempts when many come at once.", "请求密集时，一次调用处理多个请求。";
        };
        repeat: FigureWords {
            label = "Repeat", "重复";
            meaning =
                "The same attempt again. It gets its first answer, and nothing changes.",
                "同一请求再次提交：返回首次的结果，不产生任何变化。";
        };
        /// The latency that a share of the attempts did not exceed.
        p50: FigureWords {
            label = "p50", "p50";
            meaning = "Half of the attempts were answered within this time.", "一半的请求在此时间内得到响应。";
        };
        p90: FigureWords {
            label = "p90", "p90";
            meaning =
                "90 of 100 attempts were answered within this time.",
                "每 100 次请求中有 90 次在此时间内得到响应。";
        };
        p99: FigureWords {
            label = "p99", "p99";
            meaning =
                "99 of 100 attempts were answered within this time.",
                "每 100 次请求中有 99 次在此时间内得到响应。";
        };
        time = "Time", "时间";
        user = "User", "用户";
        outcome = "Outcome", "结果";
        amount = "Amount", "金额";
        /// Of what an operator does.
        reason_for_ledger = "Reason, for the ledger (optional)", "原因，记入账本（可留空）";

        // The audit.
        audit = "Audit", "审计";
        audit_now = "Audit now", "立即审计";
        audited_at = "Checked at", "审计时间";
        /// How long ago follows.
        audited = "Checked", "审计于";
        verdict_title = "Verdict", "判定";
        verdict: fn(Verdict) -> &'static str =
            |verdict| match verdict {
                Verdict::Holds => "Holds",
                Verdict::Broken => "Broken",
                Verdict::Unknown => "Unknown",
            },
            |verdict| match verdict {
                Verdict::Holds => "通过",
                Verdict::Broken => "未通过",
                Verdict::Unknown => "未知",
            };
        verdict_unknown =
            "Redis or the ledger could not be read, so there is no verdict. Audit again.",
            "无法读取 Redis 或账本，因此没有判定。请重新审计。";
        invariant = "Invariant", "不变量";
        invariants = "Invariants", "不变量";
        /// Labels of the invariants that all kinds have, by their stable names.
        invariant_name: fn(&str) -> Option<&'static str> =
            |name| match name {
                "lost" => Some("Nothing lost"),
                "unexpected" => Some("Nothing unexpected"),
                "ledger_rows" => Some("Ledger rows match their count"),
                "ledger_ahead" => Some("No event missing from Redis"),
                "set_aside" => Some("Every event could be recorded"),
                "in_redis" => Some("The sale is in Redis"),
                "state" => Some("The state agrees with the history"),
                "life" => Some("Start, end, pause and texts agree with the history"),
                "terms" => Some("The terms agree with the ledger"),
                _ => None,
            },
            |name| match name {
                "lost" => Some("没有丢失"),
                "unexpected" => Some("没有来源不明的结果"),
                "ledger_rows" => Some("账本行数与计数相符"),
                "ledger_ahead" => Some("Redis 中的事件齐全"),
                "set_aside" => Some("每个事件都能入账"),
                "in_redis" => Some("活动在 Redis 中"),
                "state" => Some("状态与历史相符"),
                "life" => Some("时间、暂停和文字与历史相符"),
                "terms" => Some("活动规则与账本相符"),
                _ => None,
            };
        expected = "Expected", "预期";
        found = "Found", "实际";

        // The script that decides.
        source = "Script", "脚本";
        source_intro = "This script decides every attempt.", "每次请求的结果都由这段脚本决定。";
        source_code = "Script source", "脚本源码";
        show_source = "Show script", "显示脚本";
        script = "Script", "脚本";
        /// The label of its SHA-1, by which EVALSHA calls it.
        sha = "SHA-1", "SHA-1";
        copy_sha = "Copy SHA-1", "复制 SHA-1";
        healed = "NOSCRIPT retries", "NOSCRIPT 重试次数";
    }
}
