//! The browser's end of the live view: one line to the server for as long as somebody looks.

pub use super::event_stream::Connection as Link;
use crate::ui::{
    platform::{self, Heard, Line},
    work::{after, effect},
};
use leptos::prelude::*;
use std::{
    cell::{Cell, RefCell},
    rc::{Rc, Weak},
    time::Duration,
};

/// How long to wait before a line that the browser gave up is opened anew.
const RETRY: Duration = Duration::from_secs(2);

/// Opens the line at the address that `address` names at that moment, gives `show` what came, in order, when
/// the browser paints, and tells in `link` how the line is. A tab in the background has no line. The line ends with the component that asked for it.
pub fn follow(link: RwSignal<Link>, address: impl Fn() -> String + 'static, show: impl Fn(&str) + 'static) {
    let mut ends: Option<(Address, Show)> = Some((Box::new(address), Box::new(show)));
    effect(move || {
        let Some((address, show)) = ends.take() else { return };
        let follower = Rc::new_cyclic(|me| Follower {
            me: me.clone(),
            address,
            show,
            link,
            line: RefCell::default(),
            frames: RefCell::default(),
            painting: Cell::default(),
        });
        follower.look();
        let me = follower.me.clone();
        let listener = window_event_listener_untyped("visibilitychange", move |_| with(&me, Follower::look));
        on_cleanup(move || listener.remove());
        // Every callback holds the follower weakly, so it goes, and its line with it, when this does. Kept
        // in here, where only the browser comes: what is local to a thread of the server must not be
        // dropped by another, and that is a panic.
        StoredValue::new_local(follower);
    });
}

type Address = Box<dyn Fn() -> String>;
type Show = Box<dyn Fn(&str)>;

struct Follower {
    me: Weak<Follower>,
    address: Address,
    show: Show,
    link: RwSignal<Link>,
    line: RefCell<Option<Line>>,
    /// What came and is not painted yet: each frame of some kinds builds on the one before it.
    frames: RefCell<Vec<String>>,
    painting: Cell<bool>,
}

fn with(me: &Weak<Follower>, what: impl Fn(&Follower)) {
    if let Some(follower) = me.upgrade() {
        what(&follower);
    }
}

impl Follower {
    /// Opens the line when somebody looks, closes it when nobody does.
    fn look(&self) {
        if platform::hidden() {
            self.line.take();
        } else if self.line.borrow().is_none() {
            self.connect();
        }
    }

    fn connect(&self) {
        // A line that was lost stays so until it stands again.
        if self.link.get_untracked() != Link::Lost {
            self.is(Link::Connecting);
        }
        let me = self.me.clone();
        let heard = move |what| {
            if let Some(follower) = me.upgrade() {
                follower.heard(what);
            }
        };
        self.line.replace(Line::open(&(self.address)(), heard));
    }

    fn heard(&self, what: Heard) {
        match what {
            Heard::Open => self.is(Link::Live),
            Heard::Store(state) => self.is(if state == "down" { Link::StoreDown } else { Link::Live }),
            Heard::Message(frame) => {
                self.is(Link::Live);
                self.frames.borrow_mut().push(frame);
                self.paint_soon();
            }
            Heard::Broken { given_up } => {
                self.is(Link::Lost);
                if given_up {
                    self.retry();
                }
            }
        }
    }

    fn is(&self, link: Link) {
        if self.link.try_get_untracked().is_some_and(|was| was != link) {
            self.link.set(link);
        }
    }

    fn paint_soon(&self) {
        if self.painting.replace(true) {
            return;
        }
        let me = self.me.clone();
        request_animation_frame(move || {
            with(&me, |follower| {
                follower.painting.set(false);
                for frame in follower.frames.take() {
                    (follower.show)(&frame);
                }
            });
        });
    }

    fn retry(&self) {
        let me = self.me.clone();
        after(RETRY, move || {
            with(&me, |follower| {
                // Dropped only now: its own callback asked for this.
                follower.line.take();
                follower.look();
            });
        });
    }
}
