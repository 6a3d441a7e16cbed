//! The texts of the list of sales.

use crate::components::format::{count, counted};

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
    pub struct Words {
        title = "Every item sold exactly once", "每一份，只发一次";
        intro =
            "Thousands of people want the same few things. Let a crowd loose, watch atomic Redis scripts decide who gets \
             them, and check that nothing was sold twice.",
            "成千上万人抢同样的几件东西。放出一批用户，看 Redis 原子脚本决定每一份归谁，再核对有没有重复售出。";
        /// Above the link to a duel.
        duel_intro =
            "20,000 people, 400 seats: what happens without an atomic script, beside what happens with one.",
            "两万人抢 400 个座位：不用原子脚本会怎样，用了又会怎样。";
        duel = "Watch the duel", "观看对决";
        sales = "Sales", "活动";
        your_sales = "Your sales", "你的活动";

        // The demonstrations.
        demonstrations = "Demonstrations", "示范活动";
        pause_replays = "Pause", "暂停";
        /// The time in a replayed run, its length, and how many attempts got something and how many did not by then.
        replay: fn(String, String, u64, u64) -> String =
            |now, end, won, refused| {
                let (wins, refusals) = (counted(won, "win", "wins"), counted(refused, "refusal", "refusals"));
                format!("Replay, {now} of {end}: {wins}, {refusals}")
            },
            |now, end, won, refused| {
                format!("回放 {now} / {end}：{} 次抢到，{} 次被拒", count(won), count(refused))
            };

        // The list.
        empty = "No sales yet. Open the first one with the form.", "还没有活动。请用表单创建第一个。";
        /// Followed by the command.
        lost =
            "Redis has lost its sales, but the ledger still has them. To bring them back, run",
            "Redis 中的活动已丢失，但账本仍有记录。要恢复，请运行";
        /// Instead of what is left.
        no_limit = "No limit", "不限量";
        /// The badge of a sale that Redis has lost.
        missing = "Lost", "已丢失";
        /// How many sales Redis has lost; followed by the command.
        missing_sales: fn(u64) -> String =
            |number| {
                let sales = if number == 1 { "1 sale is" } else { &format!("{} sales are", count(number)) };
                format!(
                    "{sales} missing from Redis, but still in the ledger. No attempts are possible there. To recover \
                     {}, run",
                    if number == 1 { "it" } else { "all of them" }
                )
            },
            |number| {
                format!("Redis 丢失了 {} 个活动，但账本中仍有记录。恢复之前无法参与。要全部恢复，请运行", count(number))
            };
        /// After the names of some of them: how many more there are.
        missing_others: fn(u64) -> String =
            |number| format!("and {} more", count(number)),
            |number| format!("以及另外 {} 个", count(number));
        /// How many sales are suspended; followed by the command.
        suspended_sales: fn(u64) -> String =
            |number| {
                let (sales, their, them) = match number {
                    1 => ("1 sale is".to_owned(), "its", "it"),
                    _ => (format!("{} sales are", count(number)), "their", "all of them"),
                };
                format!(
                    "{sales} suspended: Redis has lost some of {their} data, so no attempts are possible. To recover \
                     {them}, run"
                )
            },
            |number| {
                format!(
                    "{} 个活动已挂起：Redis 丢失了其中部分数据，恢复之前无法参与。要全部恢复，请运行",
                    count(number)
                )
            };
        /// How many sales of the page cannot be reached; followed by their names.
        away_sales: fn(u64) -> String =
            |number| {
                let sales = if number == 1 { "1 sale".to_owned() } else { format!("{} sales", count(number)) };
                format!("{sales} of this list cannot be shown now:")
            },
            |number| format!("此列表中有 {} 个活动暂时无法显示：", count(number));
        crowd_running = "Crowd running", "模拟中";
        /// The label of a sale's meter.
        left = "Left", "剩余";
        expires_at = "Expires", "到期时间";
        left_of: fn(String, String) -> String =
            |left, all| format!("{left} of {all} left"),
            |left, all| format!("剩 {left} / {all}");
        /// Events that the ledger has not applied yet.
        lag: fn(u64) -> String =
            |events| format!("The ledger is {} behind", counted(events, "event", "events")),
            |events| format!("账本滞后 {} 条事件", count(events));

        // The filter.
        filter = "Filter", "筛选";
        filter_id = "ID or title contains", "编号或标题包含";
        filter_kind = "Kind", "类型";
        filter_state = "State", "状态";
        all_kinds = "All kinds", "全部类型";
        all_states = "All except archived", "全部（不含已归档）";
        clear_filter = "Clear filter", "清除筛选";
        no_match = "No matches. Change or clear the filter.", "没有匹配的活动。请修改或清除筛选。";
        archived_left_out = "Archived sales were left out.", "结果不含已归档的活动。";
        search_archived = "Search archived sales", "搜索已归档的活动";
        /// The filter in the address is not valid.
        bad_filter =
            "This filter is not valid, so it was not applied: all sales are listed.",
            "筛选条件无效，未应用：以下列出全部活动。";

        // The table.
        /// The title of the column with the ids.
        sale = "Sale", "活动";
        items = "Items", "总数";
        given_out = "Given out", "已发放";
        /// The title of a small curve of what was left.
        trend = "2 minutes", "近两分钟";
        /// The title of what only the kind of sale has.
        facts = "Details", "详情";
        choose_all = "Select all shown", "选择所列全部活动";
        /// Takes the id.
        choose: fn(&str) -> String = |sale| format!("Select {sale}"), |sale| format!("选择 {sale}");
        row_menu: fn(&str) -> String = |sale| format!("More about {sale}"), |sale| format!("{sale} 的更多操作");
        /// How many sales match, and how many of them are live.
        totals: fn(u64, u64) -> String =
            |sales, live| format!("{}, {} live", counted(sales, "sale", "sales"), count(live)),
            |sales, live| format!("共 {} 个活动，{} 个进行中", count(sales), count(live));

        // Pages.
        pages = "Pages", "分页";
        first_page = "First page", "第一页";
        next_page = "Next page", "下一页";

        open_title = "Open a sale", "创建活动";
    }
}
