//! Simplified Chinese.

use super::Words;

pub static ZH: Words = Words {
    title: "人人想要，各得其一",
    intro: "抢红包的人总比红包多。谁能抢到，由 Redis 里的原子脚本决定；在这里实时观看，并亲自核对：没有一个红包发了两次。",
    sales: "红包列表",
    empty: "还没有红包。填好表单，发出第一个吧。",
    crowd_running: "正在抢",
};
