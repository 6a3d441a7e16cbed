//! The texts of the results of a run.

use crate::components::format::counted;

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        // What the columns of the table count.
        verdict_is =
            "It holds if nothing was oversold, doubled, lost or undersold.",
            "没有超卖、重复发放、丢失和少卖，即为通过。";
        given_is =
            "Items that users have: by their answers or by the records, whichever says more.",
            "用户得到的份数：按答复和记录中较多的一方计。";
        per_s_is = "Attempts answered in a second.", "每秒答复的请求数。";
        round_trips_is =
            "How often an attempt waits for Redis or the database, on average. A batch is one round trip for all that \
             are in it.",
            "一次请求平均等待 Redis 或数据库的次数。一个批次对其中所有请求只算一次往返。";
        commands_is =
            "Commands or statements that an attempt sends, on average. A script counts as one.",
            "一次请求平均发送的命令或语句数。一个脚本算一条。";

        // A ramp.
        /// How many users wait at a time.
        from_to: fn(u32, u32) -> String =
            |from, to| format!("{from} to {to}"),
            |from, to| format!("{from} 至 {to}");
        slider = "People at a time", "同时来的人数";
        people_at_a_time: fn(u32) -> String =
            |number| format!("{} at a time", counted(number.into(), "person", "people")),
            |number| format!("同时 {number} 人");
        green_at_one =
            "At 1 everything is green: this is your test suite.",
            "只来 1 个人时全是绿的：这就是你的测试。";
        /// How many people at a time, and the strategies.
        first_broken: fn(u32, &str) -> String =
            |number, names| format!("At {number}, these break for the first time: {names}."),
            |number, names| format!("同时来 {number} 人时首次出错：{names}。");
        between_names = "; ", "；";
        verdicts = "Verdicts by people at a time", "各并发人数下的判定";
    }
}
