//! Which pages there are, and which of them the browser downloads together.
//!
//! Each download has the pages of one subject, so that nobody waits for a seat map to see a red packet. A page
//! of another download is a way to it: the browser goes there as if from outside.

use crate::{
    ledger::{board::board_page, page::ledger_page},
    sales::{
        home::home_page,
        red_packet::page::red_packet_page,
        ticket::{list::tickets_page, page::ticket_page},
    },
    ui::{node::Node, notice::blank, platform, work::effect},
    words::words,
};
use leptos::prelude::*;
use leptos_router::{hooks::use_location, location::Location};

/// Makes a page.
pub type Page = fn() -> Node;

/// Every page there is, by what makes it. What nothing names is not in the download.
#[derive(Clone, Copy)]
pub struct Pages {
    pub home: Page,
    pub red_packet: Page,
    pub ledger: Page,
    pub audit: Page,
    pub tickets: Page,
    pub ticket: Page,
}

/// The parts that the browser side comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Download {
    Main,
    Tickets,
}

impl Pages {
    /// The server's.
    pub const ALL: Self = Self {
        home: home_page,
        red_packet: red_packet_page,
        ledger: ledger_page,
        audit: board_page,
        tickets: tickets_page,
        ticket: ticket_page,
    };
    /// Of [`Download::Main`].
    pub const MAIN: Self = Self { tickets: elsewhere, ticket: elsewhere, ..Self::ALL };
    /// Of [`Download::Tickets`].
    pub const TICKETS: Self =
        Self { home: elsewhere, red_packet: elsewhere, ledger: elsewhere, audit: elsewhere, ..Self::ALL };
}

impl Download {
    /// The one that has the page of a path.
    pub fn of(path: &str) -> Self {
        let is_tickets = path.strip_prefix("/tickets").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if is_tickets { Self::Tickets } else { Self::Main }
    }

    /// The name of its files under `/pkg/`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "stampede",
            Self::Tickets => "tickets",
        }
    }
}

/// A page of another download: its address is loaded as if it had been typed.
fn elsewhere() -> Node {
    let Location { pathname, search, .. } = use_location();
    effect(move || platform::go(&[pathname.get().as_str(), "?", &search.get()].concat()));
    blank(words().loading, "", false).into()
}

#[cfg(test)]
mod tests {
    use super::Download;

    #[test]
    fn the_pages_of_tickets_have_a_download_of_their_own() {
        for path in ["/tickets", "/tickets/", "/tickets/s"] {
            assert_eq!(Download::of(path), Download::Tickets, "{path}");
        }
        for path in ["/", "/ticketsale", "/red-packets/tickets", "/ledger"] {
            assert_eq!(Download::of(path), Download::Main, "{path}");
        }
    }
}
