//! Simplified Chinese.

use super::Words;

pub static ZH: Words = Words {
    title: "每一份，只发一次",
    intro: "想要的人总比数量多。谁能得到由 Redis 中的原子脚本决定：可以实时观看，也可以审计，确认没有一份发出两次。",
    sales: "活动",
    empty: "还没有活动。请填写表单，创建第一个。",
    crowd_running: "模拟人群运行中",
};
