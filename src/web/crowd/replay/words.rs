//! The texts of replays.

use crate::components::format::{count, counted, tenths};

/// How a run is shown: how long it took and how long that takes here, in milliseconds, and how many times as fast that
/// is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    pub took_ms: f64,
    pub shown_ms: f64,
    pub speed: f64,
}

crate::i18n::words! {
    /// The catalogue. A bare number is passed if it selects singular or plural.
    pub struct Words {
        title = "Replay", "回放";
        intro =
            "What the ledger recorded while this crowd was at the sale: each item fills when it was given away. Times are \
             exact to the millisecond. Within a millisecond, only the order is known.",
            "模拟期间账本记录的内容：每一份在发放时填满。时间精确到毫秒，同一毫秒内按先后顺序显示。";
        loading = "The replay is loading…", "正在加载回放……";
        /// The squares and the figures, for screen readers.
        stage = "Items and figures", "发放情况与数据";

        // The squares.
        squares: fn(u64) -> String =
            |squares| format!("Squares that fill as items are given away: {}", count(squares)),
            |squares| format!("{} 个方格，随发放逐一填满", count(squares));
        /// What a square stands for, if it is not one item.
        per_square: fn(u64) -> String =
            |items| format!("Each square stands for {} items.", count(items)),
            |items| format!("每个方格代表 {} 份。", count(items));
        given = "Given away", "已发放";
        returned = "Came back", "已退回";
        left = "Left", "剩余";
        latest: fn(who: Option<String>, what: String) -> String =
            |who, what| match who {
                Some(who) => format!("Latest: {what} to {who}"),
                None => format!("Latest: {what} to somebody who is not of this crowd"),
            },
            |who, what| match who {
                Some(who) => format!("最近：{who} 得到 {what}"),
                None => format!("最近：模拟之外的用户得到 {what}"),
            };

        // The time.
        at: fn(f64, f64) -> String =
            |at, of| format!("{} of {}", duration(at, "ms", "s", "min"), duration(of, "ms", "s", "min")),
            |at, of| format!("{} / {}", duration(at, "毫秒", "秒", "分钟"), duration(of, "毫秒", "秒", "分钟"));
        scale: fn(Scale) -> String =
            |Scale { took_ms, shown_ms, speed }| {
                let [took, shown] = [took_ms, shown_ms].map(|ms| duration(ms, "ms", "s", "min"));
                match pace(speed) {
                    Pace::Same => format!("{took}, shown at its own speed"),
                    Pace::Slower(times) => format!("{took}, shown in {shown}: 1/{times} of its speed"),
                    Pace::Faster(times) => format!("{took}, shown in {shown}: {times} times its speed"),
                }
            },
            |Scale { took_ms, shown_ms, speed }| {
                let [took, shown] = [took_ms, shown_ms].map(|ms| duration(ms, "毫秒", "秒", "分钟"));
                match pace(speed) {
                    Pace::Same => format!("{took}，按原速播放"),
                    Pace::Slower(times) => format!("{took}，用 {shown}播放：原速的 1/{times}"),
                    Pace::Faster(times) => format!("{took}，用 {shown}播放：原速的 {times} 倍"),
                }
            };
        speed = "Speed", "速度";
        /// As fast as a record is played by itself.
        by_itself: fn(u32) -> String =
            |seconds| format!("In {seconds} seconds"),
            |seconds| format!("{seconds} 秒播完");
        /// How many times as fast as in reality.
        speed_name: fn(&str) -> String =
            |times| match times {
                "1" => "Its own speed".to_owned(),
                _ if times.contains('/') => format!("{times} of its speed"),
                _ => format!("{times} times its speed"),
            },
            |times| match times {
                "1" => "原速".to_owned(),
                _ if times.contains('/') => format!("原速的 {times}"),
                _ => format!("原速的 {times} 倍"),
            };

        // What came of it.
        outcome: fn(attempts: u64, ms: f64, given: u64, returned: u64) -> String =
            |attempts, ms, given, returned| {
                let (made, took) = (counted(attempts, "attempt was", "attempts were"), duration(ms, "ms", "s", "min"));
                let back = if returned > 0 { format!("; {} of them came back", count(returned)) } else { String::new() };
                format!("{made} made in {took}, and {} given away{back}.", counted(given, "item was", "items were"))
            },
            |attempts, ms, given, returned| {
                let took = duration(ms, "毫秒", "秒", "分钟");
                let back = if returned > 0 { format!("，其中 {} 份退回", count(returned)) } else { String::new() };
                format!("{took}内完成了 {} 次请求，发放了 {} 份{back}。", count(attempts), count(given))
            };
        nothing = "This run gave nothing away.", "这次模拟没有发放任何东西。";
        cut: fn(u64) -> String =
            |most| format!("The run gave more away: the replay ends after the first {} transfers.", count(most)),
            |most| format!("这次模拟发放得更多：回放只包含前 {} 条记录。", count(most));
        not_recorded =
            "The ledger has not recorded all of this run yet. Try again in a moment.",
            "账本尚未记录这次模拟的全部内容，请稍后重试。";
    }
}

/// How fast a run is shown, as text.
enum Pace {
    Same,
    Slower(String),
    Faster(String),
}

fn pace(speed: f64) -> Pace {
    match speed {
        _ if (speed - 1.0).abs() < 0.05 => Pace::Same,
        ..1.0 => Pace::Slower(short(1.0 / speed)),
        _ => Pace::Faster(short(speed)),
    }
}

/// `28 ms`, `8 s`, `12.3 s`, `200 min`
fn duration(ms: f64, millis: &str, seconds: &str, minutes: &str) -> String {
    match ms {
        ..999.5 => format!("{} {millis}", short(ms)),
        ..120_000.0 => format!("{} {seconds}", short(ms / 1_000.0)),
        _ => format!("{} {minutes}", short(ms / 60_000.0)),
    }
}

/// `286`, `2.4`, `8`: two digits, unless there are more before the point.
fn short(number: f64) -> String {
    let tens = (number.max(0.0) * 10.0).round() as u64;
    if tens >= 1_000 || tens.is_multiple_of(10) { count((tens + 5) / 10) } else { tenths(tens) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_says_its_scale() {
        let of = |took_ms, shown_ms, speed| (Words::EN.scale)(Scale { took_ms, shown_ms, speed });
        assert_eq!(of(28.0, 8_000.0, 28.0 / 8_000.0), "28 ms, shown in 8 s: 1/286 of its speed");
        assert_eq!(of(12_300.0, 12_300.0, 1.0), "12.3 s, shown at its own speed");
        assert_eq!(of(20_000.0, 2_000.0, 10.0), "20 s, shown in 2 s: 10 times its speed");
        assert_eq!(of(12_000.0, 12_000_000.0, 0.001), "12 s, shown in 200 min: 1/1,000 of its speed");
        let zh = (Words::ZH.scale)(Scale { took_ms: 28.0, shown_ms: 8_000.0, speed: 0.0035 });
        assert_eq!(zh, "28 毫秒，用 8 秒播放：原速的 1/286");
    }

    #[test]
    fn the_outcome_is_a_sentence() {
        let of = |attempts, given| (Words::EN.outcome)(attempts, 28.0, given, 0);
        assert_eq!(of(22_003, 1_000), "22,003 attempts were made in 28 ms, and 1,000 items were given away.");
        assert_eq!(of(1, 1), "1 attempt was made in 28 ms, and 1 item was given away.");
        let back = (Words::EN.outcome)(9, 28.0, 8, 2);
        assert_eq!(back, "9 attempts were made in 28 ms, and 8 items were given away; 2 of them came back.");
    }
}
