//! The API description as HTML: the pages below `/api`.

use crate::{
    base_path::under_base,
    openapi::{
        contents::{Description, EndpointEntry, GroupEntry},
        reference::{Endpoint, ErrorCode, Example, Field, Group, Reference, Type, TypeName, Variant},
        words::words,
    },
};
use leptos::prelude::*;
use model::error::{Error, Result};

/// Renders the page of a group, of the types, or of the general part. The description is in English, the words around
/// it are in the context's language.
///
/// # Errors
/// `bad_request` if there is no such group.
pub fn html(Reference { about, limits, groups, types, errors }: Reference, page: Option<&str>) -> Result<Description> {
    let words = words();
    let entries = groups.iter().map(entry).collect();
    let view = match page {
        None => view! {
            <section class="card" lang="en">{paragraphs(&about)}</section>
            {section("errors", words.errors, error_table(errors))}
            {section("limits", words.server_limits, view! { <div lang="en">{paragraphs(&limits)}</div> })}
        }
        .into_any(),
        Some("types") => {
            let types = types.into_iter().map(one_type).collect_view();
            section("types", words.types, view! { <p>{words.types_intro}</p> {types} })
        }
        Some(id) => {
            let found = groups.into_iter().find(|group| group.id == id);
            let why = || {
                Error::bad("group", format!("`group` is \"{id}\"; the page {} lists the groups.", under_base("/api")))
            };
            found.map(group).ok_or_else(why)?
        }
    };
    // Leptos marks the ends of views, which only hydration needs.
    let mut html = view.to_html().replace("<!>", "");
    if page != Some("types") {
        let types = under_base("/api?group=types");
        html = html.replace("href=\"#type-", &format!("href=\"{types}#type-"));
    }
    Ok(Description { groups: entries, html })
}

fn entry(Group { id, name, endpoints, .. }: &Group) -> GroupEntry {
    let entry = |Endpoint { id, path, summary, .. }: &Endpoint| EndpointEntry {
        id: id.clone(),
        path: path.clone(),
        summary: summary.clone(),
    };
    GroupEntry { id: id.clone(), name: name.clone(), endpoints: endpoints.iter().map(entry).collect() }
}

fn section(id: &str, title: impl IntoView + 'static, body: impl IntoView + 'static) -> AnyView {
    view! {
        <section class="card" aria-labelledby=id.to_owned()>
            <h2 id=id.to_owned()>{title}</h2> {body}
        </section>
    }
    .into_any()
}

fn group(Group { id, name, description, endpoints }: Group) -> AnyView {
    let links = endpoints.iter().map(|endpoint| view! { <li>{link(&endpoint.id, code(endpoint.path.clone()))}</li> });
    let links = view! { <ul class="groups">{links.collect_view()}</ul> };
    let endpoints = endpoints.into_iter().map(endpoint).collect_view();
    section(&id, name, view! { <div lang="en">{paragraphs(&description)}</div> {links} {endpoints} })
}

fn endpoint(endpoint: Endpoint) -> impl IntoView {
    let Endpoint { id, method, path, description, fields, answer, media, items, errors, examples, .. } = endpoint;
    let words = words();
    let answer = if items.is_empty() {
        let media = (!media.is_empty()).then(|| codes(media));
        joined([Some(type_name(answer)), media].into_iter().flatten(), " | ")
    } else {
        view! { {codes(media)} ": " {joined(items.into_iter().map(type_link), " | ")} }.into_any()
    };
    let title = view! { <span class="method">{method}</span> " " {code(path.clone())} };
    view! {
        <article aria-labelledby=id.clone()>
            <h3 id=id.clone()>{link(&id, title)}</h3>
            <div lang="en">{paragraphs(&description)}</div>
            <h4>{words.request}</h4>
            {fields.is_empty().then(|| view! { <p>{words.no_fields}</p> })}
            {field_table(format!("{}: {path}", words.request), fields)}
            <h4>{words.answer}</h4>
            <p lang="en">{answer}</p>
            <h4>{words.errors}</h4>
            <p>{codes(errors)}</p>
            {examples.into_iter().map(example).collect_view()}
        </article>
    }
}

fn example(Example { name, curl, answer }: Example) -> impl IntoView {
    let title = words().example;
    let label = format!("{title}: {name}");
    view! {
        <h4>{title} ": " <span lang="en">{name}</span></h4>
        <pre class="code command" tabindex="0" role="group" aria-label=label.clone() lang="en">{curl}</pre>
        <pre class="code" tabindex="0" role="group" aria-label=label lang="en">{answer}</pre>
    }
}

