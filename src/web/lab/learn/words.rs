//! The texts of the lesson.

use crate::components::format::count;
use model::lab::Anomaly;

/// The texts of a level.
pub struct LevelWords {
    /// A few words.
    pub title: &'static str,
    /// What happens here, and what is to be done.
    pub task: &'static str,
    /// A question that is asked before the first step, with the answer to each reply; empty if there is none.
    pub question: &'static str,
    /// What follows on *yes*, and on *no*.
    pub yes: &'static str,
    pub no: &'static str,
    /// After a try without success, and after the next one.
    pub hint: &'static str,
    pub last_hint: &'static str,
    /// What there is to learn, in two sentences.
    pub lesson: &'static str,
    /// For whoever teaches it: what to ask, and what to wait for.
    pub note: &'static str,
}

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        title = "The last ticket", "最后一张票";
        learn = "Learn", "课程";
        levels = "Levels", "关卡";
        level_of: fn(usize, usize) -> String =
            |number, of| format!("Level {number} of {of}"),
            |number, of| format!("第 {number} 关，共 {of} 关");
        exercise: fn(usize) -> String =
            |number| format!("Exercise {number}"),
            |number| format!("练习 {number}");
        solved = "solved", "已完成";
        yes = "Yes", "会";
        no = "No", "不会";
        hint = "Hint", "提示";
        /// The button for who believes that no order of steps breaks the code.
        claim = "No order breaks it", "我断定：怎么排都不会出错";
        searching = "Trying every order on Redis …", "正在 Redis 上试遍所有顺序……";
        /// Orders that break it, and all orders.
        it_breaks: fn(u64, u64) -> String =
            |broken, total| {
                let verb = if broken == 1 { "breaks" } else { "break" };
                format!("Not so: {} of {} orders {verb} it. Look for one.", count(broken), count(total))
            },
            |broken, total| format!("并非如此：{} 种顺序中有 {} 种会出错。再找找看。", count(total), count(broken));
        it_breaks_at_least: fn(u64) -> String =
            |broken| format!("Not so: at least {} orders break it. Look for one.", count(broken)),
            |broken| format!("并非如此：至少有 {} 种顺序会出错。再找找看。", count(broken));
        it_holds: fn(u64) -> String =
            |total| format!("Right. All {} orders were tried on a real Redis, and none breaks it.", count(total)),
            |total| format!("正确。全部 {} 种顺序都在真实的 Redis 上试过，没有一种出错。", count(total));
        /// A play that is over without the anomaly that was asked for.
        nothing_happened = "Nothing went wrong this time. Start over (r), and try another order.", "这次没有出错。重新开始（r），换个顺序再试。";
        other_anomaly: fn(&str) -> String =
            |what| format!("{what} But that is not what this level asks for."),
            |what| format!("{what}但这不是本关要的结果。");
        /// The steps that were needed, and the fewest.
        solved_in: fn(usize, usize) -> String =
            |steps, par| {
                if steps <= par { format!("{steps} steps: nobody needs fewer.") } else { format!("{steps} steps. It can be done in {par}.") }
            },
            |steps, par| {
                if steps <= par { format!("用了 {steps} 步：没有更短的了。") } else { format!("用了 {steps} 步，最少 {par} 步。") }
            };
        par: fn(usize) -> String =
            |par| format!("Fewest: {par} steps"),
            |par| format!("最少 {par} 步");
        next_level = "Next level", "下一关";
        next_exercise = "Exercises", "练习";
        to_the_lab = "Now let a crowd loose on all of them", "让一大批用户来试试所有做法";
        every_order = "Every order", "所有顺序";
        every_order_title: fn(u64, u64) -> String =
            |broken, total| format!("{} of {} orders break it", count(broken), count(total)),
            |broken, total| format!("{} 种顺序中有 {} 种会出错", count(total), count(broken));
        every_order_hint =
            "Each cell is one order in which the steps can be taken, found by trying all of them on a real Redis. Red: \
             something goes wrong. Choose one to step through it.",
            "每一格是一种执行顺序，全部在真实的 Redis 上试过。红色：会出错。点一格即可逐步查看。";
        /// The cells that are shown.
        only_the_first: fn(usize) -> String =
            |shown| format!("The first {} are shown.", count(shown as u64)),
            |shown| format!("显示前 {} 种。", count(shown as u64));
        incomplete: fn(u64) -> String =
            |moments| format!("There are too many to try all: the search ended after {} different situations, so there are more.", count(moments)),
            |moments| format!("顺序太多，无法全部试完：搜索在 {} 种不同情形后结束，实际还有更多。", count(moments));
        /// What a cell stands for: its steps, and what goes wrong.
        cell: fn(&str, &[Anomaly]) -> String =
            |schedule, anomalies| format!("{schedule}: {}", if anomalies.is_empty() { "nothing goes wrong" } else { "something goes wrong" }),
            |schedule, anomalies| format!("{schedule}：{}", if anomalies.is_empty() { "没有出错" } else { "出错" });
        close = "Close", "关闭";
        guess = "Your guess", "你的猜测";
        guess_of: fn(u64, u64) -> String =
            |guess, of| format!("{guess} of {of}"),
            |guess, of| format!("{of} 种里的 {guess} 种");
        reveal = "Try them all", "全部试一遍";
        /// The guess, and how many break.
        guessed: fn(u64, u64) -> String =
            |guess, broken| match guess.abs_diff(broken) {
                0 => format!("Exactly {broken}."),
                1..=5 => format!("You said {guess}. It is {broken}: you were close."),
                _ if guess < broken => format!("You said {guess}. It is {broken}: more than most people think."),
                _ => format!("You said {guess}. It is {broken}: fewer than you thought, and still far too many."),
            },
            |guess, broken| match guess.abs_diff(broken) {
                0 => format!("正好 {broken} 种。"),
                1..=5 => format!("你猜 {guess} 种，实际 {broken} 种：很接近。"),
                _ if guess < broken => format!("你猜 {guess} 种，实际 {broken} 种：比大多数人想的多。"),
                _ => format!("你猜 {guess} 种，实际 {broken} 种：比你想的少，但仍然太多了。"),
            };
        notes = "Notes for the teacher", "教师备注";
        short = "In five minutes", "五分钟版";
        print = "Print a handout", "打印讲义";
        exercises = "Exercises", "练习";
        sources = "Sources", "出处";
        free_play = "Free play", "自由模式";

        twice: LevelWords {
            title = "Sell one ticket twice", "把一张票卖两次";
            task =
                "You are the scheduler. Ann and Bob want the last ticket, and the code checks before it sells. Make it \
                 tell both of them “It’s yours”.",
                "你来当调度器。小安和小博都想要最后一张票，代码会先检查再卖。让它对两个人都说“抢到了”。";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "Each of them looks before writing. When is what A has seen no longer true?", "两人都是先看后写。A 看到的，什么时候就不再成立了？";
            last_hint = "Let A read, then let B read. Then let both go on.", "先让 A 读，再让 B 读，然后让两人都走下去。";
            lesson =
                "Nobody wrote a bug: each line is right. The gap between reading and writing is the bug.",
                "没有哪一行写错了。读与写之间的空隙，就是错误所在。";
            note =
                "Let the room say whose line is next, and say nothing yourself. Somebody finds it within three tries.",
                "让全班喊出下一步轮到谁，自己不说话。三次之内总有人找到。";
        };
        how_many: LevelWords {
            title = "How many orders break it?", "有多少种顺序会出错？";
            task =
                "The same code again. The steps of A and B can be mixed in many orders. In how many of them is the ticket \
                 sold twice? Guess first.",
                "还是同样的代码。A 和 B 的步骤可以有许多种先后顺序，其中有多少种会把票卖两次？先猜一猜。";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "", "";
            last_hint = "", "";
            lesson =
                "A test with one user at a time only ever visits green cells. A crowd tries the red ones.",
                "一次只有一个用户的测试，永远只会走到绿格。真正的并发人流会撞上红格。";
            note =
                "Collect guesses before you reveal. Then ask which cells their unit tests visit: the first and the last.",
                "揭晓前先收集大家的猜测。再问：单元测试走的是哪些格？只有第一格和最后一格。";
        };
        together: LevelWords {
            title = "Send it all at once?", "一次发出就行了吗？";
            task =
                "A pipeline sends several commands in one trip. Ann has the page open in two tabs. Give her two of the two \
                 tickets, although everybody may have one.",
                "管道把多条命令一次发出。小安开了两个标签页。每人限一张，请让她把两张票都拿走。";
            question = "Will sending the commands together keep others out?", "把命令一起发出，就会把别人挡在外面吗？";
            yes = "Most people think so. Try to get in between.", "大多数人都这么想。试着插进去看看。";
            no = "Right: a pipeline saves trips and keeps nobody out. Show it.", "没错：管道只省往返，挡不住别人。证明给大家看。";
            hint = "Both tabs must ask “have I got one?” before either has.", "在任何一个标签页拿到票之前，让两边都先查“我有了吗”。";
            last_hint = "A reads both, B reads both, then let both write.", "A 读两次，B 读两次，然后让两边都写。";
            lesson =
                "Together on the way is not together in Redis: between two commands of a pipeline, and between two \
                 pipelines, others have their turn. Only what Redis does in one step is one step.",
                "一起上路，不等于在 Redis 里一起执行：管道的两条命令之间、两次管道之间，别人照样能插队。只有 Redis 一步做完的才是一步。";
            note = "Ask for a show of hands on the question first. Most are wrong.", "先让大家举手回答问题，多数人会答错。";
        };
        memory: LevelWords {
            title = "A lock in memory", "内存里的锁";
            task =
                "Now the server lets only one attempt in at a time. Sell the ticket twice, or be sure that no order can.",
                "现在服务器一次只放一个请求进去。把票卖两次，或者确信怎么排都做不到。";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "Whoever holds the lock is alone with the data. Is there a way around it?", "拿着锁的人独占数据。有办法绕过去吗？";
            last_hint = "If you believe that there is none, say so: there is a button for it.", "如果你认为没有办法，就按下那个按钮。";
            lesson =
                "A mutex does its job: one at a time. It knows nothing of any other server, though.",
                "互斥锁尽职尽责：一次一个。可它对别的服务器一无所知。";
            note = "Give them a minute to fail. Giving up is the right answer here.", "先让大家试一分钟，碰碰壁。在这里，放弃才是正确答案。";
        };
        two_servers: LevelWords {
            title = "Business is good: a second server", "生意兴隆：第二台服务器";
            task =
                "The same code with the same lock, on two servers now: A comes to one, B to the other. Sell the ticket \
                 twice, if you can.",
                "同样的代码、同样的锁，现在有两台服务器：A 连一台，B 连另一台。试试能不能把票卖两次。";
            question = "Does the lock still keep B out while A is inside?", "A 在里面时，这把锁还会挡住 B 吗？";
            yes = "Then try what happens when both take it.", "那就试试两人都去拿锁会怎样。";
            no = "Right: each server has a lock of its own.", "没错：每台服务器各有一把锁。";
            hint = "Let A take its lock. Then let B take its own.", "让 A 拿锁，再让 B 拿它自己的锁。";
            last_hint = "It is level 1 again, with a lock in front that stops nobody.", "这就是第 1 关，只是前面多了一把挡不住人的锁。";
            lesson =
                "A lock only keeps out those who ask for the same lock. What two servers share is Redis, so the lock has \
                 to be there.",
                "锁只能拦住争抢同一把锁的人。两台服务器共有的是 Redis，所以锁得放在那里。";
            note = "This is how it happens in real life: nobody changed the code, somebody added a server.", "现实中正是这样出事的：没人改代码，只是加了台服务器。";
        };
        lifetime: LevelWords {
            title = "A lock in Redis, with a lifetime", "Redis 里的锁，带有效期";
            task =
                "The lock is in Redis now, so it holds for all servers. It expires after 2 ms, as otherwise a server that \
                 dies would lock everybody out. Sell the ticket twice. (t lets time pass.)",
                "锁现在放在 Redis 里，对所有服务器都有效。它 2 毫秒后自动过期，否则一台宕机的服务器会把所有人挡在门外。把票卖两次。（t：时间流逝）";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "A’s decision takes 5 ms, longer than the lock lasts.", "A 的决定要 5 毫秒，比锁的有效期更长。";
            last_hint = "Bring A to the line where it decides. Before it is done with it, let time pass (t). Then let B take the lock.", "让 A 走到做决定那一行，趁它还没做完，让时间流逝（t）。再让 B 拿锁。";
            lesson =
                "A lock with a lifetime is a promise about time, and time is not yours: a pause of the garbage collector \
                 is enough. Checking the owner at the release keeps others’ locks safe, but not the data.",
                "带有效期的锁赌的是时间，而时间不由你掌控：一次垃圾回收停顿就会输。释放时检查持有者只能防止误删别人的锁，拦不住过期之后的写入。";
            note =
                "Ask: how long should the lifetime be? Every answer is wrong for somebody’s pause.",
                "问大家：有效期该设多长？无论答多少，总有一次停顿会更长。";
        };
        whose: LevelWords {
            title = "Whose lock is it?", "这是谁的锁？";
            task =
                "Three people, two tickets. The lock lasts for 3 ms: enough for the data, but telling a winner takes 5. At \
                 the end the lock is deleted, whoever holds it. Sell three.",
                "三个人，两张票。锁的有效期是 3 毫秒，足够写完数据，但通知得主要 5 毫秒；结束时不管锁是谁的，一律删掉。卖出三张。";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "Let A’s lock expire while A tells its user. Who opens the padlock at the end?", "在 A 通知用户时让它的锁过期。最后是谁删掉了这把锁？";
            last_hint =
                "A works, time passes, B takes the lock and reads. Then A deletes B’s lock, and C comes in.",
                "A 在工作，时间流逝，B 拿到锁并读取。然后 A 删掉 B 的锁，C 就进来了。";
            lesson =
                "A lock was deleted by somebody who no longer had it. A release has to check the owner in the same step, \
                 which a script in Redis can do.",
                "锁被早已不持有它的人删掉了。释放时必须在同一步里检查持有者，而 Redis 里的脚本可以做到。";
            note = "The longest one: 22 steps. Do it together, or show it with Play.", "最长的一关：22 步。一起做，或用播放演示。";
        };
        undersold: LevelWords {
            title = "Nobody oversold, and yet", "没有超卖，可是……";
            task =
                "DECR takes a ticket in one step, and whoever gets less than 0 puts it back: none is sold twice. Ann clicks \
                 twice, Bob once, and there are two tickets. Send Bob away although a ticket is left in the end.",
                "DECR 一步扣减，得到负数的人会退回去，所以不会多卖。小安点了两次，小博点了一次，共有两张票。让小博空手而归，最后却还剩一张票。";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "Ann’s second click takes a ticket for a moment before it is found to be one too many.", "小安的第二次点击会暂时占走一张票，之后才被发现多余。";
            last_hint = "Let both of Ann’s clicks take one, then ask for Bob.", "先让小安的两次点击各拿一张，再轮到小博。";
            lesson =
                "Undersold: somebody was refused, and a ticket is left. Taking first and putting back later shows everybody \
                 else a stock that is not true.",
                "少卖：有人被拒绝，票却剩下了。先扣后还，会让别人看到虚假的库存。";
            note = "Tests for overselling are all green here. Ask who would notice.", "针对超卖的测试在这里全是绿的。问问大家谁会发现。";
        };
        watch: LevelWords {
            title = "Optimists", "乐观锁";
            task =
                "WATCH, and EXEC only writes if nothing was changed since. Sell the ticket twice, or be sure that no order \
                 can.",
                "先 WATCH；之后若有变化，EXEC 什么也不写。把票卖两次，或者确信怎么排都做不到。";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "Let both watch and read. What does the second EXEC do?", "让两人都 WATCH 并读取。第二个 EXEC 会做什么？";
            last_hint = "Whoever loses starts again, and reads what is true by then.", "输的一方从头再来，读到的是最新的值。";
            lesson =
                "Right in every order. But of 64 who come at once, 63 start again, and again: in the lab, count its \
                 retries.",
                "任何顺序都正确。但 64 个人同时来，就有 63 个要一次次重来：到实验室看看它的重试次数。";
            note = "Then run it in the lab with 64 at a time, and look at retries and round trips.", "随后在实验室以 64 并发运行，看重试和往返次数。";
        };
        one_step: LevelWords {
            title = "One step", "一步完成";
            task =
                "One script reads, decides and writes. Redis runs it like a single command. Break it, or be sure that no \
                 order can.",
                "一个脚本完成读取、判断和写入，Redis 把它当作一条命令执行。让它出错，或者确信怎么排都做不到。";
            question = "Will more than ten orders be possible?", "可能的顺序会超过十种吗？";
            yes = "Count again: each of them has a single step.", "再数数：每人只有一步。";
            no = "Right, there are two: either A comes first, or B.", "没错，只有两种：要么 A 先，要么 B 先。";
            hint = "Each of them has one step. There is nothing to mix.", "每人只有一步，没有什么可以穿插。";
            last_hint = "If you believe that there is none, say so: there is a button for it.", "如果你认为没有办法，就按下那个按钮。";
            lesson =
                "Nothing fits in between, because there is no in between. That is the end of the story, and it is also the \
                 fastest way.",
                "中间插不进任何东西，因为根本没有中间。故事到此结束，而这也是最快的办法。";
            note = "The grid has two cells, both green. Let that sink in, then show the race in the lab.", "网格只有两格，全是绿的。停一停，再演示实验室里的比赛。";
        };
        unread: LevelWords {
            title = "A reply that nobody reads", "没人看的返回值";
            task =
                "The script refuses when nothing is left. Make the code tell somebody “It’s yours” who is in no record.",
                "库存为零时脚本会拒绝。让代码对一个没有任何记录的人说“抢到了”。";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "What does the code do with what the script says?", "代码怎么处理脚本的返回值？";
            last_hint = "Bring both past their checks before either runs the script.", "在任何一方执行脚本之前，让两人都通过检查。";
            lesson =
                "The records are right, and the user was lied to. An answer has to be read before it is told.",
                "记录是对的，用户却被骗了。先读返回值，再答复用户。";
            note = "Found in code that was published and copied for years.", "这段代码被公开发布，多年来被反复抄用。";
        };
        cancelled: LevelWords {
            title = "A cancellation that comes twice", "取消了两次";
            task =
                "Ann has the only ticket and cancels. The answer is slow, so her client asks again (A and B). Cleo and Bob \
                 want to buy. Sell more than there is.",
                "小安持有唯一的一张票并取消订单。答复太慢，客户端又发了一次（A 和 B）。另外两人想买。卖出比库存更多的票。";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "Both requests must find the order.", "两次请求都要找到这个订单。";
            last_hint = "A looks, B looks. Then both put the ticket back.", "A 查看，B 查看，然后两边都退票。";
            lesson =
                "What is done twice must count once. Look and act in one step, or remember the request.",
                "做两次也只能算一次。查看与执行要在同一步完成，或者记住请求。";
            note = "", "";
        };
        paid: LevelWords {
            title = "Payment against expiry", "支付与过期相争";
            task =
                "Ann pays at the last moment (A) while the worker ends expired orders (w). Bob buys what comes back. Let \
                 both Ann and Bob have it.",
                "小安在最后一刻付款（A），而后台任务正在清理过期订单（w）。小博买走退回的票。让两人都得到它。";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "Both ask whether the order is still held.", "两边都会问：订单还在保留吗？";
            last_hint = "Let A look, let the worker look, then let both act.", "让 A 查看，让后台任务查看，然后两边都执行。";
            lesson =
                "Two who decide about one order must decide in one step. Otherwise both win.",
                "两方要决定同一个订单，就得一步决定。否则两边都赢。";
            note = "", "";
        };
        rebuilt: LevelWords {
            title = "A cache that comes back from the past", "来自过去的缓存";
            task =
                "Stock is sold from a cache, and whoever finds none loads it from the database. Sell the last one twice.",
                "库存从缓存里卖；发现缓存没有的人会从数据库加载。把最后一份卖两次。";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "What does B write if it has read the database before A sold?", "如果 B 在 A 卖出之前读了数据库，它会写入什么？";
            last_hint = "Both find nothing and read the database. A writes and sells, and only then B writes.", "两人都发现没有缓存并读数据库。A 写入并卖出，之后 B 才写入。";
            lesson =
                "An old value overwrote a new one. A cache may only be filled by somebody who is alone, or if it is still \
                 empty.",
                "旧值覆盖了新值。填缓存时必须独占，或者只在它仍为空时才写。";
            note = "", "";
        };
        drained: LevelWords {
            title = "A double click drains the stock", "双击耗尽库存";
            task =
                "Ann double-clicks (A and B), Bob comes after her (C). There are two tickets. Let one disappear.",
                "小安双击（A 和 B），小博随后（C）。共有两张票。让一张票凭空消失。";
            question = "", "";
            yes = "", "";
            no = "", "";
            hint = "The second click takes a ticket before it is refused.", "第二次点击在被拒绝之前就扣走了一张。";
            last_hint = "Any order will do.", "随便什么顺序都行。";
            lesson =
                "No bad luck was needed: each double click costs a ticket. Check first, or do both in one step.",
                "不需要任何坏运气：每次双击都少一张票。先检查，或者一步完成两件事。";
            note = "", "";
        };
    }
}
