//! How a [`Node`] gets into the document and stays there: written by the server, taken over from what
//! the server wrote, or built by the browser.

use super::{Each, El, Item, Key, Keyed, LiveText, Node, Parts};
use leptos::{
    prelude::*,
    reactive::computed::ScopedFuture,
    tachys::{
        html::attribute::any_attribute::AnyAttribute,
        hydration::Cursor,
        no_attrs,
        reactive_graph::RenderEffectState,
        renderer::{CastFrom, RemoveEventHandler, Rndr, types},
        ssr::StreamBuilder,
        view::{
            Mountable, Position, PositionState, Render, RenderHtml,
            strings::{CowStrState, StringState},
        },
    },
    wasm_bindgen::{JsCast, JsValue},
};
use std::{borrow::Cow, mem};

/// What stands in the document for a [`Node`].
pub enum NodeState {
    Text(CowStrState<'static>),
    Live(RenderEffectState<StringState>),
    El(ElState),
    Some(Vec<NodeState>),
    Each(RenderEffectState<KeyedState>),
}

/// What stands in the document for an [`El`], and what keeps it alive.
pub struct ElState {
    el: types::Element,
    _inside: Vec<NodeState>,
    _live: Vec<RenderEffect<Option<String>>>,
    _on: Vec<RemoveEventHandler<types::Element>>,
}

/// What stands in the document for a list.
pub struct KeyedState {
    /// In the order of the document.
    kept: Vec<Kept>,
    mark: types::Placeholder,
}

struct Kept {
    key: Key,
    // Dropped before its owner: from the bottom up.
    state: ElState,
    _owner: Owner,
}

impl Parts {
    fn build(mut self) -> ElState {
        let el = Rndr::create_element(self.tag, None);
        for (name, value) in &self.attrs {
            Rndr::set_attribute(&el, name, value);
        }
        if let Some(html) = &self.html {
            Rndr::set_inner_html(&el, html);
        }
        let mut inside = build_all(mem::take(&mut self.inside));
        mount_all(&mut inside, &el, None);
        self.enliven(el, inside, false)
    }

    fn hydrate(mut self, cursor: &Cursor, position: &PositionState) -> ElState {
        match position.get() {
            Position::FirstChild => cursor.child(),
            Position::Current => {}
            _ => cursor.sibling(),
        }
        let Some(el) = types::Element::cast_from(cursor.current()) else {
            panic!("the server's page has no <{}> here", self.tag);
        };
        position.set(Position::FirstChild);
        let inside = hydrate_all(mem::take(&mut self.inside), cursor, position);
        cursor.set(AsRef::<types::Node>::as_ref(&el).clone());
        position.set(Position::NextChild);
        self.enliven(el, inside, true)
    }

    fn enliven(self, el: types::Element, inside: Vec<NodeState>, hydrated: bool) -> ElState {
        let live = self.live.into_iter().map(|(name, value)| {
            let el = el.clone();
            RenderEffect::new(move |was: Option<Option<String>>| {
                let is = value();
                match (&was, &is) {
                    (None, _) if hydrated => {}
                    (Some(was), is) if was == is => {}
                    (_, Some(is)) => Rndr::set_attribute(&el, name, is),
                    (_, None) => Rndr::remove_attribute(&el, name),
                }
                is
            })
        });
        let live = live.collect();
        let on = self.on.into_iter().map(|(event, mut handle)| {
            Rndr::add_event_listener(&el, event, Box::new(move |event: JsValue| handle(event.unchecked_into())))
        });
        let on = on.collect();
        if let Some(found) = self.found {
            found(&el);
        }
        ElState { el, _inside: inside, _live: live, _on: on }
    }