/// Returns a table of the fields; `None` if there are no fields.
fn field_table(label: String, fields: Vec<Field>) -> Option<impl IntoView> {
    let words = words();
    let row = |Field { name, required, kind, limits, description }| {
        let optional = (!required).then(|| view! { " " <span class="aside">{words.optional}</span> });
        view! {
            <tr>
                <th scope="row">{code(name)} {optional}</th>
                <td lang="en">{type_name(kind)}</td>
                <td lang="en">{inline(&limits)}</td>
                <td lang="en">{inline(&description)}</td>
            </tr>
        }
    };
    let titles = [words.field, words.kind, words.limits, words.meaning];
    (!fields.is_empty()).then(|| table(label, titles, fields.into_iter().map(row).collect_view()))
}

fn error_table(errors: Vec<ErrorCode>) -> impl IntoView {
    let words = words();
    let row = |ErrorCode { code: name, status, what_to_do, given_by }| {
        let given_by = if given_by.is_empty() { words.by_every_endpoint.into_any() } else { codes(given_by) };
        view! {
            <tr id=format!("error-{name}")>
                <td>{status}</td>
                <th scope="row">{code(name.clone())}</th>
                <td lang="en">{inline(&what_to_do)}</td>
                <td>{given_by}</td>
            </tr>
        }
    };
    let titles = [words.status, words.code, words.what_to_do, words.given_by];
    table(words.errors.to_owned(), titles, errors.into_iter().map(row).collect_view())
}

fn one_type(Type { name, description, kind, fields, variants }: Type) -> impl IntoView {
    let id = format!("type-{name}");
    let variants: Vec<_> = variants.into_iter().map(|one| variant(&name, one)).collect();
    view! {
        <article aria-labelledby=id.clone() lang="en">
            <h3 id=id.clone()>{name.clone()}</h3>
            {paragraphs(&description)}
            {kind.map(|kind| view! { <p>{type_name(kind)}</p> })}
            {field_table(name, fields)}
            {(!variants.is_empty()).then(|| view! { <ul class="variants">{variants}</ul> })}
        </article>
    }
}

fn variant(of: &str, Variant { name, description, fields, reference }: Variant) -> impl IntoView + use<> {
    let label = format!("{of}: {}", name.as_deref().unwrap_or_default());
    view! {
        <li>
            {name.map(|name| view! { {code(name)} " " })} {inline(&description)}
            {reference.map(|name| view! { " " {words().fields_of} " " {type_link(name)} })}
            {field_table(label, fields)}
        </li>
    }
}

/// Returns a table that the keyboard can scroll if it is wider than the screen.
fn table(label: String, titles: [&'static str; 4], rows: impl IntoView) -> impl IntoView {
    view! {
        <div class="wide" tabindex="0" role="group" aria-label=label>
            <table>
                <thead><tr>{titles.map(|title| view! { <th scope="col">{title}</th> })}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// Returns a link within the page. It bypasses the router, so that the focus follows it.
fn link(id: &str, text: impl IntoView + 'static) -> AnyView {
    view! { <a rel="external" href=format!("#{id}")>{text}</a> }.into_any()
}

/// Returns the name of a type: `list of Sale or null`, with a link to `Sale`.
fn type_name(TypeName { text, reference, nullable }: TypeName) -> AnyView {
    let text = (!text.is_empty()).then(|| text.into_any());
    joined([text, reference.map(type_link), nullable.then(|| "or null".into_any())].into_iter().flatten(), " ")
}

fn type_link(name: String) -> AnyView {
    link(&format!("type-{name}"), name)
}

fn codes(names: Vec<String>) -> AnyView {
    joined(names.into_iter().map(code), ", ")
}

fn code(text: String) -> AnyView {
    view! { <code>{text}</code> }.into_any()
}

fn joined(views: impl Iterator<Item = AnyView>, separator: &'static str) -> AnyView {
    views.enumerate().map(|(number, view)| ((number > 0).then_some(separator), view)).collect_view().into_any()
}

fn paragraphs(text: &str) -> AnyView {
    text.split("\n\n").map(|paragraph| view! { <p>{inline(paragraph)}</p> }).collect_view().into_any()
}

/// Renders text with `code` and **strong** words in it.
fn inline(text: &str) -> AnyView {
    marked(text, "`", code, |text| {
        marked(&text, "**", |text| view! { <strong>{text}</strong> }.into_any(), String::into_any)
    })
}

/// Renders the text between marks by `inside`, and the rest by `outside`.
fn marked(text: &str, mark: &str, inside: fn(String) -> AnyView, outside: fn(String) -> AnyView) -> AnyView {
    // Leptos writes a space for an empty text.
    let parts = text.split(mark).map(str::to_owned).enumerate().filter(|(_, part)| !part.is_empty());
    parts.map(|(number, part)| if number % 2 == 1 { inside(part) } else { outside(part) }).collect_view().into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_elements_and_nothing_else_does() {
        let html = inline("**never** `<b>` \"a\"").to_html().replace("<!>", "");
        assert_eq!(html, "<strong>never</strong> <code>&lt;b&gt;</code> \"a\"");
    }
}
