//! Markup as data.
//!
//! `view!` gives every shape of element a type of its own, and the compiler writes building,
//! hydrating and updating anew for each: this page came to 520 kB of gzipped WebAssembly that way.
//! A [`Node`] is one type for all elements, so that code exists once, and an element costs the bytes
//! of its description. Signals, effects and hydration are those of Leptos; nodes go wherever a view
//! goes.

mod place;

use leptos::{ev::Event, prelude::*, reactive::computed::ScopedFuture, tachys::renderer::types};
use std::{borrow::Cow, pin::Pin};

/// A piece of the page.
pub enum Node {
    Text(Cow<'static, str>),
    /// Text that follows the signals it reads.
    Live(LiveText),
    El(El),
    /// Nodes one after the other, or none.
    Some(Vec<Node>),
    /// Elements that keep their place in the document for as long as their key is there.
    Each(Each),
    /// What only the server waits for. Stands alone or at a page's root, where it is written last.
    Later(Later),
}

type LiveText = Box<dyn FnMut() -> String + Send>;
type Each = Box<dyn FnMut() -> Keyed + Send>;
type Later = Pin<Box<dyn Future<Output = Node> + Send>>;
type LiveAttr = Box<dyn Fn() -> Option<String> + Send>;
type Handler = Box<dyn FnMut(Event) + Send>;
type Found = Box<dyn FnOnce(&types::Element) + Send>;

/// An element in the making. Boxed: each step of making one hands on a pointer.
pub struct El(Box<Parts>);

struct Parts {
    tag: &'static str,
    attrs: Vec<(&'static str, Cow<'static, str>)>,
    live: Vec<(&'static str, LiveAttr)>,
    on: Vec<(&'static str, Handler)>,
    found: Option<Found>,
    html: Option<String>,
    inside: Vec<Node>,
}

/// An element with nothing in it.
pub fn el(tag: &'static str) -> El {
    El(Box::new(Parts {
        tag,
        attrs: Vec::new(),
        live: Vec::new(),
        on: Vec::new(),
        found: None,
        html: None,
        inside: Vec::new(),
    }))
}

impl El {
    pub fn attr(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.0.attrs.push((name, value.into()));
        self
    }

    /// Its classes; none if there are none.
    pub fn class(self, class: &'static str) -> Self {
        if class.is_empty() { self } else { self.attr("class", class) }
    }

    /// An attribute that follows the signals it reads.
    pub fn live(mut self, name: &'static str, value: impl Fn() -> String + Send + 'static) -> Self {
        self.0.live.push((name, Box::new(move || Some(value()))));
        self
    }

    /// An attribute that is there, without a value, when it holds.
    pub fn when(mut self, name: &'static str, holds: impl Fn() -> bool + Send + 'static) -> Self {
        self.0.live.push((name, Box::new(move || holds().then(String::new))));
        self
    }

    pub fn on(mut self, event: &'static str, handle: impl FnMut(Event) + Send + 'static) -> Self {
        self.0.on.push((event, Box::new(handle)));
        self
    }

    /// Is given the element once the browser has it.
    pub fn found(mut self, found: impl FnOnce(&types::Element) + Send + 'static) -> Self {
        self.0.found = Some(Box::new(found));
        self
    }

    /// What is inside, as trusted HTML that nothing looks after.
    pub fn html(mut self, html: String) -> Self {
        self.0.html = Some(html);
        self
    }

    /// What is inside, after what is already there.
    pub fn with(mut self, nodes: Vec<Node>) -> Self {
        self.0.inside.extend(nodes);
        self
    }

    pub fn text(self, text: impl Into<Cow<'static, str>>) -> Self {
        self.with(vec![Node::Text(text.into())])
    }
}

impl Node {
    /// What only the server waits for, before it sends the page.
    pub fn later(node: impl Future<Output = Node> + Send + 'static) -> Self {
        Self::Later(Box::pin(ScopedFuture::new(node)))
    }
}

/// Text that follows the signals it reads.
pub fn live(text: impl FnMut() -> String + Send + 'static) -> Node {
    Node::Live(Box::new(text))
}

/// The elements of a list that changes, each made once for its key. Keys must differ.
pub fn each(items: impl FnMut() -> Vec<Item> + Send + 'static) -> Node {
    // Boxed at once, here and below: what is around a closure is compiled anew for each.
    listed(Box::new(items))
}

/// An element that is there, or not, and made anew when its key changes.
pub fn maybe(item: impl FnMut() -> Option<Item> + Send + 'static) -> Node {
    let mut item: Box<dyn FnMut() -> Option<Item> + Send> = Box::new(item);
    each(move || item().into_iter().collect())
}

fn listed(mut items: Box<dyn FnMut() -> Vec<Item> + Send>) -> Node {
    // What an element makes must outlive the next look at the list, so it belongs to the list's
    // owner and not to the look that made it.
    let parent = Owner::current().unwrap_or_default();
    Node::Each(Box::new(move || Keyed { parent: parent.clone(), items: items() }))
}

/// An element of a list, made when its key is new there.
pub fn item(key: impl Into<Key>, make: impl FnOnce() -> El + Send + 'static) -> Item {
    Item { key: key.into(), make: Box::new(make) }
}

/// A list of things that become [`Node`]s.
#[macro_export]
macro_rules! nodes {
    ($($node:expr),* $(,)?) => { vec![$($crate::ui::node::Node::from($node)),*] };
}

impl From<El> for Node {
    fn from(el: El) -> Self {
        Self::El(el)
    }
}

impl From<&'static str> for Node {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<Vec<Node>> for Node {
    fn from(nodes: Vec<Node>) -> Self {
        Self::Some(nodes)
    }
}

impl<T: Into<Node>> From<Option<T>> for Node {
    fn from(node: Option<T>) -> Self {
        Self::Some(node.into_iter().map(Into::into).collect())
    }
}

/// The look at a list: its elements in order, made only where their key is new.
pub struct Keyed {
    parent: Owner,
    items: Vec<Item>,
}

/// An element of a list, to be made when its key is new there.
pub struct Item {
    key: Key,
    make: Box<dyn FnOnce() -> El + Send>,
}

/// What tells the elements of a list apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    Number(u64),
    Word(Cow<'static, str>),
}

impl From<u64> for Key {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<&'static str> for Key {
    fn from(word: &'static str) -> Self {
        Self::Word(word.into())
    }
}

impl From<String> for Key {
    fn from(word: String) -> Self {
        Self::Word(word.into())
    }
}

/// Writes text so that it is text again where HTML is read, in attributes too.
pub fn escape(text: &str, html: &mut String) {
    for c in text.chars() {
        match c {
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '&' => html.push_str("&amp;"),
            '"' => html.push_str("&quot;"),
            c => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Node, each, el, item, live, maybe};
    use leptos::{prelude::*, tachys::view::RenderHtml};

    fn written(node: impl Into<Node>) -> String {
        Owner::new().with(|| node.into().to_html())
    }

    #[test]
    fn an_element_is_written_with_all_that_is_in_it() {
        let name = el("p").attr("title", "a \"b\"").when("hidden", || true).when("disabled", || false);
        let name = name.with(nodes!["a < b", live(|| "c".to_owned()), el("input").live("value", || "1".to_owned())]);
        assert_eq!(written(name), r#"<p title="a &quot;b&quot;" hidden="">a &lt; b<!>c<input value="1"></p>"#);
    }

    #[test]
    fn what_changes_has_a_mark_behind_it() {
        let list = each(|| ["one", "two"].map(|name| item(name, move || el("li").text(name))).into());
        assert_eq!(written(el("ul").with(nodes![list])), "<ul><li>one</li><li>two</li><!></ul>");
        assert_eq!(written(maybe(|| None)), "<!>");
    }
}