    fn write(self, html: &mut String, position: &mut Position) {
        html.extend(["<", self.tag]);
        let live = self.live.iter().filter_map(|(name, value)| Some((*name, Cow::Owned(value()?))));
        for (name, value) in self.attrs.into_iter().chain(live) {
            html.extend([" ", name, "=\""]);
            super::escape(&value, html);
            html.push('"');
        }
        html.push('>');
        if !matches!(self.tag, "img" | "input") {
            match self.html {
                Some(inside) => html.push_str(&inside),
                None => write_all(self.inside, html, &mut Position::FirstChild),
            }
            html.extend(["</", self.tag, ">"]);
        }
        *position = Position::NextChild;
    }
}

fn build_all(nodes: Vec<Node>) -> Vec<NodeState> {
    nodes.into_iter().map(Node::build).collect()
}

fn hydrate_all(nodes: Vec<Node>, cursor: &Cursor, position: &PositionState) -> Vec<NodeState> {
    nodes.into_iter().map(|node| node.hydrate::<true>(cursor, position)).collect()
}

fn mount_all(nodes: &mut [NodeState], parent: &types::Element, before: Option<&types::Node>) {
    for node in nodes {
        node.mount(parent, before);
    }
}

fn write_all(nodes: Vec<Node>, html: &mut String, position: &mut Position) {
    for node in nodes {
        node.to_html_with_buf(html, position, true, false, Vec::new());
    }
}

/// Writes the mark that stands behind nodes that change.
fn write_mark(html: &mut String, position: &mut Position) {
    html.push_str("<!>");
    *position = Position::NextChild;
}

fn parent_of(mark: &types::Placeholder) -> Option<types::Element> {
    Rndr::get_parent(mark).and_then(types::Element::cast_from)
}

no_attrs!(Node);
no_attrs!(Keyed);

impl Render for Node {
    type State = NodeState;

    fn build(self) -> NodeState {
        match self {
            Self::Text(text) => NodeState::Text(text.build()),
            Self::Live(text) => NodeState::Live(LiveText::build(text)),
            Self::El(El(parts)) => NodeState::El(parts.build()),
            Self::Some(nodes) => NodeState::Some(build_all(nodes)),
            Self::Each(look) => NodeState::Each(Each::build(look)),
            Self::Later(_) => NodeState::Some(Vec::new()),
        }
    }

    /// Takes the place of what was there, which must have been an element at least.
    fn rebuild(self, state: &mut NodeState) {
        let mut fresh = self.build();
        state.insert_before_this(&mut fresh);
        state.unmount();
        *state = fresh;
    }
}

impl RenderHtml for Node {
    type AsyncOutput = Self;
    type Owned = Self;

    const MIN_LENGTH: usize = 0;

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self {
        self
    }

    fn to_html_with_buf(
        self,
        html: &mut String,
        position: &mut Position,
        escape: bool,
        mark_branches: bool,
        extra: Vec<AnyAttribute>,
    ) {
        match self {
            Self::Text(text) => text.to_html_with_buf(html, position, escape, mark_branches, extra),
            Self::Live(text) => text.to_html_with_buf(html, position, escape, mark_branches, extra),
            Self::El(El(parts)) => parts.write(html, position),
            Self::Some(nodes) => write_all(nodes, html, position),
            Self::Each(look) => look.to_html_with_buf(html, position, escape, mark_branches, extra),
            // Nobody waits here: the list of routes is made this way.
            Self::Later(_) => {}
        }
    }

    fn to_html_async_with_buf<const OUT_OF_ORDER: bool>(
        self,
        chunks: &mut StreamBuilder,
        position: &mut Position,
        escape: bool,
        mark_branches: bool,
        extra: Vec<AnyAttribute>,
    ) {
        let Self::Later(node) = self else {
            return chunks.with_buf(|html| self.to_html_with_buf(html, position, escape, mark_branches, extra));
        };
        let (id, mut place) = (chunks.clone_id(), *position);
        *position = Position::NextChild;
        chunks.push_async(ScopedFuture::new(async move {
            let node = node.await;
            let mut chunks = StreamBuilder::new(id);
            chunks.with_buf(|html| node.to_html_with_buf(html, &mut place, escape, mark_branches, extra));
            chunks.finish().take_chunks()
        }));
    }

    fn hydrate<const FROM_SERVER: bool>(self, cursor: &Cursor, position: &PositionState) -> NodeState {
        match self {
            Self::Text(text) => NodeState::Text(text.hydrate::<true>(cursor, position)),
            Self::Live(text) => NodeState::Live(text.hydrate::<true>(cursor, position)),
            Self::El(El(parts)) => NodeState::El(parts.hydrate(cursor, position)),
            Self::Some(nodes) => NodeState::Some(hydrate_all(nodes, cursor, position)),
            Self::Each(look) => NodeState::Each(look.hydrate::<true>(cursor, position)),
            Self::Later(_) => NodeState::Some(Vec::new()),
        }
    }

    fn into_owned(self) -> Self {
        self
    }
}

impl Mountable for NodeState {
    fn unmount(&mut self) {
        match self {
            Self::Text(state) => state.unmount(),
            Self::Live(state) => state.unmount(),
            Self::El(state) => Rndr::remove(&state.el),
            Self::Some(states) => states.iter_mut().for_each(Mountable::unmount),
            Self::Each(state) => state.unmount(),
        }
    }

