//! The words of the live connection.

use super::browser::Link;
use crate::i18n::by_lang;

/// The words in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&EN, &ZH)
}

/// The catalogue.
pub struct Words {
    pub link: fn(Link) -> &'static str,
}

static EN: Words = Words {
    link: |link| match link {
        Link::Connecting => "Connecting …",
        Link::Live => "Live",
        Link::Lost => "Connection lost, trying again",
        Link::StoreDown => "Redis is out of reach",
    },
};

static ZH: Words = Words {
    link: |link| match link {
        Link::Connecting => "连接中……",
        Link::Live => "实时",
        Link::Lost => "连接中断，正在重试",
        Link::StoreDown => "连不上 Redis",
    },
};
