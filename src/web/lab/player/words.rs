//! The texts of stepping through a play.

use crate::lab::player::event::{Event, name_of};
use model::lab::Told;

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        /// The user with this digit.
        person: fn(char) -> String =
            |digit| match digit {
                '1' => "Ann".to_owned(),
                '2' => "Bob".to_owned(),
                '3' => "Cleo".to_owned(),
                '4' => "Dan".to_owned(),
                other => format!("User {other}"),
            },
            |digit| match digit {
                '1' => "小安".to_owned(),
                '2' => "小博".to_owned(),
                '3' => "小晨".to_owned(),
                '4' => "小丹".to_owned(),
                other => format!("用户 {other}"),
            };
        /// What a step does: its participant, and the event.
        event: fn(char, &Event) -> String = |letter, event| event_en(letter, event), |letter, event| event_zh(letter, event);
        /// The answer to an attempt.
        is_told: fn(char, Told) -> String =
            |letter, told| {
                let told = match told {
                    Told::Won => "it’s yours",
                    Told::Already => "you have one already",
                    Told::SoldOut => "sold out",
                    Told::Busy => "one moment, please",
                    Told::Cancelled => "cancelled",
                    Told::Expired => "too late to pay",
                };
                format!("{} is told: “{told}”.", name_of(letter))
            },
            |letter, told| {
                let told = match told {
                    Told::Won => "抢到了",
                    Told::Already => "你已有一份",
                    Told::SoldOut => "已售罄",
                    Told::Busy => "请稍候",
                    Told::Cancelled => "已取消",
                    Told::Expired => "付款已超时",
                };
                format!("{} 收到：“{told}”。", name_of(letter))
            };
        /// The time in which a lock expires, and that it does.
        passes: fn(u32, &str) -> String =
            |ms, what| format!("{ms} ms pass. {what}"),
            |ms, what| format!("{ms} 毫秒过去。{what}");
        /// How many have been told that they won, and how many there are.
        too_many: fn(usize, u32) -> String =
            |winners, stock| format!("{winners} were told so, and there {} {stock}.", if stock == 1 { "was" } else { "were" }),
            |winners, stock| format!("已有 {winners} 次答复“抢到了”，而总共只有 {stock} 份。");
        /// A user who has been told so before.
        for_the_second_time: fn(&str) -> String =
            |person| format!("It is the second for {person}."),
            |person| format!("这是{person}的第二份。");
        /// What is on the phone of somebody with this answer.
        phone: fn(Told) -> &'static str =
            |told| match told {
                Told::Won => "It’s yours!",
                Told::Already => "You have one already",
                Told::SoldOut => "Sold out",
                Told::Busy => "One moment, please",
                Told::Cancelled => "Cancelled",
                Told::Expired => "Too late to pay",
            },
            |told| match told {
                Told::Won => "抢到了！",
                Told::Already => "你已有一份",
                Told::SoldOut => "已售罄",
                Told::Busy => "请稍候",
                Told::Cancelled => "已取消",
                Told::Expired => "付款已超时",
            };
        phones = "What they were told", "各人收到的答复";
        no_answer = "Waiting …", "等待中……";
        /// A user who tries again.
        second_tab: fn(&str) -> String =
            |person| format!("{person}, another tab"),
            |person| format!("{person}，另一个标签页");
        worker = "Worker", "后台任务";
        code = "Code", "代码";
        /// The ways to see what attempts do.
        pseudo = "Steps", "步骤";
        redis = "Commands", "命令";
        rust = "Rust", "Rust";
        keys = "Data in Redis", "Redis 中的数据";
        database_keys = "Data in Redis and the database", "Redis 与数据库中的数据";
        /// The name of a record for people; others are shown as they are.
        record: fn(&str) -> Option<&'static str> =
            |name| Some(match name {
                "stock" | "lab_stock" | "pending" => "left",
                "got" | "winners" | "claimants" | "lab_claims" => "who has one",
                "consumed" => "given out",
                "lock" => "lock",
                "queue" => "queue",
                "orders" => "orders",
                _ => return None,
            }),
            |name| Some(match name {
                "stock" | "lab_stock" | "pending" => "剩余",
                "got" | "winners" | "claimants" | "lab_claims" => "得主",
                "consumed" => "已发出",
                "lock" => "锁",
                "queue" => "队列",
                "orders" => "订单",
                _ => return None,
            });
        nothing = "empty", "空";
        unlocked = "open", "未锁";
        locked_by: fn(char) -> String =
            |letter| format!("held by {}", name_of(letter)),
            |letter| format!("{} 持有", name_of(letter));
        items: fn(i64) -> String =
            |items| match items {
                1 => "1 ticket".to_owned(),
                several => format!("{several} tickets"),
            },
            |items| format!("{items} 张票");
        /// The button that lets a participant go on.
        move_of: fn(char) -> String =
            |letter| match letter {
                't' => "Time passes".to_owned(),
                'w' => "Worker".to_owned(),
                attempt => format!("{}’s next step", name_of(attempt)),
            },
            |letter| match letter {
                't' => "时间流逝".to_owned(),
                'w' => "后台任务".to_owned(),
                attempt => format!("{} 走一步", name_of(attempt)),
            };
        why_no_time = "Why can no time pass?", "为什么现在不能按 t？";
        /// Why no time can pass.
        no_time = "Here, time passes only while somebody is at a line that takes time.", "这里只有当有人停在耗时的那一行时，时间才会流逝。";
        waits = "waits", "等待中";
        done = "done", "已结束";
        who_goes = "Who goes next?", "下一步轮到谁？";
        back = "Back", "后退";
        forward = "Forward", "前进";
        play = "Play", "播放";
        pause = "Pause", "暂停";
        start_over = "Start over", "重新开始";
        scrubber = "Step", "步骤";
        /// The step, and of how many.
        step_of: fn(usize, usize) -> String =
            |step, of| format!("{step} / {of}"),
            |step, of| format!("{step} / {of}");
        /// Before the first step: the keys that do something.
        begin =
            "Choose who takes the next step. A step is one command; the lines around it run along with it.",
            "由你决定谁走下一步。一步就是一条命令，前后的几行随之执行。";
    }
}

