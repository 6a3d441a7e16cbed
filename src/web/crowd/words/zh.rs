//! Simplified Chinese.

use crate::{
    components::format::count,
    crowd::words::{ConfigFigures, Marks, Pace, Presets, Runs, Words},
    i18n::FieldWords,
};
use model::crowd::{ArrivalKind, Phase};

pub static ZH: Words = Words {
    title: "模拟人群",
    intro: "模拟用户的请求与真实用户走同一路径：同样的服务器，同样的脚本。",

    preset: "人群类型",
    presets: Presets {
        ramp: "逐渐涌入",
        ramp_hint: "15 秒内越来越快。",
        burst: "同时涌入",
        burst_hint: "所有用户在同一时刻点击。",
        double: "重复点击",
        double_hint: "同时涌入，且每人点击两次。",
    },

    advanced: "全部设置",
    users: FieldWords { label: "用户数", hint: "1 至 1,000,000", error: "请填写 1 至 1,000,000 的整数。" },
    concurrency: FieldWords {
        label: "并发数",
        hint: "同时进行的请求，1 至 10,000",
        error: "请填写 1 至 10,000 的整数。",
    },
    repeat_rate: FieldWords {
        label: "重复率（%）",
        hint: "点击两次的用户所占比例",
        error: "请填写 0 至 100 的百分比。",
    },
    arrival: "到达方式",
    arrival_name: |kind| match kind {
        ArrivalKind::Burst => "同时",
        ArrivalKind::Ramp => "递增",
        ArrivalKind::Constant => "匀速",
    },
    arrival_hint: |kind| match kind {
        ArrivalKind::Burst => "所有人同时到达，仅受并发数限制。",
        ArrivalKind::Ramp => "人数逐渐增加，然后保持不变。",
        ArrivalKind::Constant => "每秒人数相同。",
    },
    per_s: FieldWords {
        label: "每秒人数", hint: "1 至 1,000,000", error: "请填写 1 至 1,000,000 的整数。"
    },
    over_s: FieldWords {
        label: "递增时长（秒）", hint: "1 至 3,600", error: "请填写 1 至 3,600 的整数。"
    },
    in_vain: "现在没有剩余，可复制活动重新开始。",
    let_loose: "开始模拟抢购",
    no_run: "还没有模拟过。选择一个预设并开始后，请求、延迟和判定会显示在这里。",
    again: "再来一次",
    wrong_setting: "未能开始：“人群”标签页中有一项设置无效。",
    stop: "停止",

    phase: |phase| match phase {
        Phase::Running => "运行中",
        Phase::Verifying => "校验中",
        Phase::Done => "已完成",
        Phase::Stopped => "已停止",
        Phase::Lost => "已中断：所在服务器已停止",
    },
    no_crowd: "尚未模拟",
    progress: "模拟进度",
    done_of: |done, all| format!("{} / {} 次请求", count(done), count(all)),
    done_of_about: |done, all| format!("{} / 约 {} 次请求", count(done), count(all)),
    time_taken: |time| format!("用时 {time}"),
    waits_for_redis: "等待 Redis 恢复",
    waits_for_server: "等待服务器恢复",
    run_config: |ConfigFigures { users, concurrency, arrival, repeat_rate, seed }| {
        format!("{} 人，并发 {concurrency}，{arrival}，重复率 {repeat_rate}，种子 {seed}", count(users))
    },
    unknown: "未知",
    unanswered: "未收到响应的原因",
    now_per_s: "当前请求/秒",
    mean_per_s: "平均请求/秒",
    slowest: "最慢",
    chart_rate: "每秒请求数",
    chart_latency: "延迟",

    oversold: "超卖",
    doubled: "重复发放",
    lost: "丢失",
    unexpected: "来源不明",
    audit_broken: "本次模拟本身没有问题，但审计发现不变量不成立：请查看“审计”。",
    cents_expected: "应有总额",
    cents_found: "实有总额",

    marks: Marks {
        sold_out: "已售罄",
        redis_down: "Redis 中断",
        redis_back: "Redis 恢复",
        changed: |per_s| format!("负载改为每秒 {} 人", count(per_s)),
    },
    pace: Pace {
        per_s: FieldWords {
            label: "此后每秒用户数", hint: "1 至 1,000,000", error: "请填写 1 至 1,000,000 的整数。"
        },
        change: "改变负载",
    },
    runs: Runs {
        title: "模拟记录",
        empty: "还没有模拟记录。点击“开始模拟抢购”，模拟结束后，数据与判定会保存在这里。",
        none: "没有模拟记录。",
        kept: |most| format!("保留最近 {most} 次。"),
        started: "开始时间",
        crowd: "人群",
        users: |users| format!("{} 人", count(users)),
        throughput: "请求/秒",
        no_verdict: "无判定",
        older: "更早的记录",
        report: "报告",
        compare: "对比",
        chosen: "已选",
        choose_another: "再选一次模拟进行对比。",

        comparison: "两次模拟对比",
        first: "第一次",
        second: "第二次",
        change: "变化",
        end_comparison: "结束对比",
        not_kept: "链接中的某次模拟已不再保留。",

        settings: "设置",
        figures: "数据",
        answers: "结果",
        ended: "结束方式",
        answered: "已完成请求数",
        duration: "用时",

        report_title: |sale| format!("{sale} 的模拟报告"),
        run: "模拟",
        course: "过程",
        no_audit: "没有审计结果。",
    },
};
