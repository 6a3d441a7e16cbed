//! The texts of faults.

use crate::components::format::count;
use model::lab::faults::{Fault, Obstacle, Phase, What};

/// A fault: its name, what to expect, and what it does not do.
pub struct FaultWords {
    pub name: &'static str,
    /// What happens, and why nothing is lost.
    pub expect: &'static str,
}

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text.
    pub struct Words {
        title = "Faults", "故障演练";
        intro =
            "Rehearse an outage on this server: inject a fault, perhaps while a crowd is at a sale, and follow what is \
             noticed and how it heals. Every line of a timeline was observed.",
            "在这台服务器上演练故障：注入一个故障（也可以在模拟抢购进行时），观察系统发现了什么、又是如何恢复的。\
             时间线上的每一行都是实际观察到的。";
        /// Without `--faults`: why there are no buttons. The command follows.
        disabled =
            "This server was started without --faults, so nothing can be broken here. To rehearse an outage, start one \
             with:",
            "这台服务器启动时没有加 --faults，因此这里不能注入故障。要演练，请这样启动一台：";
        choose = "What to break", "选择故障";
        fault: fn(Fault) -> FaultWords =
            |fault| match fault {
                Fault::ScriptsFlushed => FaultWords {
                    name: "Forget the scripts",
                    expect: "Redis forgets our scripts (SCRIPT FLUSH). It refuses the next call of each with NOSCRIPT, \
                             before running anything, and the call is sent again with the source: nobody notices.",
                },
                Fault::StockExpired => FaultWords {
                    name: "Expire a quantity",
                    expect: "The cached quantity of a stock sale is gone. The next deduction loads it, by one server; \
                             nothing is lost, because a missing quantity is not zero, and the sum of all changes never \
                             expires.",
                },
                Fault::WriterStopped => FaultWords {
                    name: "Stop the ledger's writer",
                    expect: "Sales continue, and their events wait in Redis. Another server takes over if there is \
                             one. Nothing is lost, because a stream is trimmed only as far as the ledger has recorded \
                             it.",
                },
                Fault::WireSlow => FaultWords {
                    name: "Slow the wire down",
                    expect: "Whatever this server sends to Redis arrives late. Attempts take longer, and batches grow; \
                             nothing is lost, because calls are only delayed.",
                },
                Fault::WireCut => FaultWords {
                    name: "Cut the wire",
                    expect: "This server cannot reach Redis: attempts in flight become unknown, others fail at once. \
                             Nothing is lost, because the same request id gets the original answer afterwards.",
                },
                Fault::RedisKilled => FaultWords {
                    name: "Kill Redis",
                    expect: "SIGKILL, then a new process reads the append-only file. What was answered was in the file \
                             before, so it is there again; if something is missing, the ledger knows, and the sale is \
                             suspended before it gives anything away twice.",
                },
            },
            |fault| match fault {
                Fault::ScriptsFlushed => FaultWords {
                    name: "清空脚本",
                    expect: "Redis 忘掉我们的脚本（SCRIPT FLUSH）。每个脚本的下一次调用在执行前就被拒绝（NOSCRIPT），\
                             随即带上源码重发：用户毫无察觉。",
                },
                Fault::StockExpired => FaultWords {
                    name: "让库存缓存过期",
                    expect: "某个库存活动缓存的数量消失，下一次扣减由一台服务器重新加载。“没有缓存”不等于“卖完”，\
                             所有变动之和也从不过期，所以不会丢失任何数据。",
                },
                Fault::WriterStopped => FaultWords {
                    name: "停止账本写入",
                    expect: "活动照常进行，事件在 Redis 中等待；如有其他服务器，会由它接手。\
                             流只会裁剪账本已记录的部分，所以不会丢失任何数据。",
                },
                Fault::WireSlow => FaultWords {
                    name: "让网络变慢",
                    expect: "这台服务器发给 Redis 的一切都会晚到。请求变慢，批次变大；调用只是延迟，\
                             所以不会丢失任何数据。",
                },
                Fault::WireCut => FaultWords {
                    name: "切断网络",
                    expect: "这台服务器连不上 Redis：途中的请求结果未知，其余立即失败。\
                             之后用同一请求编号重试会得到原来的答复，所以不会丢失任何数据。",
                },
                Fault::RedisKilled => FaultWords {
                    name: "杀死 Redis",
                    expect: "发送 SIGKILL，随后新进程读取 AOF 文件。已答复的内容此前已写入文件，因此仍在；如有缺失，\
                             账本会知道，并在重复发放之前暂停该活动。",
                },
            };
        obstacle: fn(Obstacle) -> &'static str =
            |obstacle| match obstacle {
                Obstacle::Disabled => "The server was started without --faults.",
                Obstacle::ExternalRedis => "Not possible here: this server uses a Redis that is not its own (--redis).",
                Obstacle::Tls => "Not possible here: this server reaches Redis over TLS.",
            },
            |obstacle| match obstacle {
                Obstacle::Disabled => "服务器启动时没有加 --faults。",
                Obstacle::ExternalRedis => "此处不可用：这台服务器使用外部的 Redis（--redis）。",
                Obstacle::Tls => "此处不可用：这台服务器通过 TLS 连接 Redis。",
            };
        inject = "Inject", "注入";
        kill_question =
            "Kill Redis? All sales of this server wait until it is back, about a second.",
            "杀死 Redis？这台服务器的所有活动都要等它恢复，约一秒。";
        kill_yes = "Yes, kill it", "是，杀死";
        keep = "Keep it", "保留";
        /// With the seconds that it lasts.
        inject_for: fn(String) -> String =
            |seconds| format!("Inject for {seconds} s"),
            |seconds| format!("注入 {seconds} 秒");
        /// With the id of a sale.
        inject_at: fn(&str) -> String =
            |sale| format!("Inject at {sale}"),
            |sale| format!("注入到 {sale}");
        no_sale = "No stock sale is open.", "没有进行中的库存活动。";
        /// While it is not known which sales there are; they appear by themselves.
        sales_away =
            "The open stock sales could not be loaded. They appear here as soon as they are.",
            "暂时不知道有哪些进行中的库存活动；知道后会自动显示在这里。";
        end = "End it now", "立即结束";
        timeline = "Timeline", "时间线";
        no_incidents = "Nothing has been injected since this server started.", "这台服务器启动以来没有注入过故障。";
        phase: fn(Phase) -> &'static str =
            |phase| match phase {
                Phase::Active => "In progress",
                Phase::Healing => "Healing",
                Phase::Healed => "Healed",
                Phase::Unwatched => "No longer watched",
            },
            |phase| match phase {
                Phase::Active => "进行中",
                Phase::Healing => "恢复中",
                Phase::Healed => "已恢复",
                Phase::Unwatched => "不再观察",
            };
        /// A fault's name, and what is said of it.
        titled: fn(&str, &str) -> String =
            |name, text| format!("{name}: {text}"),
            |name, text| format!("{name}：{text}");
        /// What follows the phase, with the seconds from the fault's end to its healing.
        healed_after: fn(String) -> String =
            |seconds| format!(", {seconds} s after the fault ended"),
            |seconds| format!("（故障结束后 {seconds} 秒）");
        /// While it is being waited for something that a reader can do.
        waits_for: fn(Fault) -> Option<&'static str> =
            |fault| match fault {
                Fault::ScriptsFlushed => Some("Waiting for the next call of a script."),
                Fault::StockExpired => Some("Waiting for the next deduction: buy something, or let a crowd loose."),
                _ => None,
            },
            |fault| match fault {
                Fault::ScriptsFlushed => Some("等待下一次脚本调用。"),
                Fault::StockExpired => Some("等待下一次扣减：可以买一件，或开始模拟抢购。"),
                _ => None,
            };
        /// Seconds after the injection, as in `+1.2 s`.
        after: fn(String) -> String =
            |seconds| format!("+{seconds} s"),
            |seconds| format!("+{seconds} 秒");
        /// A line of a timeline, with its figure, if it has one, and its name, which may be empty.
        step: fn(What, Option<u64>, String) -> String =
            |what, number, name| {
                let figure = number.map(count).unwrap_or_default();
                match what {
                    What::ScriptsForgotten => {
                        format!("Redis flushed its scripts; {figure} are no longer cached.")
                    }
                    What::ScriptReloaded => {
                        format!("{name} was called, got NOSCRIPT, and sent its source in the same call.")
                    }
                    What::QuantityExpired if number.is_none() => "There was no cached quantity.".to_owned(),
                    What::QuantityExpired => format!("The cached quantity, {figure}, is gone."),
                    What::QuantityLoaded => format!("{name} loaded the quantity: {figure}."),
                    What::WriterStopped => "The writer of this server ended.".to_owned(),
                    What::EventsWait => format!("Events wait for the ledger: {figure}."),
                    What::WriterRuns => format!("{name} writes the ledger."),
                    What::CaughtUp if number == Some(0) => "The ledger has everything that happened.".to_owned(),
                    What::CaughtUp => {
                        let events = if number == Some(1) { "event" } else { "events" };
                        format!("The ledger has caught up; at most {figure} {events} waited.")
                    }
                    What::WireCut => "Every connection to Redis was closed.".to_owned(),
                    What::WireSlow => format!("What is sent to Redis arrives {figure} ms later."),
                    What::RoundTrip if number == Some(0) => "A round trip to Redis took under 1 ms.".to_owned(),
                    What::RoundTrip => format!("A round trip to Redis took {figure} ms."),
                    What::RedisKilled => format!("Redis process {name} was killed."),
                    What::Unanswered => "A call to Redis got no answer.".to_owned(),
                    What::Ended => "The fault ended.".to_owned(),
                    What::EndedEarly => "The fault was ended early.".to_owned(),
                    What::RedisStarted => format!("Redis is running again as process {name}."),
                    What::Answered => "Redis answers again.".to_owned(),
                    What::NothingLost => "Redis has everything that the ledger has.".to_owned(),
                    What::SalesSuspended => {
                        let sales = if number == Some(1) { "1 sale" } else { &format!("{figure} sales") };
                        let (are, them) = if number == Some(1) { ("is", "it") } else { ("are", "them") };
                        format!(
                            "{sales} lost data in Redis and {are} suspended. To recover {them}, run stampede recover \
                             --all."
                        )
                    }
                }
            },
            |what, number, name| {
                let figure = number.map(count).unwrap_or_default();
                match what {
                    What::ScriptsForgotten => format!("已清空 Redis 的脚本缓存，其中 {figure} 个不再缓存。"),
                    What::ScriptReloaded => format!("调用 {name} 时收到 NOSCRIPT，同一次调用发送了源码。"),
                    What::QuantityExpired if number.is_none() => "此前没有缓存的数量。".to_owned(),
                    What::QuantityExpired => format!("缓存的数量 {figure} 已消失。"),
                    What::QuantityLoaded => format!("{name} 加载了数量：{figure}。"),
                    What::WriterStopped => "这台服务器的账本写入已停止。".to_owned(),
                    What::EventsWait => format!("等待写入账本的事件：{figure}。"),
                    What::WriterRuns => format!("{name} 正在写入账本。"),
                    What::CaughtUp if number == Some(0) => "所有事件均已写入账本。".to_owned(),
                    What::CaughtUp => format!("账本已追上；最多有 {figure} 条事件在等待。"),
                    What::WireCut => "到 Redis 的所有连接已断开。".to_owned(),
                    What::WireSlow => format!("发给 Redis 的内容晚 {figure} 毫秒到达。"),
                    What::RoundTrip if number == Some(0) => "到 Redis 的一次往返用了不到 1 毫秒。".to_owned(),
                    What::RoundTrip => format!("到 Redis 的一次往返用了 {figure} 毫秒。"),
                    What::RedisKilled => format!("Redis 进程 {name} 已被杀死。"),
                    What::Unanswered => "对 Redis 的一次调用没有响应。".to_owned(),
                    What::Ended => "故障结束。".to_owned(),
                    What::EndedEarly => "故障被提前结束。".to_owned(),
                    What::RedisStarted => format!("Redis 重新运行，进程 {name}。"),
                    What::Answered => "Redis 恢复响应。".to_owned(),
                    What::NothingLost => "账本中的事件，Redis 中都有。".to_owned(),
                    What::SalesSuspended => {
                        format!(
                            "{figure} 个活动在 Redis 中丢失了部分数据，已暂停。要恢复，请运行 stampede recover --all。"
                        )
                    }
                }
            };
        /// Leads here from the lab.
        link = "Rehearse an outage", "故障演练";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_trip_never_takes_no_time() {
        let took = |words: &Words, ms: u64| (words.step)(What::RoundTrip, Some(ms), String::new());
        assert_eq!(took(&Words::EN, 0), "A round trip to Redis took under 1 ms.");
        assert_eq!(took(&Words::EN, 12), "A round trip to Redis took 12 ms.");
        assert!(took(&Words::ZH, 0).contains("不到 1 毫秒"));
    }
}
