//! The texts of explaining.

use crate::i18n::{FieldWords, id_error};

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text.
    pub struct Words {
        title = "Explain an attempt", "解释一次请求";
        intro =
            "Runs the script on a copy of this sale, and shows every command that it calls. The sale is not changed.",
            "在此活动的副本上运行脚本，并列出它调用的每条命令。活动本身不受影响。";
        user: FieldWords {
            label = "User", "用户";
            hint = "Any user, known or new", "任何人，也可以是新用户";
            error = id_error!(en), id_error!(zh);
        };
        explain = "Explain", "解释";
        line = "Line", "行";
        command = "Command", "命令";
        reply = "Reply", "返回";
        micros = "Time (µs)", "用时（微秒）";
        /// Commands, and microseconds.
        summary: fn(usize, String) -> String =
            |commands, micros| match commands {
                1 => format!("1 command, {micros} µs"),
                _ => format!("{commands} commands, {micros} µs"),
            },
            |commands, micros| format!("{commands} 条命令，{micros} 微秒");
        /// Before the reply of the script.
        answered = "The script answered: ", "脚本的答复：";
        broken_off = "The script stopped with an error: ", "脚本中断：";
        too_large =
            "Too much of this sale would have to be copied at once: more than 24 MB. Try again when the ledger has \
             recorded more of its events.",
            "需要一次复制的数据太多：超过 24 MB。请等账本记录更多事件后再试。";
    }
}
