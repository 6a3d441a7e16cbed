//! Simplified Chinese.

use super::Words;

pub static ZH: Words = Words {
    title: "每一份，只发一次",
    intro: "座位、红包、优惠券、库存：想要的人总比数量多。谁能得到，由 Redis 里的原子脚本决定。在这里实时观看，并亲自核对：没有一份发了两次。",
    sales: "活动",
    empty: "还没有活动。用表单开启第一个。",
    crowd_running: "模拟人群",
    left: "剩余",
    left_of: |left, all| format!("剩 {left} / {all}"),
    lag: |events| format!("账本落后 {events} 个事件"),

    filter: "筛选",
    filter_id: "活动 ID 开头",
    filter_kind: "种类",
    filter_state: "状态",
    all_kinds: "全部种类",
    all_states: "除已归档外全部",
    clear_filter: "清除筛选",
    no_match: "没有匹配的活动。请修改或清除筛选。",

    pages: "分页",
    newest: "最新",
    older: "更早",

    open_title: "创建活动",
};
