//! The texts of the page for one's own program.

use crate::components::format::{count, counted};
use model::lab::program::{MOST_CHARACTERS, MOST_LINES, MOST_MS, MOST_NUMBER, Problem};

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        title = "Write your own", "自己写一个";
        intro =
            "Write what an attempt does. Then every order in which the attempts can take their steps is tried on a real \
             Redis.",
            "写下一次请求要做的事。然后在真实的 Redis 上试遍这些请求所有可能的先后顺序。";
        /// The name of a program among the strategies.
        own = "Your own", "自己写的";
        edit = "Change the program", "修改程序";
        program = "The program of each attempt", "每次请求的程序";
        examples = "Start from", "从示例开始";
        read_check_write = "Read, check, write", "读取、检查、写入";
        lifetime = "A lock that expires", "会过期的锁";
        lock = "A lock", "锁";
        decr_incr = "Take first, put back", "先扣后退";
        watch = "Watch, then all at once", "先监视，再一起写";
        script = "One script", "一个脚本";
        /// Where another text has taken the place of a typed one.
        replaced = "What you had typed was replaced.", "你写的内容已被替换。";
        bring_back = "Bring it back", "恢复";
        line: fn(u32) -> String =
            |line| format!("Line {line}"),
            |line| format!("第 {line} 行");
        attempts = "Attempts", "请求";
        stock = "Stock", "库存";
        try_all = "Try every order", "试遍所有顺序";
        trying = "Trying every order on Redis …", "正在 Redis 上试遍所有顺序……";
        /// Orders that break it, all orders, and the steps of the shortest.
        breaks: fn(u64, u64, usize) -> String =
            |broken, total, steps| {
                if steps == 0 {
                    return "It breaks without a single step.".to_owned();
                }
                let verb = if broken == 1 { "breaks" } else { "break" };
                format!("{} of {} orders {verb} it: the shortest has {steps} steps.", count(broken), count(total))
            },
            |broken, total, steps| {
                if steps == 0 {
                    return "一步不走就已出错。".to_owned();
                }
                format!("{} 种顺序中有 {} 种会出错，最短的有 {steps} 步。", count(total), count(broken))
            };
        /// The same where not all were tried.
        breaks_at_least: fn(u64, usize) -> String =
            |broken, steps| {
                format!(
                    "At least {} orders break it: the shortest found has {steps} steps. There are too many to try all.",
                    count(broken)
                )
            },
            |broken, steps| {
                format!("至少有 {} 种顺序会出错，已找到的最短的有 {steps} 步。顺序太多，没有全部试完。", count(broken))
            };
        holds: fn(u64) -> String =
            |total| match total {
                1 => "The only order does not break it. That holds for these attempts and this stock.".to_owned(),
                total => {
                    format!("None of {} orders breaks it. That holds for these attempts and this stock.", count(total))
                }
            },
            |total| format!("{} 种顺序中没有一种会出错。这只适用于这些请求和这个库存。", count(total));
        holds_so_far: fn(u64) -> String =
            |total| {
                format!(
                    "None of the {} orders that were tried breaks it, but there are too many to try all: choose fewer \
                     attempts, or write fewer steps.",
                    count(total)
                )
            },
            |total| {
                format!("试过的 {} 种顺序都没有出错，但顺序太多，没有全部试完：请减少请求或步骤。", count(total))
            };
        /// An anomaly, and the number of orders that show it.
        in_orders: fn(u64) -> String =
            |orders| format!("in {}", counted(orders, "order", "orders")),
            |orders| format!("{} 种顺序", count(orders));
        watch_it = "Step through the shortest", "逐步查看最短的";
        step_freely = "Step through it", "逐步查看";
        every_order = "Every order", "所有顺序";
        share = "Link to this program", "此程序的链接";
        crowd = "Let a crowd loose on it", "让一大批用户来试";
        how = "The steps", "可用的步骤";
        how_much: fn() -> String =
            || format!("At most {MOST_LINES} lines of {MOST_CHARACTERS} characters. A name is up to 12 small letters."),
            || format!("最多 {MOST_LINES} 行，每行 {MOST_CHARACTERS} 个字符。名称最多 12 个小写字母。");
        /// The steps, each with what it does.
        steps: &'static [(&'static str, &'static str)] =
            &[
                ("left = read stock", "reads how many are left"),
                ("mine = read got", "reads how many the own user has"),
                ("write stock left - 1", "writes a number, or a name plus or minus one"),
                ("decr stock", "takes one, in one step; left = decr stock keeps the reply"),
                ("incr got", "adds one, in one step"),
                ("if left < 1: say sold out", "one step under a condition; also <= = != >= >, and not mine"),
                ("if mine {", "several lines under a condition, up to }"),
                ("lock", "takes the lock of the sale, or waits for it"),
                ("lock 2ms", "the same, but it expires while somebody is at work"),
                ("unlock", "releases the own lock; unlock unchecked deletes it, whoever has it"),
                ("work 5ms", "works outside Redis, while time can pass"),
                ("watch stock got", "notes when a key is written"),
                ("exec {", "changes up to }, in one step; starts from the top if something watched was written"),
                ("script {", "everything up to }, in one step"),
                ("say yours", "the answer, and the end; also sold out, already yours, busy"),
            ],
            &[
                ("left = read stock", "读取剩余数量"),
                ("mine = read got", "读取自己已有的数量"),
                ("write stock left - 1", "写入一个数，或名称加减一个数"),
                ("decr stock", "一步减一；left = decr stock 会记下返回值"),
                ("incr got", "一步加一"),
                ("if left < 1: say sold out", "条件成立时执行一步；也可用 <= = != >= > 和 not mine"),
                ("if mine {", "条件成立时执行多行，直到 }"),
                ("lock", "取得活动的锁，取不到就等待"),
                ("lock 2ms", "同上，但有人在工作时锁会过期"),
                ("unlock", "释放自己的锁；unlock unchecked 不管是谁的都删掉"),
                ("work 5ms", "在 Redis 之外工作，其间时间会流逝"),
                ("watch stock got", "留意键是否被写过"),
                ("exec {", "到 } 为止的修改一步完成；若监视的键被写过，就从头再来"),
                ("script {", "到 } 为止的全部内容一步完成"),
                ("say yours", "给出答复并结束；也可用 sold out、already yours、busy"),
            ];
        /// What is wrong with a line. The model says it in English.
        problem: fn(&Problem) -> String =
            |problem| problem.to_string(),
            |problem| match problem {
                Problem::Character(sign) => format!("步骤中没有字符“{sign}”。"),
                Problem::Key(key) => format!("没有键 {key}；只有 stock 和 got。"),
                Problem::Name(name) => format!("{name} 不能作名称：最多 12 个小写字母，且不是步骤中的词。"),
                Problem::Unset(name) => format!("{name} 还没有值：前面没有一行读取它。"),
                Problem::TooManyLines => format!("程序最多 {MOST_LINES} 行。"),
                Problem::TooLong => format!("一行最多 {MOST_CHARACTERS} 个字符。"),
                Problem::Number => format!("数字最大为 {MOST_NUMBER}。"),
                Problem::Milliseconds => format!("时间为 1ms 至 {MOST_MS}ms。"),
                Problem::Capital => "只用小写字母：步骤中没有大写字母。".to_owned(),
                Problem::Comment => "程序里没有注释：请删去。".to_owned(),
                Problem::Empty => "请至少写一步。".to_owned(),
                Problem::Unknown => "没有这样的步骤。".to_owned(),
                Problem::Answer => "答复只能是 yours、sold out、already yours 或 busy。".to_owned(),
                Problem::Condition => "条件的写法如 left < 1、mine 或 not mine，后面跟 : 或 {。".to_owned(),
                Problem::Value => "值是一个数或名称，还可以加减一个数。".to_owned(),
                Problem::NotClosed => "这一块没有 }。".to_owned(),
                Problem::NotOpen => "这个 } 没有对应的块。".to_owned(),
                Problem::EmptyBlock => "这一块里什么也没有。".to_owned(),
                Problem::InExec => "exec 里只能有 write、incr 和 decr，且不取返回值。".to_owned(),
                Problem::InScript => "脚本只能读、写、比较和答复：其余的不在 Redis 里。".to_owned(),
                Problem::Unreachable => "永远不会执行到这里：上一行已经结束。".to_owned(),
                Problem::NoAnswer => "可能没有答复就结束：最后请写一行，如 say yours。".to_owned(),
                Problem::AnswerWhileLocked => "答复时还拿着锁：请先 unlock。".to_owned(),
                Problem::LockedTwice => "已经拿着锁，会自己等自己。".to_owned(),
                Problem::NotLocked => "这里没有拿着锁。".to_owned(),
                Problem::MaybeLocked => "这一块之后，锁时有时无：请在同一块里取得并释放。".to_owned(),
                Problem::ExecWhileLocked => "exec 可能从头再来，又去取锁：请先 unlock。".to_owned(),
                Problem::OwnChange => "它修改了自己监视的键，exec 永远不会执行。".to_owned(),
            };
    }
}
