//! Simplified Chinese.

use crate::{
    components::format::count,
    i18n::FieldWords,
    lab::words::{GalleryWords, PresetWords, SettingFigures, Words},
};
use model::lab::{Anomaly, Told, run::Phase, trace::Form};

pub static ZH: Words = Words {
    title: "实验室",
    intro: "并排对比各种让请求排队的做法：同一批由种子决定的用户、同样的库存，每种策略都跑在同一个真实的 Redis 和数据库上。",
    strategies: &[
        ("read-check-write", "读取、检查、写入"),
        ("pipeline", "管道"),
        ("lock-in-process", "进程内锁，一台服务器"),
        ("lock-in-process-two-servers", "进程内锁，两台服务器"),
        ("decr-incr", "先 DECR，再 INCR 退回"),
        ("watch-multi-exec", "WATCH、MULTI、EXEC"),
        ("setnx-lock", "SETNX 锁"),
        ("setnx-lock-no-owner-check", "SETNX 锁，不校验持有者"),
        ("setnx-lock-short-lifetime", "SETNX 锁，有效期过短"),
        ("user-lock", "用户级锁加双重检查"),
        ("user-lock-guard-unread", "用户级锁，忽略 −2 保护"),
        ("user-lock-guard", "用户级锁，检查 −2 保护"),
        ("select-for-update", "SELECT … FOR UPDATE"),
        ("conditional-update", "UPDATE … WHERE remaining > 0"),
        ("queue", "队列加单个消费者"),
        ("script", "每次请求一个脚本"),
        ("batched-script", "批量脚本（Stampede）"),
    ],
    mistakes: &[
        ("cancel-replayed", "取消被重放"),
        ("pay-against-expire", "支付与过期相争"),
        ("rebuild-against-deduction", "重建缓存与扣减相争"),
        ("deduct-before-dedupe", "先扣减，后去重"),
    ],
    sources: &[
        ("read-check-write", "文章 2，“问题的根源”"),
        ("pipeline", "文章 2，管道与 Lua"),
        ("lock-in-process", "文章 2，内存锁，一台服务器"),
        ("lock-in-process-two-servers", "文章 2，内存锁，两台服务器"),
        ("decr-incr", "常见做法"),
        ("watch-multi-exec", "常见做法"),
        ("setnx-lock", "文章 2 和 4，活动级锁，按文章 1 释放"),
        ("setnx-lock-no-owner-check", "文章 2，用 DEL 释放，但有效期短于应答"),
        ("setnx-lock-short-lifetime", "文章 2，有效期过短"),
        ("user-lock", "文章 1，原样"),
        ("user-lock-guard-unread", "文章 1，带保护，原样"),
        ("user-lock-guard", "文章 1，带保护并读返回值"),
        ("select-for-update", "文章 2，SELECT … FOR UPDATE"),
        ("conditional-update", "文章 2，UPDATE … WHERE"),
        ("queue", "文章 1，纯队列"),
        ("script", "文章 0、2 和 3"),
        ("batched-script", "Stampede"),
        ("cancel-replayed", "常见错误：同一库存退回两次"),
        ("pay-against-expire", "常见错误：超时之后支付"),
        ("rebuild-against-deduction", "文章 4，去掉它的锁"),
        ("deduct-before-dedupe", "常见错误：双击耗尽库存"),
    ],
    notes: &[
        ("setnx-lock", "前提是没有持有者停顿得比锁的有效期更久"),
        ("user-lock", "✓ 的前提是没有人停顿得比锁的有效期更久"),
        ("user-lock-guard-unread", "✓ 的前提是没有人停顿得比锁的有效期更久"),
    ],
    articles: "五篇关于 Redis 与 Lua 抢购的中文文章：0 用一个脚本抢票，1 每个用户一把锁的红包，2 带限额的优惠券，\
               3 用队列的红包，4 缓存库存的优惠券。",
    strategy: "策略",
    anomaly: |anomaly| match anomaly {
        Anomaly::Oversold => "超卖",
        Anomaly::Doubled => "重复发放",
        Anomaly::Lost => "丢失",
        Anomaly::Drained => "库存流失",
    },
    anomaly_is: |anomaly| match anomaly {
        Anomaly::Oversold => "发出的多于库存。",
        Anomaly::Doubled => "有用户得到了不止一份。",
        Anomaly::Lost => "用户被告知已得到，但没有任何记录。",
        Anomaly::Drained => "有一份已被扣掉，却没有人得到。",
    },

    matrix: "会出什么错",
    matrix_intro: "结论来自在真实 Redis 上穷举两次或三次请求的所有交错顺序；三种问题都会发生的策略，找到每一种为止。SQL 在 SQLite 上重放。\
                   每个 ✗ 都链接到可逐步重现的过程，每个 ✓ 链接到一个本可能出错却没有出错的过程。",
    comes_from: "出处",
    established_by: "依据",
    bound: |scenes, attempts| format!("{scenes} 种场景，最多 {attempts} 次请求"),
    never: "任何顺序都不会发生：查看其一",
    happens: "会发生：逐步查看",
    step_through: "逐步查看",

    run_title: "运行各策略",
    run_intro: "各策略依次面对同一批用户。默认设置在两核上不到一分钟。",
    presets: "运行方式",
    default: PresetWords { name: "默认", hint: "2,000 名用户，100 份" },
    article: PresetWords { name: "文章中的表格", hint: "10,000 名用户，100 个红包" },
    slow_network: PresetWords { name: "慢速网络", hint: "200 名用户，每次往返多 5 毫秒" },
    advanced: "高级设置",
    stock: FieldWords { label: "库存", hint: "1 至 10,000", error: "请填写 1 至 10,000 的整数。" },
    users: FieldWords { label: "用户数", hint: "1 至 100,000", error: "请填写 1 至 100,000 的整数。" },
    concurrency: FieldWords {
        label: "并发数", hint: "同时进行的请求，1 至 80", error: "请填写 1 至 80 的整数。"
    },
    repeat_rate: FieldWords {
        label: "重复率（%）",
        hint: "连试两次的用户所占比例",
        error: "请填写 0 至 100 的百分比。",
    },
    delay_ms: FieldWords {
        label: "网络延迟（毫秒）",
        hint: "每次往返额外增加，0 至 50",
        error: "请填写 0 至 50 的整数。",
    },
    seed: FieldWords {
        label: "随机种子",
        hint: "相同种子得到相同的用户顺序",
        error: "请填写 0 至 18,446,744,073,709,551,615 的整数。",
    },
    chosen: "要运行的策略",
    choose_one: "请至少选择一种策略。",
    start: "运行",
    stop: "停止",

    phase: |phase| match phase {
        Phase::Running => "运行中",
        Phase::Done => "已完成",
        Phase::Stopped => "已停止",
        Phase::Failed => "失败",
        Phase::Lost => "已中断",
    },
    settings: |SettingFigures { users, stock, concurrency, repeat_rate, delay_ms, seed }| {
        format!(
            "{users} 名用户，{stock} 份库存，并发 {concurrency}，{repeat_rate} 连试两次，延迟 {delay_ms} 毫秒，种子 {seed}"
        )
    },
    progress: "当前策略的进度",
    at_strategy: |nth, of, name| format!("第 {nth} 个，共 {of} 个：{name}"),
    answered: |answered, of| format!("已答复 {}，共 {} 次请求", count(answered), count(of)),
    results: "结果",
    results_intro: "点击列名可排序。",
    how_measured: "延迟从请求开始执行时算起：上一个得到答复后，才执行下一个。一个脚本算一条命令。",
    per_s: "请求/秒",
    p50_ms: "p50（毫秒）",
    p99_ms: "p99（毫秒）",
    round_trips: "每次请求的往返",
    commands: "每次请求的命令",
    given: "发出",
    unsold: |unsold| format!("剩 {unsold} 份未发出"),
    retries: |retries| format!("重试 {} 次", count(retries)),
    lowest_stock: |lowest| format!("读到的库存低至 {lowest}"),
    cut_short: "20 秒后截止",
    holds_so_far: "截止前成立",
    unexpected: "与预期不符",
    batches_wait: "批量脚本在这里比每次请求一个脚本慢，因为最多只有两批同时在途：请求要先等其中一批返回，然后才能发出，再等一次往返。\
                   批量节省的是调用次数，而不是等待时间。",
    chart_per_s: "请求/秒",
    chart_p99: "第 99 百分位延迟",
    export: "导出",
    not_found: "没有此次运行，或已不再保留；链接中的设置已填入表单。",
    not_understood: |what| format!("地址中有无法识别的内容，已忽略：{what}"),

    history: "以往的运行",
    no_history: "还没有保留的运行。",
    history_away: "无法连接账本，因此看不到以往的运行。新的运行不受影响。",
    started: "开始时间",
    settings_title: "设置",
    held: "成立",
    held_of: |held, of| format!("{held} / {of}"),
    show: "查看",
    show_all: "显示全部",
    compare: "对比",
    compare_hint: "选择两次运行进行对比。",
    compared: "两次运行对比",
    first: "第一次：",
    second: "第二次：",
    change: "请求/秒的变化",
    not_compared: "其中一次运行不存在，或已不再保留。",
    end_comparison: "结束对比",

    step_title: "逐步查看",
    step_intro: "每次请求在每个调用之前停下，由你决定下一步轮到谁，并看到各自读到和写入了什么。它运行在真实的 Redis 上，使用独立的键。",
    who: "请求",
    scene: |users| {
        let attempts = users.chars().count();
        let first = users.chars().next();
        if users.chars().all(|user| Some(user) == first) {
            return format!("同一用户的 {attempts} 次请求");
        }
        let is_different = users.chars().enumerate().all(|(at, user)| !users.chars().take(at).any(|one| one == user));
        if is_different {
            format!("{attempts} 名用户的 {attempts} 次请求")
        } else {
            format!("{attempts} 次请求，依次来自用户 {}", listed(users))
        }
    },
    choose: "显示",
    gallery: "典型的执行顺序",
    oversell: GalleryWords { name: "超卖", hint: "两者都在对方写入之前读到了最后一份。" },
    double_claim: GalleryWords {
        name: "两个标签页重复发放", hint: "一名用户，两次请求，得到两份。"
    },
    two_servers: GalleryWords {
        name: "两台服务器，两把锁", hint: "内存中的锁不知道另一台服务器的锁。"
    },
    not_the_owner: GalleryWords { name: "锁被别人释放", hint: "迟到者删掉了下一个人的锁。" },
    outlived: GalleryWords { name: "操作未完，锁已过期", hint: "两个请求同时进入临界区。" },
    cancel_replayed: GalleryWords { name: "取消被重放", hint: "请求重发，一份退回成了两份。" },
    pay_against_expire: GalleryWords { name: "支付与过期相争", hint: "订单已付款，又卖给了别人。" },
    rebuild_against_deduction: GalleryWords {
        name: "扣减期间重建缓存", hint: "旧的数量覆盖了刚才的扣减。"
    },
    deduct_before_dedupe: GalleryWords {
        name: "先扣减，后去重", hint: "一次双击扣掉一份，却没有人得到。"
    },
    unread: GalleryWords { name: "未检查的返回值", hint: "脚本已拒绝，用户却被告知已得到。" },
    one_step: GalleryWords {
        name: "一个脚本，一步完成", hint: "中间插不进任何操作，因此不会出错。"
    },
    next: "下一步轮到谁？",
    goes_next: |letter| match letter {
        'w' => "轮到消费者".to_owned(),
        't' => "时间流逝：持有中的锁到期".to_owned(),
        number => format!("轮到请求 {number}"),
    },
    participant: |letter| match letter {
        'w' => "消费者".to_owned(),
        't' => "时间".to_owned(),
        number => format!("请求 {number}"),
    },
    user: |user| format!("user-{user}"),
    waits: "等待中",
    undo: "撤销",
    start_over: "重新开始",
    source: "源代码",
    about_to: |letter| format!("下一步：{letter}"),
    just_did: |letter| format!("已执行：{letter}"),
    steps: "步骤",
    step: "步",
    keys: "此后的键",
    before: "开始前",
    no_steps: "尚未执行任何步骤。",
    reply: "返回",
    form: |form| match form {
        Form::Command => "命令",
        Form::Pipeline => "管道",
        Form::Transaction => "事务",
        Form::Script => "脚本",
        Form::Sql => "SQL",
        Form::Lock => "内存中的锁",
        Form::Work => "工作",
        Form::Time => "时间",
    },
    told: |told| match told {
        Told::Won => "答复：已得到",
        Told::Already => "答复：已经有一份",
        Told::SoldOut => "答复：已售罄",
        Told::Busy => "答复：请稍候",
        Told::Cancelled => "答复：已取消",
        Told::Expired => "答复：已过期",
    },
    verdict_holds: "按这个顺序没有出错。",
    no_verdict: "所有请求都得到答复后给出判定。",
    worked: "完成",
    locked: "已锁定",
    titled: |what, text| format!("{what}：{text}"),
    bad_play: "无法显示此过程。",
    back_to_lab: "返回实验室",
};

/// `1、2、2`
fn listed(users: &str) -> String {
    users.chars().map(String::from).collect::<Vec<_>>().join("、")
}
