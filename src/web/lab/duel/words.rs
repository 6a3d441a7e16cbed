//! The texts of duels.

use crate::components::format::{count, counted};

/// What came of a side, as formatted text.
pub struct Outcome {
    pub name: String,
    pub given: u64,
    pub stock: u64,
    /// The seats that were sold more than once.
    pub twice: u64,
    /// Those that were not sold.
    pub unsold: u64,
}

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
    pub struct Words {
        title = "Duel", "对决";
        /// On the page of the lab.
        link = "Watch a duel: two strategies, one crowd, side by side", "观看对决：两种做法，同一批用户，左右对照";
        heading = "One crowd, two ways to sell", "同一批人，两种卖法";
        /// How many seats there are.
        intro: fn(u64) -> String =
            |seats| format!(
                "The same people want the same {}, on the same real Redis. Each side has it for itself, one after the \
                 other, and is shown on one clock.",
                counted(seats, "seat", "seats")
            ),
            |seats| format!(
                "同样的人抢同样的 {} 个座位，用的是同一个真实的 Redis。两边先后单独运行，再按同一时钟回放。",
                count(seats)
            );
        choose = "On the left", "左侧的做法";
        /// For screen readers: what the picture of a side is.
        hall: fn(String, u64) -> String =
            |name, seats| format!("Hall of {}: {name}", counted(seats, "seat", "seats")),
            |name, seats| format!("{} 个座位的大厅：{name}", count(seats));

        // The figures of a side.
        sold = "Sales", "卖出次数";
        twice = "Sold twice or more", "重复卖出的座位";
        answered = "Attempts answered", "已答复的请求";
        refused = "Turned away", "未买到";
        /// Where figures will be, before there are any.
        gathering = "People gather…", "人群正在聚集……";

        // A seat that is pointed at.
        point = "Point at a seat to see who bought it.", "指向座位，可查看谁买了它。";
        free: fn(u32) -> String =
            |seat| format!("Seat {seat} is free."),
            |seat| format!("座位 {seat}：空着。");
        /// The seat, the names of its first buyers, and how many more there are.
        bought: fn(u32, &[String], usize) -> String =
            |seat, names, others| {
                let others = (others > 0).then(|| counted(others as u64, "other", "others"));
                let names: Vec<String> = names.iter().cloned().chain(others).collect();
                match names.split_last() {
                    Some((last, rest)) if !rest.is_empty() => format!("Seat {seat}: {} and {last}", rest.join(", ")),
                    _ => format!("Seat {seat}: {}", names.join("")),
                }
            },
            |seat, names, others| {
                let others = if others > 0 { format!("，另外 {} 人", count(others as u64)) } else { String::new() };
                format!("座位 {seat}：{}{others}", names.join("、"))
            };
        /// The heading of the seats that were sold twice last.
        latest = "Sold twice just now", "刚刚重复卖出";
        /// All of them, at the end.
        all_twice: fn(u64) -> String =
            |seats| format!("All {} sold twice or more", counted(seats, "seat", "seats")),
            |seats| format!("全部 {} 个重复卖出的座位", count(seats));

        // The player.
        /// Seconds of seconds.
        at: fn(String, String) -> String =
            |at, of| format!("{at} of {of} s"),
            |at, of| format!("{at} / {of} 秒");
        /// Behind the time: how many times slower than in reality.
        slower: fn(String) -> String =
            |times| format!(", shown {times} times slower"),
            |times| format!("，慢放 {times} 倍");
        faster: fn(String) -> String =
            |times| format!(", shown {times} times faster"),
            |times| format!("，快放 {times} 倍");
        /// The time at which the run took place follows.
        run_at = "Run at", "运行时间";

        // What came of it.
        outcome: fn(Outcome) -> String =
            |Outcome { name, given, stock, twice, unsold }| {
                let (sales, seats) = (counted(given, "sale", "sales"), counted(stock, "seat", "seats"));
                let sales = format!("{name} made {sales} for {seats}");
                let rest = if unsold > 0 { format!(", and {} not at all", count(unsold)) } else { String::new() };
                match twice {
                    0 => format!("{sales}: none was sold twice{rest}."),
                    1 => format!("{sales}: 1 seat was sold more than once{rest}."),
                    _ => format!("{sales}: {} seats were sold more than once{rest}.", count(twice)),
                }
            },
            |Outcome { name, given, stock, twice, unsold }| {
                let sales = format!("{name}：{} 个座位卖出 {} 次", count(stock), count(given));
                let rest = if unsold > 0 { format!("，还有 {} 个没有卖出", count(unsold)) } else { String::new() };
                match twice {
                    0 => format!("{sales}，没有一个重复{rest}。"),
                    _ => format!("{sales}，{} 个座位卖了不止一次{rest}。", count(twice)),
                }
            };
        another = "Another crowd", "换一批人";
        why = "Why?", "为什么？";

        // When there is no duel to show.
        to_lab = "See the lab's run", "查看实验室的运行";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_of_a_side_is_a_sentence() {
        let of = |given, twice, unsold| {
            (Words::EN.outcome)(Outcome { name: "Pipeline".to_owned(), given, stock: 400, twice, unsold })
        };
        assert_eq!(of(13_396, 398, 0), "Pipeline made 13,396 sales for 400 seats: 398 seats were sold more than once.");
        assert_eq!(of(401, 1, 0), "Pipeline made 401 sales for 400 seats: 1 seat was sold more than once.");
        assert_eq!(of(400, 0, 0), "Pipeline made 400 sales for 400 seats: none was sold twice.");
        let many = "Pipeline made 425 sales for 400 seats: 118 seats were sold more than once, and 275 not at all.";
        assert_eq!(of(425, 118, 275), many);
    }

    #[test]
    fn the_first_buyers_of_a_seat_are_named() {
        let names = |users: &[u32]| users.iter().map(|user| format!("user-{user}")).collect::<Vec<_>>();
        let of = |users: &[u32], others| (Words::EN.bought)(37, &names(users), others);
        assert_eq!(of(&[5], 0), "Seat 37: user-5");
        assert_eq!(of(&[5, 6], 0), "Seat 37: user-5 and user-6");
        assert_eq!(of(&[5, 6], 31), "Seat 37: user-5, user-6 and 31 others");
    }
}
