//! The words of the live connection.

use crate::live::event_stream::Connection;

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        /// How the connection stands.
        connection: fn(Connection) -> &'static str =
            |connection| match connection {
                Connection::Connecting => "Connecting…",
                Connection::Waiting => "Not live",
                Connection::Live => "Live",
                Connection::Silent => "No news, reconnecting",
                Connection::Lost => "Connection lost, retrying",
                Connection::StoreDown => "Redis is unreachable",
            },
            |connection| match connection {
                Connection::Connecting => "连接中…",
                Connection::Waiting => "未实时更新",
                Connection::Live => "实时",
                Connection::Silent => "没有新消息，正在重连",
                Connection::Lost => "连接已断开，正在重试",
                Connection::StoreDown => "无法连接 Redis",
            };
    }
}
