//! The texts of the lab.

use crate::{
    components::format::{count, counted},
    i18n::FieldWords,
    lab::write,
};
use model::lab::{Anomaly, MOST_SESSIONS, program::PREFIX, registry::StrategyInfo, run::Phase, trace::Form};

/// The name of the strategy or the mistake with this id; that of a program does not say which.
pub fn strategy_name(id: &str) -> String {
    if id.starts_with(PREFIX) {
        return write::words::words().own.to_owned();
    }
    let Words { strategies, mistakes, .. } = words();
    let name = strategies.iter().chain(*mistakes).find(|(known, _)| *known == id);
    name.map_or_else(|| id.to_owned(), |(_, name)| (*name).to_owned())
}

/// Where a strategy or a mistake comes from. The registry says it in English.
pub fn strategy_source(strategy: &StrategyInfo) -> String {
    let text = words().sources.iter().find(|(id, _)| *id == strategy.name).map(|(_, text)| (*text).to_owned());
    text.unwrap_or_else(|| strategy.source.clone())
}

/// What limits a ✓ of a strategy, if anything does.
pub fn strategy_note(id: &str) -> Option<&'static str> {
    words().notes.iter().find(|(known, _)| *known == id).map(|(_, note)| *note)
}

/// The settings of a run, as formatted text.
pub struct SettingFigures {
    pub users: u64,
    pub stock: u64,
    pub concurrency: String,
    /// `10 %`
    pub repeat_rate: String,
    pub delay_ms: u32,
    pub seed: u64,
}

