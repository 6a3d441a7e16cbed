//! The lines of pseudo-code in Chinese. Names of records and variables stay as they are in the pictures of the keys.

use crate::i18n::{Lang, lang};

/// Each line without its indentation, in English and in Chinese.
const LINES: [(&str, &str); 84] = [
    ("left ← read stock", "left ← 读取 stock"),
    ("mine ← read got[me]", "mine ← 读取 got[me]"),
    ("if mine: say “already yours”", "若 mine：答复“已有一份”"),
    ("if left = 0: say “sold out”", "若 left = 0：答复“已售罄”"),
    ("write stock ← left − 1", "写入 stock ← left − 1"),
    ("write got[me] ← 1", "写入 got[me] ← 1"),
    ("if mine or left = 0: go to the end", "若 mine 或 left = 0：跳到末尾"),
    ("take the lock, or wait for it", "取得锁，取不到就等待"),
    ("say “yours”", "答复“抢到了”"),
    ("say what came of it", "答复结果"),
    ("left ← take one from stock", "left ← 从 stock 扣一份"),
    ("if left < 0:", "若 left < 0："),
    ("put it back", "退回一份"),
    ("say “sold out”", "答复“已售罄”"),
    ("take my own lock", "取得自己的锁"),
    ("if I hold it already: say “busy”", "若自己已持有：答复“请稍候”"),
    ("mine ← am I a winner?", "mine ← 自己已是得主？"),
    ("if mine or left < 0: go to the end", "若 mine 或 left < 0：跳到末尾"),
    ("release my lock", "释放自己的锁"),
    ("send together:", "一起发送："),
    ("take this server's lock", "取得本服务器的锁"),
    ("release the lock", "释放锁"),
    ("first ← add me to winners", "first ← 把自己加入 winners"),
    ("if not first:", "若 first 为假："),
    ("say “already yours”", "答复“已有一份”"),
    ("watch stock and got", "监视 stock 和 got"),
    ("if mine or left = 0: unwatch", "若 mine 或 left = 0：取消监视"),
    ("and say so", "并据此答复"),
    ("if both are still unchanged:", "若两者都没有变化："),
    ("write both in one step", "一步写入两者"),
    ("else: start again", "否则：从头再来"),
    ("tell the winner (takes 5 ms)", "通知得主（需 5 毫秒）"),
    ("release the lock if it is mine", "锁若是自己的就释放"),
    ("delete the lock", "删除锁"),
    ("decide (takes 5 ms)", "做决定（需 5 毫秒）"),
    ("script: add me, stock − 1", "脚本：登记自己，stock − 1"),
    ("script: if any is left, take it", "脚本：若有剩余就扣一份"),
    ("say “yours”, whatever it said", "不管它返回什么，都答复“抢到了”"),
    ("say what the script said", "按脚本的返回值答复"),
    ("begin a transaction", "开始事务"),
    ("left ← read the stock, lock its row", "left ← 读取库存并锁住该行"),
    ("mine ← read my claim", "mine ← 读取自己的记录"),
    ("if mine or left = 0: roll back", "若 mine 或 left = 0：回滚"),
    ("add my claim", "写入自己的记录"),
    ("commit", "提交"),
    ("add my claim, if I have none", "若没有记录，就写入一条"),
    ("if I had one: roll back", "若已有记录：回滚"),
    ("stock − 1, if any is left", "若有剩余，stock − 1"),
    ("if none was left: roll back", "若没有剩余：回滚"),
    ("put myself into the queue", "排进队列"),
    ("wait for my answer", "等待答复"),
    ("say what it says", "照此答复"),
    ("next ← take from the queue", "next ← 从队列取出"),
    ("theirs ← read got[next]", "theirs ← 读取 got[next]"),
    ("if theirs or left = 0: refuse", "若 theirs 或 left = 0：拒绝"),
    ("answer next", "答复 next"),
    ("one script, one step:", "一个脚本，一步完成："),
    ("if I have a packet: stop", "若自己已有红包：结束"),
    ("packet ← take from pending", "packet ← 从 pending 取出"),
    ("if there was none: stop", "若没有：结束"),
    ("add it to consumed, with my name", "连同自己的名字加入 consumed"),
    ("claim (leaves in a batch with others)", "领取（与他人同批发出）"),
    ("one script decides the batch in turn", "一个脚本依次处理整批"),
    ("order ← read got[me]", "order ← 读取 got[me]"),
    ("if there is none: say “cancelled”", "若没有：答复“已取消”"),
    ("delete got[me]", "删除 got[me]"),
    ("say “cancelled”", "答复“已取消”"),
    ("state ← read orders[me]", "state ← 读取 orders[me]"),
    ("if it is not held: say “expired”", "若不在保留中：答复“已过期”"),
    ("write orders[me] ← paid", "写入 orders[me] ← paid"),
    ("user ← take from the queue", "user ← 从队列取出"),
    ("state ← read orders[user]", "state ← 读取 orders[user]"),
    ("if it is held:", "若在保留中："),
    ("write orders[user] ← expired", "写入 orders[user] ← expired"),
    ("cached ← read stock", "cached ← 读取 stock"),
    ("if there is none:", "若没有："),
    ("remaining ← read the database", "remaining ← 读取数据库"),
    ("write stock ← remaining", "写入 stock ← remaining"),
    ("if left < 0: put it back", "若 left < 0：退回去"),
    ("and say “sold out”", "并答复“已售罄”"),
    ("database: remaining − 1", "数据库：remaining − 1"),
    ("database: add my claim", "数据库：写入自己的记录"),
    ("if left < 0: say “sold out”", "若 left < 0：答复“已售罄”"),
    ("if not first: say “already yours”", "若非 first：答复“已有一份”"),
];

/// Returns a line in the reader's language, with its indentation. What is no prose is the same in both.
pub fn translated(line: &str) -> String {
    match lang() {
        Lang::En => line.to_owned(),
        Lang::Zh => in_chinese(line),
    }
}

fn in_chinese(line: &str) -> String {
    let text = line.trim_start();
    let chinese = LINES.iter().find(|(english, _)| *english == text).map_or(text, |(_, chinese)| chinese);
    format!("{}{chinese}", &line[..line.len() - text.len()])
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use crate::lab::player::pseudo;
    use lab::{mistakes::MISTAKES, strategies::STRATEGIES};
    use std::collections::BTreeSet;

    #[test]
    fn every_line_of_prose_is_there_in_chinese_and_no_other() {
        let all = STRATEGIES.iter().chain(&MISTAKES).map(|strategy| strategy.id);
        let everybody = all.flat_map(|id| [Some('1'), Some('2'), None].map(|user| pseudo::lines(id, user)));
        let texts: BTreeSet<String> = everybody.flatten().map(|line| line.text.trim_start().to_owned()).collect();
        let is_code = |text: &String| {
            let mut words = text.split(|sign: char| !sign.is_ascii_alphabetic()).filter(|word| !word.is_empty());
            words.all(|word| ["stock", "got", "me", "next"].contains(&word))
        };
        let prose: BTreeSet<&str> = texts.iter().filter(|text| !is_code(text)).map(String::as_str).collect();
        let known: BTreeSet<&str> = LINES.iter().map(|(english, _)| *english).collect();
        assert_eq!(prose, known);
        assert_eq!(known.len(), LINES.len(), "each is there once");
    }

    #[test]
    fn a_line_keeps_its_indentation_and_code_stays_as_it_is() {
        assert_eq!(in_chinese("  put it back"), "  退回一份");
        assert_eq!(in_chinese("  stock ← stock − 1"), "  stock ← stock − 1");
    }
}
