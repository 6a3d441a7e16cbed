//! The words of the live connection.

use crate::{i18n::by_lang, live::event_stream::Connection};

/// The words in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&EN, &ZH)
}

/// The catalogue.
pub struct Words {
    /// How the connection stands.
    pub connection: fn(Connection) -> &'static str,
}

static EN: Words = Words {
    connection: |connection| match connection {
        Connection::Connecting => "Connecting…",
        Connection::Waiting => "Not live",
        Connection::Live => "Live",
        Connection::Lost => "Connection lost, retrying",
        Connection::StoreDown => "Redis is unreachable",
    },
};

static ZH: Words = Words {
    connection: |connection| match connection {
        Connection::Connecting => "连接中…",
        Connection::Waiting => "未实时更新",
        Connection::Live => "实时",
        Connection::Lost => "连接已断开，正在重试",
        Connection::StoreDown => "无法连接 Redis",
    },
};
