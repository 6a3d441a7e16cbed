//! Simplified Chinese.

use super::Words;
use crate::{components::format::count, i18n::FieldWords};

pub static ZH: Words = Words {
    title: "账本",
    intro: "每个活动的每一次变化，最新的在前，以数据库中的记录为准。",

    sale: FieldWords { label: "活动编号", hint: "", error: "请填写 1 至 64 字节的可打印字符。" },
    user: FieldWords { label: "用户", hint: "", error: "请填写 1 至 64 字节的可打印字符。" },
    request_id: FieldWords { label: "请求编号", hint: "", error: "请填写 1 至 64 字节的可打印字符。" },
    any_outcome: "不限",
    outcome_name: |name| match name {
        "opened" => Some("创建"),
        "closed" => Some("关闭"),
        "refunded" => Some("退回"),
        "recovered" => Some("恢复"),
        _ => None,
    },
    search: "查询",

    history: "历史记录",
    history_rows: "记录，最新的在前",
    item: "项目",
    event_id: "事件编号",
    rows_found: |number, at_least| [if at_least { "至少 " } else { "共 " }, &count(number), " 条"].concat(),
    nothing_found: "没有匹配的记录。请减少查询条件；刚发生的变化稍后才会显示。",
    newest: "最新",
    older_rows: "更早的记录",
    export_csv: "导出 CSV",
    export_jsonl: "导出 JSON Lines",

    behind: "滞后",
    behind_by: |events, seconds| [&count(events), " 个事件，", &seconds, " 秒"].concat(),
    last_event: "最后入账的事件",
    dead_letters: |number| ["搁置了 ", &count(number), " 个条目"].concat(),
    dead_letters_hint: "这些条目无法入账。请排除原因后重试，期间不会丢失任何内容。",
    tried: |times| ["已尝试 ", &times.to_string(), " 次"].concat(),
    retried: |applied, still| ["已入账 ", &applied, " 个，仍搁置 ", &still, " 个。"].concat(),
    long_stream: |length| {
        ["事件流超过上限，现有 ", &length, " 个条目。不会丢弃任何条目，请检查账本是否正在写入。"].concat()
    },
    not_in_redis: "账本中有，Redis 中没有，请运行",
    suspended: "已暂停，从账本恢复请运行",
    writer: "账本写入进程：",
    no_writer: "没有服务器在写入账本。请启动一个；在此之前事件保留在 Redis 中，不会丢失。",
    unreachable: "无法连接账本。活动照常进行，事件保留在 Redis 中。请检查数据库是否正在运行。",

    board_title: "审计",
    board_intro: "每个活动的不变量：Redis 内、账本内，以及两者之间。",
    board_empty: "还没有活动。创建第一个后，稍后会显示在这里。",
    audit_all: "全部审计",
    not_audited: "尚未审计",
};
