//! Simplified Chinese.

use crate::{
    components::format::count,
    i18n::{FieldWords, id_error},
    ledger::words::Words,
};

pub static ZH: Words = Words {
    title: "账本",
    intro: "每个活动的每一次变更，按时间倒序排列，以数据库记录为准。",

    sale: FieldWords {
        label: "活动编号",
        hint: "末尾加 * 可按开头匹配",
        error: concat!(id_error!(zh), "也可填写编号的开头加 *；如果匹配过多，请填写更长的开头。"),
    },
    user: FieldWords {
        label: "用户",
        hint: "末尾加 * 可按开头匹配",
        error: concat!(id_error!(zh), "也可填写名称的开头加 *；如果匹配过多，请填写更长的开头。"),
    },
    request_id: FieldWords { label: "请求编号", hint: "", error: id_error!(zh) },
    order: FieldWords { label: "订单编号", hint: "", error: id_error!(zh) },
    from: FieldWords {
        label: "起始时间", hint: "含此刻，时区：", error: "请选择 1970 至 9999 年间的时间。"
    },
    to: FieldWords {
        label: "截止时间", hint: "不含此刻，时区：", error: "截止时间必须晚于起始时间。"
    },
    unknown_kind: "没有这种类型，请从列表中选择。",
    any_outcome: "不限",
    unknown_outcome: "没有这种结果，请从列表中选择。",
    outcome_name: |name| match name {
        "opened" => Some("创建"),
        "closed" => Some("关闭"),
        "refunded" => Some("退回"),
        "recovered" => Some("恢复"),
        _ => None,
    },
    search: "查询",

    history: "历史记录",
    history_rows: "记录（按时间倒序）",
    item: "物品",
    event_id: "事件编号",
    rows_found: |number, at_least| format!("{}{} 条", if at_least { "至少 " } else { "共 " }, count(number)),
    nothing_found: "没有匹配的记录。请减少查询条件；刚发生的变更稍后才会显示。",
    newest: "最新",
    older_rows: "更早的记录",
    follow: "跟踪",
    follow_hint: "持续显示最新记录",
    following: "正在跟踪",
    follow_paused: "已暂停。移开指针和焦点并回到最新记录后继续。",
    export_csv: "导出 CSV",
    export_jsonl: "导出 JSON Lines",

    row_details: "记录详情",
    close_details: "关闭",
    kind: "类型",
    holder: "持有人",
    rows_of_order: "此订单的全部记录",
    recorded_at: "记录时间",
    place: "事件内序号",
    row_id: "记录编号",

    behind: "滞后",
    behind_by: |events, seconds| format!("{} 个事件，{seconds} 秒", count(events)),
    last_event: "最后入账的事件",
    dead_letters: |number| format!("{} 个事件无法入账", count(number)),
    dead_letters_hint: "请排除原因后重试，期间不会丢失任何内容。",
    tried: |times| format!("已尝试 {times} 次"),
    retried: |applied, still| format!("已入账 {applied} 个，{still} 个仍无法入账。"),
    missing_events: |number| {
        format!("账本丢失了 {} 个已入账的事件，而 Redis 也已不再保留。请恢复账本的数据库。", count(number))
    },
    long_stream: |length| {
        format!("事件流已超过上限，现有 {length} 个事件。不会丢弃任何事件，请检查是否有服务器在写入账本。")
    },
    not_in_redis: "此活动在账本中，但不在 Redis 中。如需恢复，请运行",
    suspended: "此活动已暂停。如需从账本恢复，请运行",
    writer: "账本写入进程：",
    no_writer: "没有服务器在写入账本。请启动一个；在此之前，事件保存在 Redis 中，不会丢失。",
    unreachable: "无法连接账本。活动照常进行，事件保存在 Redis 中。请检查数据库是否正在运行。",

    board_title: "审计",
    board_intro: "每个活动的不变量：Redis 内、账本内，以及两者之间。",
    board_empty: "还没有活动。创建后稍等片刻，就会显示在这里。",
    hold_of: |holding, all| format!("{} 个活动中 {} 个成立", count(all), count(holding)),
    all_kinds: "全部类型",
    all_verdicts: "全部判定",
    filter: "筛选",
    clear_filter: "清除筛选",
    bad_filter: "筛选条件无效，未应用：以下列出全部活动。",
    board_no_match: "没有匹配的活动。请修改或清除筛选。",
    audit_all: "全部审计",
    not_audited: "尚未审计",
};
