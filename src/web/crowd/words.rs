//! The texts of the crowd panel.

use crate::{
    components::format::{count, counted},
    i18n::{FieldWords, FigureWords},
};
use model::crowd::{ArrivalKind, Phase};

/// The settings of a run, as formatted text.
pub struct ConfigFigures {
    pub users: u64,
    pub concurrency: String,
    pub arrival: &'static str,
    /// `20 %`
    pub repeat_rate: String,
    pub seed: u64,
}

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
    pub struct Words {
        title = "Crowd", "模拟抢购";
        intro =
            "Simulated users. Their attempts take the same path through server and scripts as yours.",
            "模拟用户的请求与真实用户走同一路径：同样的服务器，同样的脚本。";

        // The presets.
        preset = "Kind of crowd", "模拟方式";
        presets: Presets = Presets::EN, Presets::ZH;

        // The form.
        advanced = "All settings", "全部设置";
        users: FieldWords {
            label = "Users", "用户数";
            hint = "1 to 1,000,000", "1 至 1,000,000";
            error = "Enter a whole number from 1 to 1,000,000.", "请填写 1 至 1,000,000 的整数。";
        };
        concurrency: FieldWords {
            label = "Concurrency", "并发数";
            hint = "Attempts in flight, 1 to 10,000", "同时进行的请求，1 至 10,000";
            error = "Enter a whole number from 1 to 10,000.", "请填写 1 至 10,000 的整数。";
        };
        repeat_rate: FieldWords {
            label = "Repeat rate (%)", "重复率（%）";
            hint = "Share of users who click twice", "点击两次的用户所占比例";
            error = "Enter a percentage from 0 to 100.", "请填写 0 至 100 的百分比。";
        };
        arrival = "Arrival", "到达方式";
        arrival_name: fn(ArrivalKind) -> &'static str =
            |kind| match kind {
                ArrivalKind::Burst => "Burst",
                ArrivalKind::Ramp => "Ramp",
                ArrivalKind::Constant => "Constant",
            },
            |kind| match kind {
                ArrivalKind::Burst => "同时",
                ArrivalKind::Ramp => "递增",
                ArrivalKind::Constant => "匀速",
            };
        arrival_hint: fn(ArrivalKind) -> &'static str =
            |kind| match kind {
                ArrivalKind::Burst => "All at once, limited only by concurrency.",
                ArrivalKind::Ramp => "Increasing, then steady.",
                ArrivalKind::Constant => "The same number every second.",
            },
            |kind| match kind {
                ArrivalKind::Burst => "所有人同时到达，仅受并发数限制。",
                ArrivalKind::Ramp => "人数逐渐增加，然后保持不变。",
                ArrivalKind::Constant => "每秒人数相同。",
            };
        per_s: FieldWords {
            label = "Users per second", "每秒人数";
            hint = "1 to 1,000,000", "1 至 1,000,000";
            error = "Enter a whole number from 1 to 1,000,000.", "请填写 1 至 1,000,000 的整数。";
        };
        over_s: FieldWords {
            label = "Ramp duration (s)", "递增时长（秒）";
            hint = "1 to 3,600", "1 至 3,600";
            error = "Enter a whole number from 1 to 3,600.", "请填写 1 至 3,600 的整数。";
        };
        /// Where nothing is left for a crowd.
        in_vain =
            "Nothing is left here. The next crowd gets a fresh sale on the same terms.",
            "这里已没有剩余：再次模拟会按同样的规则新建一个活动。";
        let_loose = "Let a crowd loose", "开始模拟抢购";
        let_loose_fresh = "Crowd on a fresh sale", "在新活动中模拟";
        /// In place of the figures, before the first run.
        no_run =
            "No crowd yet. Choose a preset and start one: its attempts, their latency and the verdict \
             appear here.",
            "还没有模拟过。选择一个预设并开始后，请求、延迟和判定会显示在这里。";
        again = "Again", "再来一次";
        again_hint =
            "The same crowd once more, on a fresh sale if nothing is left here",
            "同样的模拟再来一次；如果没有剩余，则在新活动中进行";
        /// Beside the button above the stage, where the setting may be out of sight.
        wrong_setting =
            "No crowd was started: a setting in the Crowd tab is not valid.",
            "未能开始：“模拟抢购”标签页中有一项设置无效。";
        stop = "Stop", "停止";

        // The rush at a glance.
        rush = "Who gets one, and who does not", "谁抢到，谁没抢到";
        /// Followed by the number of users.
        arrived = "Users arrived", "已到用户";
        /// Followed by the number of attempts.
        wins = "Wins", "成功请求";
        refusals = "Refusals", "被拒请求";

        // The progress of the run.
        phase: fn(Phase) -> &'static str =
            |phase| match phase {
                Phase::Running => "Running",
                Phase::Verifying => "Verifying",
                Phase::Done => "Done",
                Phase::Stopped => "Stopped",
                Phase::Lost => "Interrupted: its server stopped",
            },
            |phase| match phase {
                Phase::Running => "运行中",
                Phase::Verifying => "校验中",
                Phase::Done => "已完成",
                Phase::Stopped => "已停止",
                Phase::Lost => "已中断：所在服务器已停止",
            };
        /// In the place of the phase, before the first run.
        no_crowd = "No crowd yet", "尚未模拟";
        progress = "Crowd progress", "模拟进度";
        done_of: fn(u64, u64) -> String =
            |done, all| format!("{} of {}", count(done), attempts(all)),
            |done, all| format!("{} / {} 次请求", count(done), count(all));
        /// While the second figure is an estimate.
        done_of_about: fn(u64, u64) -> String =
            |done, all| format!("{} of about {}", count(done), attempts(all)),
            |done, all| format!("{} / 约 {} 次请求", count(done), count(all));
        time_taken: fn(String) -> String =
            |time| format!("took {time}"),
            |time| format!("用时 {time}");
        /// In the place of the phase, while Redis or the server is out of reach.
        waits_for_redis = "Waiting for Redis", "等待 Redis 恢复";
        waits_for_server = "Waiting for the server", "等待服务器恢复";
        run_config: fn(ConfigFigures) -> String =
            |ConfigFigures { users, concurrency, arrival, repeat_rate, seed }| {
                format!("{}, {concurrency} at once, {arrival}, {repeat_rate} repeat, seed {seed}", self::users(users))
            },
            |ConfigFigures { users, concurrency, arrival, repeat_rate, seed }| {
                format!("{} 人，并发 {concurrency}，{arrival}，重复率 {repeat_rate}，种子 {seed}", count(users))
            };
        /// Attempts without an answer that may have been carried out.
        unknown: FigureWords {
            label = "Unknown", "未知";
            meaning =
                "Attempts without an answer that may have been carried out.",
                "没有收到响应、但可能已执行的请求。";
        };
        /// Attempts without an answer of which nothing was carried out.
        not_tried: FigureWords {
            label = "Not tried", "未执行";
            meaning =
                "Attempts without an answer of which nothing was carried out.",
                "没有收到响应、也没有执行的请求。";
        };
        /// Both of them.
        no_answer: FigureWords {
            label = "No answer", "无响应";
            meaning =
                "Attempts without an answer, whether they were carried out or not.",
                "没有收到响应的请求，无论是否已执行。";
        };
        without_answer: fn(unanswered: u64, all: u64, unknown: u64) -> String =
            |unanswered, all, unknown| {
                let (without, not_tried) = (count(unanswered), count(unanswered - unknown));
                format!(
                    "{without} of {} got no answer: {} may have been carried out, {not_tried} not.",
                    attempts(all),
                    count(unknown),
                )
            },
            |unanswered, all, unknown| {
                let (without, not_tried) = (count(unanswered), count(unanswered - unknown));
                format!(
                    "{} 次请求中有 {without} 次没有响应：{} 次可能已执行，{not_tried} 次未执行。",
                    count(all),
                    count(unknown),
                )
            };
        /// Reasons with their counts; none if there are none.
        unanswered = "No answer, by reason", "未收到响应的原因";
        /// Of a run whose server stopped.
        interrupted: fn(unrecorded: u64, all: u64) -> String =
            |unrecorded, all| {
                format!(
                    "The server of this crowd stopped: of {} of {} no answer is recorded. The audit says what the sale holds.",
                    count(unrecorded),
                    attempts(all),
                )
            },
            |unrecorded, all| {
                format!(
                    "模拟所在的服务器已停止：{} 次请求中有 {} 次没有结果记录。活动的数据以审计为准。",
                    count(all),
                    count(unrecorded),
                )
            };
        now_per_s = "Current attempts/s", "当前请求/秒";
        mean_per_s = "Average attempts/s", "平均请求/秒";
        slowest = "Slowest", "最慢";
        /// Over how many milliseconds the attempts are counted.
        chart_rate: fn(u64) -> String =
            |ms| match ms {
                1_000 => "Attempts per second".to_owned(),
                _ => format!("Attempts per {ms} ms"),
            },
            |ms| match ms {
                1_000 => "每秒请求数".to_owned(),
                _ => format!("每 {ms} 毫秒请求数"),
            };
        chart_latency = "Latency", "延迟";

        // The results of the verification.
        oversold: FigureWords {
            label = "Oversold", "超卖";
            meaning = "Given out beyond what there was.", "发放数量超过总数的部分。";
        };
        doubled: FigureWords {
            label = "Doubled", "重复发放";
            meaning = "Given to two users, or twice to one.", "发给了两个用户，或同一用户得到两次。";
        };
        lost: FigureWords {
            label = "Lost", "丢失";
            meaning = "Users were told that they have it, but it is not stored.", "已告知用户成功，但没有存储。";
        };
        unexpected: FigureWords {
            label = "Unexpected", "来源不明";
            meaning = "Stored, but no user was told.", "已存储，但没有用户被告知。";
        };
        before_start: FigureWords {
            label = "Before the start", "开售前";
            meaning =
                "Given out before the sale had opened, by the times in the ledger.",
                "按账本记录的时间，在开售之前发放的数量。";
        };
        /// Beside a verdict that holds.
        holds =
            "Whoever was told of a win has exactly that, and nobody has anything else.",
            "每个被告知成功的用户都拿到了对应的一份，也没有多出任何一份。";
        how_known = "How do we know?", "依据是什么？";
        /// Where the verdict is that of the audit alone.
        audit_broken =
            "The run itself was clean, but the audit found a broken invariant: see the Audit tab.",
            "本次模拟本身没有问题，但审计发现不变量未通过：请查看“审计”。";
        cents_expected: FigureWords {
            label = "Total expected", "应有总额";
            meaning = "The money that the sale must account for.", "活动应当对上的金额。";
        };
        cents_found: FigureWords {
            label = "Total found", "实有总额";
            meaning = "The money that is stored.", "实际存储的金额。";
        };

        marks: Marks = Marks::EN, Marks::ZH;
        pace: Pace = Pace::EN, Pace::ZH;
        runs: Runs = Runs::EN, Runs::ZH;
    }

    /// The names of the presets of every kind of sale, and what each shows.
    pub struct Presets {
        ramp = "Gentle ramp", "逐渐涌入";
        ramp_hint = "Faster and faster for 10 seconds.", "10 秒内逐渐加速。";
        burst = "Everyone at once", "同时涌入";
        burst_hint = "All users click at the same moment.", "所有用户在同一时刻点击。";
        double = "Double clickers", "重复点击";
        double_hint = "All at once, and everyone clicks twice.", "同时涌入，且每人点击两次。";
        sharp = "Ten o'clock sharp", "准点开抢";
        sharp_hint =
            "A fresh sale opens in 12 seconds. Users come before that and keep clicking until they get an answer.",
            "新活动将在 12 秒后开售。用户提前到场，不停点击，直到有结果。";
    }

    /// What happened during a run.
    pub struct Marks {
        sold_out = "sold out", "已售罄";
        redis_down = "Redis down", "Redis 中断";
        redis_back = "Redis back", "Redis 恢复";
        /// Users a second from then on.
        changed: fn(u64) -> String =
            |per_s| format!("load changed to {} a second", users(per_s)),
            |per_s| format!("负载改为每秒 {} 人", count(per_s));
    }

    /// Changing the load of a run.
    pub struct Pace {
        per_s: FieldWords {
            label = "Arrivals a second", "每秒到达人数";
            hint = "1 to 1,000,000", "1 至 1,000,000";
            error = "Enter a whole number from 1 to 1,000,000.", "请填写 1 至 1,000,000 的整数。";
        };
        change = "Apply", "应用";
    }

    /// The history of runs, and the report of one.
    pub struct Runs {
        title = "Runs", "模拟记录";
        empty =
            "No runs yet. Press \"Let a crowd loose\": when it ends, its figures and its verdict are kept here.",
            "还没有模拟记录。点击“开始模拟抢购”，模拟结束后，数据与判定会保存在这里。";
        /// The same where no crowd can be started any more.
        none = "No crowd has run here.", "没有模拟记录。";
        started = "Started", "开始时间";
        crowd = "Crowd", "模拟抢购";
        users: fn(u64) -> String = users, |users| format!("{} 人", count(users));
        throughput = "Attempts/s", "请求/秒";
        /// A run that was lost with its server.
        no_verdict = "No verdict", "无判定";
        report = "Report", "报告";
        replay = "Replay", "回放";

        // The lines of a run.
        settings = "Settings", "设置";
        figures = "Figures", "数据";
        answers = "Answers", "结果";
        ended = "Status", "结束方式";
        left_at_start = "Left at the start", "开始时剩余";
        answered = "Finished", "已完成请求数";
        duration = "Duration", "用时";

        // The report.
        report_title: fn(sale: &str) -> String =
            |sale| format!("Crowd run at {sale}"),
            |sale| format!("{sale} 的模拟报告");
        run = "Run", "模拟";
        course = "Over time", "过程";
        no_audit = "There was no audit.", "没有审计结果。";
    }
}

/// `1 user`, `1,000 users`
fn users(number: u64) -> String {
    counted(number, "user", "users")
}

/// `1 attempt`, `1,000 attempts`
fn attempts(number: u64) -> String {
    counted(number, "attempt", "attempts")
}