    fn mount(&mut self, parent: &types::Element, before: Option<&types::Node>) {
        match self {
            Self::Text(state) => state.mount(parent, before),
            Self::Live(state) => state.mount(parent, before),
            Self::El(state) => Rndr::insert_node(parent, &state.el, before),
            Self::Some(states) => mount_all(states, parent, before),
            Self::Each(state) => state.mount(parent, before),
        }
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        match self {
            Self::Text(state) => state.insert_before_this(child),
            Self::Live(state) => state.insert_before_this(child),
            Self::El(state) => state.el.insert_before_this(child),
            Self::Some(states) => states.iter().any(|state| state.insert_before_this(child)),
            Self::Each(state) => state.insert_before_this(child),
        }
    }

    fn elements(&self) -> Vec<types::Element> {
        match self {
            Self::El(state) => vec![state.el.clone()],
            _ => Vec::new(),
        }
    }
}

impl Item {
    /// Makes the element under an owner of its own, which lives as long as the element.
    fn make<T>(self, parent: &Owner, place: impl FnOnce(El) -> T) -> (Key, Owner, T) {
        let owner = parent.with(Owner::new);
        let placed = owner.with(|| place((self.make)()));
        (self.key, owner, placed)
    }

    fn keep(self, parent: &Owner, place: impl FnOnce(El) -> ElState) -> Kept {
        let (key, owner, state) = self.make(parent, place);
        Kept { key, state, _owner: owner }
    }
}

impl Render for Keyed {
    type State = KeyedState;

    fn build(self) -> KeyedState {
        let kept = self.items.into_iter().map(|item| item.keep(&self.parent, |El(parts)| parts.build())).collect();
        KeyedState { kept, mark: Rndr::create_placeholder() }
    }

    fn rebuild(self, state: &mut KeyedState) {
        let mut old = mem::take(&mut state.kept);
        let keep = |item: Item| match old.iter().position(|kept| kept.key == item.key) {
            Some(place) => old.remove(place),
            None => item.keep(&self.parent, |El(parts)| parts.build()),
        };
        state.kept = self.items.into_iter().map(keep).collect();
        old.iter().for_each(|gone| Rndr::remove(&gone.state.el));
        if let Some(parent) = parent_of(&state.mark) {
            let mut next: types::Node = AsRef::<types::Node>::as_ref(&state.mark).clone();
            for kept in state.kept.iter().rev() {
                let node: &types::Node = kept.state.el.as_ref();
                if Rndr::next_sibling(node).as_ref() != Some(&next) {
                    Rndr::insert_node(&parent, node, Some(&next));
                }
                next = node.clone();
            }
        }
        // Effects of what is gone may be on their way already; they still find their signals.
        leptos::task::spawn_local(async move { drop(old) });
    }
}

impl RenderHtml for Keyed {
    type AsyncOutput = Self;
    type Owned = Self;

    const MIN_LENGTH: usize = 3;

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self {
        self
    }

    fn to_html_with_buf(self, html: &mut String, position: &mut Position, _: bool, _: bool, _: Vec<AnyAttribute>) {
        for item in self.items {
            _ = item.make(&self.parent, |El(parts)| parts.write(html, position));
        }
        write_mark(html, position);
    }

    fn hydrate<const FROM_SERVER: bool>(self, cursor: &Cursor, position: &PositionState) -> KeyedState {
        let hydrate = |item: Item| item.keep(&self.parent, |El(parts)| parts.hydrate(cursor, position));
        let kept = self.items.into_iter().map(hydrate).collect();
        KeyedState { kept, mark: cursor.next_placeholder(position) }
    }

    fn into_owned(self) -> Self {
        self
    }
}

impl Mountable for KeyedState {
    fn unmount(&mut self) {
        self.kept.iter().for_each(|kept| Rndr::remove(&kept.state.el));
        self.mark.unmount();
    }

    fn mount(&mut self, parent: &types::Element, before: Option<&types::Node>) {
        self.kept.iter().for_each(|kept| Rndr::insert_node(parent, &kept.state.el, before));
        self.mark.mount(parent, before);
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        match self.kept.first() {
            Some(kept) => kept.state.el.insert_before_this(child),
            None => self.mark.insert_before_this(child),
        }
    }

    fn elements(&self) -> Vec<types::Element> {
        Vec::new()
    }
}