fn event_en(letter: char, event: &Event) -> String {
    let who = if letter == 'w' { "The worker".to_owned() } else { name_of(letter).to_string() };
    match event {
        Event::Reads(left) => format!("{who} reads: {left} left."),
        Event::ReadsOwn { has_one: false } => format!("{who} finds that its user has none yet."),
        Event::ReadsOwn { has_one: true } => format!("{who} finds that its user has one."),
        Event::Writes(left) => format!("{who} writes: {left} left."),
        Event::Overwrites { left, was } => {
            format!("{who} writes {left} over {was}: what {who} had read is out of date, and {who} cannot know.")
        }
        Event::Takes(left) => format!("{who} takes one in a single step: {left} left."),
        Event::TakesTooMany(left) => format!("{who} takes one that is not there: {left}."),
        Event::PutsBack => format!("{who} puts one back."),
        Event::Records => format!("{who} writes its user down."),
        Event::IsRecorded => format!("{who} finds that its user is written down already."),
        Event::TakesLock => format!("{who} takes the lock."),
        Event::TakesServerLock => format!("{who} takes the lock of its server."),
        Event::FindsLock(Some(holder)) => format!("{who} finds the lock taken by {}, and waits.", name_of(*holder)),
        Event::FindsLock(None) => format!("{who} finds the lock taken, and waits."),
        Event::GivesUp => format!("{who} finds the lock taken, and gives up."),
        Event::Releases => format!("{who} releases its lock."),
        Event::ReleasesNothing => format!("{who} wants to release its lock, which it no longer has."),
        Event::DeletesLockOf(holder) => format!("{who} deletes the lock, but it is {}’s!", name_of(*holder)),
        Event::Expires(whose) => {
            format!("The lock of {} expires, and {0} does not notice.", name_of(*whose))
        }
        Event::TimePasses => "Time passes.".to_owned(),
        Event::Works => format!("{who} is done with its work."),
        Event::Watches => format!("{who} asks Redis to watch what it reads."),
        Event::WritesAll => format!("Nothing has changed since: Redis does all that {who} wants in one step."),
        Event::WritesNothing => format!("Something has changed since: Redis does nothing, and {who} starts again."),
        Event::OneStep => format!("{who} reads, decides and writes in a single step: nobody can come in between."),
        Event::Waits => format!("{who} has to wait."),
        Event::Queues => format!("{who} joins the queue."),
        Event::TakesNext => format!("{who} takes the next attempt from the queue."),
        Event::Answers => format!("{who} answers."),
        Event::Other(command) => format!("{who}: {command}"),
    }
}

fn event_zh(letter: char, event: &Event) -> String {
    let who = if letter == 'w' { "后台任务".to_owned() } else { format!("{} ", name_of(letter)) };
    match event {
        Event::Reads(left) => format!("{who}读到：还剩 {left}。"),
        Event::ReadsOwn { has_one: false } => format!("{who}确认自己还没有。"),
        Event::ReadsOwn { has_one: true } => format!("{who}发现自己已有一份。"),
        Event::Writes(left) => format!("{who}写入：还剩 {left}。"),
        Event::Overwrites { left, was } => {
            format!("{who}把 {was} 覆盖为 {left}：{who}先前读到的已经过时，而它无从知道。")
        }
        Event::Takes(left) => format!("{who}一步扣掉一份：还剩 {left}。"),
        Event::TakesTooMany(left) => format!("{who}扣掉了并不存在的一份：{left}。"),
        Event::PutsBack => format!("{who}退回一份。"),
        Event::Records => format!("{who}把用户记入得主。"),
        Event::IsRecorded => format!("{who}发现这位用户已经登记过。"),
        Event::TakesLock => format!("{who}拿到锁。"),
        Event::TakesServerLock => format!("{who}拿到自己那台服务器的锁。"),
        Event::FindsLock(Some(holder)) => format!("{who}发现锁在 {} 手里，只好等待。", name_of(*holder)),
        Event::FindsLock(None) => format!("{who}发现锁已被占用，只好等待。"),
        Event::GivesUp => format!("{who}发现锁已被占用，于是放弃。"),
        Event::Releases => format!("{who}释放自己的锁。"),
        Event::ReleasesNothing => format!("{who}要释放自己的锁，可锁早已不在它手里。"),
        Event::DeletesLockOf(holder) => format!("{who}删掉了锁，可那是 {} 的锁！", name_of(*holder)),
        Event::Expires(whose) => format!("{} 的锁过期了，而它毫不知情。", name_of(*whose)),
        Event::TimePasses => "时间流逝。".to_owned(),
        Event::Works => format!("{who}处理完了。"),
        Event::Watches => format!("{who}请 Redis 盯住它要读的数据。"),
        Event::WritesAll => format!("数据没有变化：Redis 一步完成{who}的全部写入。"),
        Event::WritesNothing => format!("数据已经变化：Redis 什么也不做，{who}从头再来。"),
        Event::OneStep => format!("{who}读取、判断、写入一步完成，谁也插不进来。"),
        Event::Waits => format!("{who}只好等待。"),
        Event::Queues => format!("{who}排进队列。"),
        Event::TakesNext => format!("{who}从队列取出下一个请求。"),
        Event::Answers => format!("{who}给出答复。"),
        Event::Other(command) => format!("{who}：{command}"),
    }
}
