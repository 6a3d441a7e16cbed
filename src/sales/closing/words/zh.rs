//! 中文。

use super::Words;

pub static ZH: Words = Words {
    close: "关闭活动",
    close_question: "关闭此活动？之后不再接受任何请求，且无法撤销。",
    close_yes: "是，关闭",
    archive: "归档",
    archive_question: "归档此活动？它将从 Redis 中删除，历史记录保留在账本中。",
    archive_yes: "是，归档",
    keep: "否",
};
