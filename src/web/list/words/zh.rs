//! Simplified Chinese.

use crate::{components::format::count, list::words::Words};

pub static ZH: Words = Words {
    title: "每一份，只发一次",
    intro: "每场活动都供不应求。每一份归谁，由 Redis 原子脚本决定。在这里实时观看，并亲自验证：每一份都没有重复发放。",
    sales: "活动",
    empty: "还没有活动。请用表单创建第一个。",
    no_limit: "不限量",
    lost: "Redis 中的活动已丢失，但账本仍有记录。要恢复，请运行",
    missing: "已丢失",
    missing_sales: |number| {
        format!("Redis 丢失了 {} 个活动，但账本中仍有记录。恢复之前无法参与。要全部恢复，请运行", count(number))
    },
    missing_others: |number| format!("以及另外 {} 个", count(number)),
    suspended_sales: |number| {
        format!("{} 个活动已暂停：Redis 丢失了其中部分数据，恢复之前无法参与。要全部恢复，请运行", count(number))
    },
    crowd_running: "模拟中",
    expires_at: "到期时间",
    left: "剩余",
    left_of: |left, all| format!("剩 {left} / {all}"),
    lag: |events| format!("账本滞后 {} 条事件", count(events)),

    filter: "筛选",
    filter_id: "活动编号前缀",
    filter_kind: "类型",
    filter_state: "状态",
    all_kinds: "全部类型",
    all_states: "全部（不含已归档）",
    clear_filter: "清除筛选",
    no_match: "没有匹配的活动。请修改或清除筛选。",
    archived_left_out: "结果不含已归档的活动。",
    search_archived: "搜索已归档的活动",
    bad_filter: "筛选条件无效，未应用：以下列出全部活动。",

    pages: "分页",
    newest: "最新",
    older: "更早的活动",

    open_title: "创建活动",
};