/// A preset: its name, and a hint.
pub struct PresetWords {
    pub name: &'static str,
    pub hint: &'static str,
}

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
    pub struct Words {
        title = "Lab", "实验室";
        /// The strategies, and those of them in which an anomaly happens.
        intro: fn(usize, usize) -> String =
            |all, failing| {
                format!(
                    "{all} ways to keep two buyers from getting the same item. {failing} of them fail. Let the same \
                     crowd at the same stock, on the same real Redis and database, and find out why."
                )
            },
            |all, failing| {
                format!(
                    "{all} 种防超卖的做法，其中 {failing} 种会出错。让同样的用户抢同样的库存，\
                     都跑在同一个真实的 Redis 和数据库上，看看原因。"
                )
            };
        /// The names of the strategies by their ids.
        strategies: &'static [(&'static str, &'static str)] =
            &[
                ("read-check-write", "Read, check, write"),
                ("pipeline", "Pipeline"),
                ("lock-in-process", "Lock in the process, one server"),
                ("lock-in-process-two-servers", "Lock in the process, two servers"),
                ("decr-incr", "DECR first, INCR back"),
                ("watch-multi-exec", "WATCH, MULTI, EXEC"),
                ("setnx-lock", "SETNX lock"),
                ("setnx-lock-no-owner-check", "SETNX lock, no owner check"),
                ("setnx-lock-short-lifetime", "SETNX lock, lifetime too short"),
                ("user-lock", "Lock per user, double check"),
                ("user-lock-guard-unread", "Lock per user, −2 guard ignored"),
                ("user-lock-guard", "Lock per user, −2 guard checked"),
                ("select-for-update", "SELECT … FOR UPDATE"),
                ("conditional-update", "UPDATE … WHERE remaining > 0"),
                ("queue", "Queue with one worker"),
                ("script", "One script per attempt"),
                ("batched-script", "Batched script (Stampede)"),
            ],
            &[
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
            ];
        /// Those of the mistakes.
        mistakes: &'static [(&'static str, &'static str)] =
            &[
                ("cancel-replayed", "Cancellation replayed"),
                ("pay-against-expire", "Payment against expiry"),
                ("rebuild-against-deduction", "Cache rebuilt during a deduction"),
                ("deduct-before-dedupe", "Deduction before the duplicate check"),
            ],
            &[
                ("cancel-replayed", "取消被重放"),
                ("pay-against-expire", "支付与过期相争"),
                ("rebuild-against-deduction", "重建缓存与扣减相争"),
                ("deduct-before-dedupe", "先扣减，后去重"),
            ];
        /// Where they come from, by their ids; none in the language of the registry.
        sources: &'static [(&'static str, &'static str)] =
            &[],
            &[
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
            ];
        /// What limits a ✓ of some of them, by their ids.
        notes: &'static [(&'static str, &'static str)] =
            &[
                ("setnx-lock", "as long as no holder stalls longer than its lifetime"),
                ("user-lock", "✓ as long as nobody stalls longer than a lock lasts"),
                ("user-lock-guard-unread", "✓ as long as nobody stalls longer than a lock lasts"),
            ],
            &[
                ("setnx-lock", "前提是没有持有者停顿得比锁的有效期更久"),
                ("user-lock", "✓ 的前提是没有人停顿得比锁的有效期更久"),
                ("user-lock-guard-unread", "✓ 的前提是没有人停顿得比锁的有效期更久"),
            ];
        /// Which articles the sources name.
        articles =
            "Five Chinese articles on selling with Redis and Lua: 0 tickets in one script, 1 red packets with a lock \
             for each user, 2 coupons with limits, 3 red packets in queues, 4 coupons with cached stock.",
            "五篇关于 Redis 与 Lua 抢购的中文文章：0 用一个脚本抢票，1 每个用户一把锁的红包，2 带限额的优惠券，\
             3 用队列的红包，4 缓存库存的优惠券。";
        strategy = "Strategy", "策略";
        anomaly: fn(Anomaly) -> &'static str =
            |anomaly| match anomaly {
                Anomaly::Oversold => "Oversold",
                Anomaly::Doubled => "Doubled",
                Anomaly::Lost => "Lost",
                Anomaly::Undersold => "Undersold",
                Anomaly::Drained => "Drained",
            },
            |anomaly| match anomaly {
                Anomaly::Oversold => "超卖",
                Anomaly::Doubled => "重复发放",
                Anomaly::Lost => "丢失",
                Anomaly::Undersold => "少卖",
                Anomaly::Drained => "库存流失",
            };
        /// What a strategy without the anomaly can be relied on for: the heading above ✓ and ✗.
        without: fn(Anomaly) -> &'static str =
            |anomaly| match anomaly {
                Anomaly::Oversold => "Never oversells",
                Anomaly::Doubled => "Never gives twice",
                Anomaly::Lost => "Never loses a win",
                Anomaly::Undersold => "Never undersells",
                Anomaly::Drained => "Never drains stock",
            },
            |anomaly| match anomaly {
                Anomaly::Oversold => "从不超卖",
                Anomaly::Doubled => "从不重复发放",
                Anomaly::Lost => "从不丢失",
                Anomaly::Undersold => "从不少卖",
                Anomaly::Drained => "从不流失库存",
            };
        /// What an anomaly is, in a sentence.
        anomaly_is: fn(Anomaly) -> &'static str =
            |anomaly| match anomaly {
                Anomaly::Oversold => "More was given out than there was.",
                Anomaly::Doubled => "A user got more than one.",
                Anomaly::Lost => "A user was told they won, but no record has it.",
                Anomaly::Undersold => "A user was sent away, but not all was given out.",
                Anomaly::Drained => "An item is gone, but nobody got it.",
            },
            |anomaly| match anomaly {
                Anomaly::Oversold => "发出的多于库存。",
                Anomaly::Doubled => "有用户得到了不止一份。",
                Anomaly::Lost => "用户被告知已得到，但没有任何记录。",
                Anomaly::Undersold => "用户被拒绝，库存却没有发完。",
                Anomaly::Drained => "有一份已被扣掉，却没有人得到。",
            };

        // The matrix.
        matrix = "What can go wrong", "会出什么错";
        matrix_intro =
            "We tried every order in which two or three attempts can take turns on a real Redis (SQL on SQLite). ✗: it \
             happened; follow the link to watch it. ✓: it never did; the link shows an order in which it could have.",
            "我们在真实的 Redis（SQL 用 SQLite）上试遍了两三次请求所有可能的先后顺序。✗：发生过，点开可逐步观看；\
             ✓：从未发生，点开是一个本可能出错的顺序。";
        /// Where the strategies come from, and what has found their anomalies.
        matrix_sources = "Sources", "出处与依据";
        /// How many scenes, and the attempts of the largest.
        bound: fn(usize, usize) -> String =
            |scenes, attempts| {
                let scenes = counted(scenes as u64, "scene", "scenes");
                format!("{scenes} of up to {}", counted(attempts as u64, "attempt", "attempts"))
            },
            |scenes, attempts| format!("{scenes} 种场景，最多 {attempts} 次请求");
        /// What a screen reader announces for a cell.
        never = "never, in any order: see one", "任何顺序都不会发生：查看其一";
        happens = "happens: step through it", "会发生：逐步查看";
        step_through = "Step through", "逐步查看";

        // The form.
        run_title = "Run the strategies", "运行各策略";
        run_intro =
            "They are run in turn with the same crowd. The default takes less than a minute on two cores.",
            "各策略依次面对同一批用户。默认设置在两核上不到一分钟。";
        presets = "Kind of run", "运行方式";
        default: PresetWords {
            name = "Default", "默认";
            hint = "2,000 users, 100 items", "2,000 名用户，100 份";
        };
        article: PresetWords {
            name = "The article's table", "文章中的表格";
            hint = "10,000 users, 100 packets", "10,000 名用户，100 个红包";
        };
        slow_network: PresetWords {
            name = "Slow network", "慢速网络";
            hint = "200 users, 5 ms more per round trip", "200 名用户，每次往返多 5 毫秒";
        };
        ramp_preset: PresetWords {
            name = "From 1 to 512 at a time", "并发从 1 到 512";
            hint = "600 users, ten stops: when does what break?", "600 名用户，十档：什么时候会出错？";
        };
        ramp =
            "Run at 1, 2, 4 … 512 at a time, in place of the concurrency (at least 512 users)",
            "依次以 1、2、4……512 并发运行，代替上面的并发数（至少 512 名用户）";
        /// A strategy, and how many users wait at a time.
        at_a_time: fn(&str, u32) -> String =
            |name, number| format!("{name}, {number} at a time"),
            |name, number| format!("{name}，并发 {number}");
        advanced = "Advanced settings", "高级设置";
        stock: FieldWords {
            label = "Stock", "库存";
            hint = "1 to 10,000", "1 至 10,000";
            error = "Enter a whole number from 1 to 10,000.", "请填写 1 至 10,000 的整数。";
        };
        users: FieldWords {
            label = "Users", "用户数";
            hint = "1 to 100,000", "1 至 100,000";
            error =
                "Enter a whole number from 1 to 100,000; at least 512 where 1 to 512 come at a time.",
                "请填写 1 至 100,000 的整数；并发从 1 到 512 时至少 512。";
        };
        concurrency: FieldWords {
            label = "Concurrency", "并发数";
            hint = "Attempts in flight, 1 to 512", "同时进行的请求，1 至 512";
            error = "Enter a whole number from 1 to 512.", "请填写 1 至 512 的整数。";
        };
        repeat_rate: FieldWords {
            label = "Repeat rate (%)", "重复率（%）";
            hint = "Share of users who try twice", "连试两次的用户所占比例";
            error = "Enter a percentage from 0 to 100.", "请填写 0 至 100 的百分比。";
        };
        delay_ms: FieldWords {
            label = "Network delay (ms)", "网络延迟（毫秒）";
            hint = "Added to each round trip, 0 to 50", "每次往返额外增加，0 至 50";
            error = "Enter a whole number from 0 to 50.", "请填写 0 至 50 的整数。";
        };
        seed: FieldWords {
            label = "Seed", "随机种子";
            hint = "The same seed repeats the crowd", "相同种子得到相同的用户顺序";
            error =
                "Enter a whole number from 0 to 18,446,744,073,709,551,615.",
                "请填写 0 至 18,446,744,073,709,551,615 的整数。";
        };
        chosen = "Strategies to run", "要运行的策略";
        choose_one = "Choose at least one strategy.", "请至少选择一种策略。";
        start = "Run", "运行";
        stop = "Stop", "停止";

        // A run.
        phase: fn(Phase) -> &'static str =
            |phase| match phase {
                Phase::Running => "Running",
                Phase::Done => "Done",
                Phase::Stopped => "Stopped",
                Phase::Failed => "Failed",
                Phase::Lost => "Interrupted",
            },
            |phase| match phase {
                Phase::Running => "运行中",
                Phase::Done => "已完成",
                Phase::Stopped => "已停止",
                Phase::Failed => "失败",
                Phase::Lost => "已中断",
            };
        settings: fn(SettingFigures) -> String =
            |SettingFigures { users, stock, concurrency, repeat_rate, delay_ms, seed }| {
                format!(
                    "{} for {}, {concurrency} at a time, {repeat_rate} try twice, {delay_ms} ms delay, seed {seed}",
                    counted(users, "user", "users"),
                    counted(stock, "item", "items")
                )
            },
            |SettingFigures { users, stock, concurrency, repeat_rate, delay_ms, seed }| {
                format!(
                    "{users} 名用户，{stock} 份库存，并发 {concurrency}，{repeat_rate} 连试两次，延迟 {delay_ms} 毫秒，\
                     种子 {seed}"
                )
            };
        progress = "Progress of the strategy", "当前策略的进度";
        /// Place, number of strategies, name.
        at_strategy: fn(u32, u32, String) -> String =
            |nth, of, name| format!("{nth} of {of}: {name}"),
            |nth, of, name| format!("第 {nth} 个，共 {of} 个：{name}");
        /// Attempts answered, and of how many.
        answered: fn(u64, u64) -> String =
            |answered, of| format!("{} of {}", count(answered), counted(of, "attempt", "attempts")),
            |answered, of| format!("已答复 {}，共 {} 次请求", count(answered), count(of));
        results = "Results", "结果";
        results_intro = "Choose a column to sort by it.", "点击列名可排序。";
        /// What latencies and commands count.
        how_measured: fn() -> String =
            || format!(
                "Latency is measured from when a worker takes the attempt: the next one comes when the last is answered. \
                 Where there is a database, its users share at most {MOST_SESSIONS} connections, and wait for one. A retry \
                 is a transaction that starts again, because somebody else has written."
            ),
            || format!(
                "延迟从请求开始执行时算起：上一个得到答复后，才执行下一个。使用数据库的策略最多共用 {MOST_SESSIONS} 个连接，\
                 用完时需要等待。重试指因他人已经写入而从头再来的事务。"
            );
        per_s = "Attempts/s", "请求/秒";
        p50_ms = "p50 (ms)", "p50（毫秒）";
        p99_ms = "p99 (ms)", "p99（毫秒）";
        round_trips = "Round trips per attempt", "每次请求的往返";
        commands = "Commands per attempt", "每次请求的命令";
        given = "Given out", "发出";
        retries: fn(u64) -> String =
            |retries| counted(retries, "retry", "retries"),
            |retries| format!("重试 {} 次", count(retries));
        lowest_stock: fn(String) -> String =
            |lowest| format!("stock seen at {lowest}"),
            |lowest| format!("读到的库存低至 {lowest}");
        cut_short: fn(u64) -> String =
            |seconds| format!("cut short after {seconds} s"),
            |seconds| format!("{seconds} 秒后截止");
        /// In place of the verdict of a strategy that held and was cut short.
        holds_so_far = "Holds so far", "目前通过";
        /// Shown where a verdict differs from the expected one.
        unexpected = "not as expected", "与预期不符";
        /// Why the batched script is slower than one script per attempt on a slow network.
        batches_wait =
            "The batched script is slower here than one script per attempt because at most two of its batches are in \
             flight at a time: an attempt waits until one is back before it makes a round trip itself. Batching saves \
             calls, not waiting time.",
            "批量脚本在这里比每次请求一个脚本慢，因为最多只有两批同时在途：请求要先等其中一批返回，然后才能发出，\
             再等一次往返。批量节省的是调用次数，而不是等待时间。";
        chart_per_s = "Attempts/s, on a logarithmic scale", "请求/秒（对数刻度）";
        chart_p99 = "99th percentile latency, on a logarithmic scale", "第 99 百分位延迟（对数刻度）";
        /// How many strategies went wrong, of how many.
        went_wrong: fn(usize, usize) -> String =
            |wrong, all| match wrong {
                0 => format!("None of the {all} went wrong."),
                wrong => format!("{wrong} of {all} went wrong."),
            },
            |wrong, all| match wrong {
                0 => format!("{all} 种策略都没有出错。"),
                wrong => format!("{all} 种策略中有 {wrong} 种出错。"),
            };
        /// The fastest of those that are right, how many times as fast it is, and the slowest.
        times_as_fast: fn(String, String, String) -> String =
            |fastest, times, slowest| format!("Of those that are right, “{fastest}” is {times} times as fast as “{slowest}”."),
            |fastest, times, slowest| format!("在正确的策略中，“{fastest}”的速度是“{slowest}”的 {times} 倍。");
        /// What stands between two sentences.
        between_sentences = " ", "";
        broken = "Broken", "出错";
        right_but_slow = "Right, but slow", "正确但慢";
        right_and_fast = "Right and fast", "正确且快";
        export = "Export", "导出";
        not_found =
            "There is no such run, or it is no longer kept. The form shows the settings from its link.",
            "没有此次运行，或已不再保留；链接中的设置已填入表单。";

        // The history.
        history = "Earlier runs", "以往的运行";
        no_history = "No runs are kept yet.", "还没有保留的运行。";
        started = "Started", "开始时间";
        settings_title = "Settings", "设置";
        /// How many held, of how many.
        held = "Held", "通过";
        held_of: fn(usize, usize) -> String =
            |held, of| format!("{held} of {of}"),
            |held, of| format!("{held} / {of}");
        show = "Show", "查看";
        /// Two runs over time.
        curves_of = "Curves of", "显示曲线";
        all_strategies = "All strategies", "全部策略";
        /// A strategy, and which run.
        in_run: fn(&str, &str) -> String =
            |name, run| format!("{name}, {}", run.to_lowercase()),
            |name, run| format!("{name}，{run}");

        // Stepping through.
        step_title = "Step through", "逐步查看";
        back_to_lab = "Back to the lab", "返回实验室";
        to_lesson = "The lesson", "课程";
        who = "Attempts", "请求";
        /// What the digits of the users mean: attempts, and whether they are one user's.
        scene: fn(&str) -> String =
            |users| {
                let attempts = users.chars().count();
                let first = users.chars().next();
                if users.chars().all(|user| Some(user) == first) {
                    return format!("{attempts} attempts of one user");
                }
                let is_different =
                    users.chars().enumerate().all(|(at, user)| !users.chars().take(at).any(|one| one == user));
                if is_different {
                    format!("{attempts} attempts of {attempts} users")
                } else {
                    format!("{attempts} attempts of users {}", listed(users, ", "))
                }
            },
            |users| {
                let attempts = users.chars().count();
                let first = users.chars().next();
                if users.chars().all(|user| Some(user) == first) {
                    return format!("同一用户的 {attempts} 次请求");
                }
                let is_different =
                    users.chars().enumerate().all(|(at, user)| !users.chars().take(at).any(|one| one == user));
                if is_different {
                    format!("{attempts} 名用户的 {attempts} 次请求")
                } else {
                    format!("{attempts} 次请求，依次来自用户 {}", listed(users, "、"))
                }
            };
        choose = "Show", "显示";
        form: fn(Form) -> &'static str =
            |form| match form {
                Form::Command => "command",
                Form::Pipeline => "pipeline",
                Form::Transaction => "transaction",
                Form::Script => "script",
                Form::Sql => "SQL",
                Form::Lock => "lock in memory",
                Form::Work => "work",
                Form::Time => "time",
            },
            |form| match form {
                Form::Command => "命令",
                Form::Pipeline => "管道",
                Form::Transaction => "事务",
                Form::Script => "脚本",
                Form::Sql => "SQL",
                Form::Lock => "内存中的锁",
                Form::Work => "工作",
                Form::Time => "时间",
            };
        verdict_holds = "Nothing went wrong in this order.", "按这个顺序没有出错。";
        /// While attempts have steps left.
        no_verdict = "The verdict is shown once every attempt has its answer.", "所有请求都得到答复后给出判定。";
        /// What is said of work that is done, and of a lock in memory that is taken.
        worked = "done", "完成";
        locked = "locked", "已锁定";
        /// What something is, and its text.
        titled: fn(&str, &str) -> String =
            |what, text| format!("{what}: {text}"),
            |what, text| format!("{what}：{text}");
        /// The cause follows, as the server tells it.
        bad_play = "This play cannot be shown.", "无法显示此过程。";
    }
}

/// `1, 2, 2`, with what stands between two.
fn listed(users: &str, between: &str) -> String {
    users.chars().map(String::from).collect::<Vec<_>>().join(between)
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use lab::{
        mistakes::MISTAKES,
        strategies::{STRATEGIES, Strategy},
    };

    #[test]
    fn every_strategy_and_mistake_has_a_name_in_each_language() {
        let ids = |all: &'static [Strategy]| all.iter().map(|one| one.id);
        for words in [&Words::EN, &Words::ZH] {
            assert!(ids(&STRATEGIES).eq(words.strategies.iter().map(|(id, _)| *id)));
            assert!(ids(&MISTAKES).eq(words.mistakes.iter().map(|(id, _)| *id)));
        }
        let all = ids(&STRATEGIES).chain(ids(&MISTAKES));
        assert!(all.eq(Words::ZH.sources.iter().map(|(id, _)| *id)), "the registry has the English sources");
    }
}
