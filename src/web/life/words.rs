//! The texts of a sale's life.

use crate::i18n::FieldWords;

crate::i18n::words! {
    /// The catalogue. Times and durations are passed as formatted text.
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

        // The start and the end, on the page of a sale and in the list.
        opens_in: fn(String) -> String =
            |left| format!("Opens in {left}"),
            |left| format!("{left} 后开售");
        ends_in: fn(String) -> String =
            |left| format!("Ends in {left}"),
            |left| format!("{left} 后结束");
        /// Why a button cannot be pressed yet.
        opens_at: fn(String) -> String =
            |at| format!("This sale opens at {at}. The button works from then on."),
            |at| format!("此活动于 {at} 开售，届时即可点击。");
        /// Announced by screen readers as the start comes closer.
        in_a_minute = "This sale opens in one minute.", "此活动将在一分钟后开售。";
        in_ten_seconds = "This sale opens in 10 seconds.", "此活动将在 10 秒后开售。";
        is_open = "This sale is open.", "此活动已开售。";
        // The message over the stage of a paused sale.
        /// Before the time.
        since = "since", "自";
        holds_run = "What is held expires as usual.", "已占用的照常到期。";
        time_stands = "The time stands still until the sale goes on", "活动恢复之前不计时";
        holds_stop = "Until the sale goes on, nothing that is held expires.", "恢复之前，已占用的不会到期。";

        // Among the terms.
        start = "Opens", "开始时间";
        end = "Ends", "结束时间";
        currency_term = "Currency", "货币";
        about = "About this sale", "活动介绍";

        // The form that opens a sale.
        more = "More: start, end, title", "更多：时间、标题";
        opens: FieldWords {
            label = "Opens", "开始";
            hint = "Empty for at once; or in 90 s, 5 min, 2 h; or a time in", "留空即刻开始；或多久之后：90 s、5 min、2 h；或时间，时区";
            error =
                "Enter a future time within 400 days, such as 2026-11-28 09:00, or a duration such as 5 min.",
                "请填写 400 天内的未来时间，如 2026-11-28 09:00，或时长，如 5 min。";
        };
        ends: FieldWords {
            label = "Ends", "结束";
            hint = "Empty for never; or 90 s, 5 min, 2 h after the start; or a time in", "留空不结束；或开始后多久：90 s、5 min、2 h；或时间，时区";
            error =
                "Enter a time after the start, at most 400 days later, or a duration such as 2 h.",
                "请填写开始之后 400 天内的时间，或时长，如 2 h。";
        };
        title_en: FieldWords {
            label = "Title in English", "英文标题";
            hint = "Optional; shown instead of the ID", "可留空；代替编号显示";
            error = "Enter one line of at most 100 characters.", "请填写一行，最多 100 个字符。";
        };
        title_zh: FieldWords {
            label = "Title in Chinese", "中文标题";
            hint = "Optional", "可留空";
            error = "Enter one line of at most 100 characters.", "请填写一行，最多 100 个字符。";
        };
        description_en: FieldWords {
            label = "Description in English", "英文介绍";
            hint = "Optional", "可留空";
            error = "Enter at most 2,000 characters.", "最多 2,000 个字符。";
        };
        description_zh: FieldWords {
            label = "Description in Chinese", "中文介绍";
            hint = "Optional", "可留空";
            error = "Enter at most 2,000 characters.", "最多 2,000 个字符。";
        };
        currency: FieldWords {
            label = "Currency", "货币";
            hint = "ISO 4217 code: CNY, EUR, JPY", "ISO 4217 代码：CNY、EUR、JPY";
            error = "Enter a code of ISO 4217, such as CNY.", "请填写 ISO 4217 代码，如 CNY。";
        };

        // The operator's menu.
        actions: Actions = Actions::EN, Actions::ZH;
    }

    /// The operator's actions on a sale that is not over.
    pub struct Actions {
        pause = "Pause sale", "暂停活动";
        pause_hint =
            "Attempts are refused until the sale goes on. Payments and returns go on.",
            "恢复之前拒绝所有请求；付款和退还照常进行。";
        reason: FieldWords {
            label = "Reason", "原因";
            hint = "Optional; shown to users", "可留空；用户可见";
            error = "Enter one line of at most 200 characters.", "请填写一行，最多 200 个字符。";
        };
        stop_holds = "Stop the time of what is held", "停止占用的计时";
        pause_yes = "Pause", "暂停";
        resume = "Resume sale", "恢复活动";
        schedule = "Change start or end", "更改时间";
        schedule_yes = "Change", "更改";
        /// Before the name of the time zone.
        time_hint = "90 s, 5 min or 2 h; or a time in", "90 s、5 min、2 h；或时间，时区";
        reopen = "Reopen sale", "重新开放";
        reopen_question =
            "Reopen this sale? It will accept attempts again.",
            "重新开放此活动？之后将再次接受请求。";
        reopen_yes = "Yes, reopen it", "是，重新开放";
        keep = "Keep it", "保留";
        describe = "Edit title and description", "编辑标题和介绍";
        describe_yes = "Save", "保存";
        // Why nothing was changed.
        ended = "Nothing was changed: the sale has ended.", "未做任何更改：活动已结束。";
        closed = "Nothing was changed: the sale is closed.", "未做任何更改：活动已关闭。";
        refunded =
            "Nothing was changed: the rest of the money was refunded, so nothing is left to give out.",
            "未做任何更改：剩余金额已退款，没有可发放的内容。";
        too_late =
            "Nothing was changed: the time to change has passed, or the new one is not in the future.",
            "未做任何更改：要更改的时间已过，或新的时间不在将来。";
    }
}
