//! The texts of explaining.

use crate::i18n::{FieldWords, by_lang, id_error};

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&EN, &ZH)
}

/// The catalogue. Figures are passed as formatted text.
pub struct Words {
    pub title: &'static str,
    pub intro: &'static str,
    pub user: FieldWords,
    pub explain: &'static str,
    pub line: &'static str,
    pub command: &'static str,
    pub reply: &'static str,
    pub micros: &'static str,
    /// Commands, and microseconds.
    pub summary: fn(usize, String) -> String,
    /// Before the reply of the script.
    pub answered: &'static str,
    pub broken_off: &'static str,
    pub too_large: &'static str,
}

static EN: Words = Words {
    title: "Explain an attempt",
    intro: "Runs the script on a copy of this sale, and shows every command that it calls. The sale is not changed.",
    user: FieldWords { label: "User", hint: "Any user, known or new", error: id_error!(en) },
    explain: "Explain",
    line: "Line",
    command: "Command",
    reply: "Reply",
    micros: "Time (µs)",
    summary: |commands, micros| match commands {
        1 => format!("1 command, {micros} µs"),
        _ => format!("{commands} commands, {micros} µs"),
    },
    answered: "The script answered: ",
    broken_off: "The script stopped with an error: ",
    too_large: "Too much of this sale would have to be copied at once: more than 24 MB. Try again when the ledger has \
                recorded more of its events.",
};

static ZH: Words = Words {
    title: "解释一次请求",
    intro: "在此活动的副本上运行脚本，并列出它调用的每条命令。活动本身不受影响。",
    user: FieldWords { label: "用户", hint: "任何人，也可以是新用户", error: id_error!(zh) },
    explain: "解释",
    line: "行",
    command: "命令",
    reply: "返回",
    micros: "用时（微秒）",
    summary: |commands, micros| format!("{commands} 条命令，{micros} 微秒"),
    answered: "脚本的答复：",
    broken_off: "脚本中断：",
    too_large: "需要一次复制的数据太多：超过 24 MB。请等账本记录更多事件后再试。",
};
