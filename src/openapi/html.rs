//! The description as HTML: the page `/api`.

use super::{
    reference::{Endpoint, ErrorCode, Example, Field, Group, Reference, Type, TypeName, Variant},
    words::Words,
};
use html_escape::encode_safe;

/// Everything below the head of the page. Links within it go past the router, so that the focus follows them.
///
/// The description is in English, whatever the language of the page.
pub fn html(reference: &Reference, words: &Words) -> String {
    let Reference { about, limits, groups, types, errors } = reference;
    let page = Page { words, groups };
    let mut parts =
        vec![format!("<section class=\"card\" lang=\"en\">{}</section>", paragraphs(about)), page.contents()];
    parts.extend(groups.iter().map(|group| page.group(group)));
    parts.push(page.errors(errors));
    parts.push(page.section("limits", words.server_limits, &format!("<div lang=\"en\">{}</div>", paragraphs(limits))));
    let types: String = types.iter().map(|one| page.one_type(one)).collect();
    parts.push(page.section("types", words.types, &format!("<p>{}</p>{types}", words.types_intro)));
    parts.concat()
}

struct Page<'a> {
    words: &'a Words,
    groups: &'a [Group],
}

impl Page<'_> {
    fn section(&self, id: &str, title: &str, body: &str) -> String {
        format!(
            "<section class=\"card\" aria-labelledby=\"{id}\"><h2 id=\"{id}\">{}</h2>{body}</section>",
            encode_safe(title)
        )
    }

    fn contents(&self) -> String {
        let groups = self.groups.iter().map(|group| {
            let endpoints = group.endpoints.iter().map(|endpoint| {
                format!(
                    "<li><a rel=\"external\" href=\"#{}\"><code>{}</code></a></li>",
                    endpoint.id,
                    encode_safe(&endpoint.path)
                )
            });
            let endpoints: String = endpoints.collect();
            format!(
                "<li><a rel=\"external\" href=\"#{}\" lang=\"en\">{}</a><ul>{endpoints}</ul></li>",
                id_of(&group.name),
                encode_safe(&group.name)
            )
        });
        let more = [("errors", self.words.errors), ("limits", self.words.server_limits), ("types", self.words.types)];
        let more =
            more.map(|(id, title)| format!("<li><a rel=\"external\" href=\"#{id}\">{}</a></li>", encode_safe(title)));
        format!(
            "<nav class=\"card contents\" aria-labelledby=\"contents\"><h2 id=\"contents\">{}</h2><ul>{}{}</ul></nav>",
            encode_safe(self.words.contents),
            groups.collect::<String>(),
            more.concat()
        )
    }

    fn group(&self, group: &Group) -> String {
        let endpoints: String = group.endpoints.iter().map(|endpoint| self.endpoint(endpoint)).collect();
        let body = format!("<div lang=\"en\">{}</div>{endpoints}", paragraphs(&group.description));
        self.section(&id_of(&group.name), &group.name, &body)
    }

    fn endpoint(&self, endpoint: &Endpoint) -> String {
        let Endpoint { id, method, path, description, fields, answer, media, items, errors, examples } = endpoint;
        let Words { request, no_fields, answer: answer_title, errors: errors_title, .. } = self.words;
        let fields = match fields.as_slice() {
            [] => format!("<p>{no_fields}</p>"),
            fields => self.fields(&format!("{request}: {path}"), fields),
        };
        let answer = if items.is_empty() {
            let or_text = if media.is_empty() { String::new() } else { format!(" | {}", codes(media)) };
            format!("{}{or_text}", type_html(answer))
        } else {
            let items: Vec<String> = items.iter().map(|name| type_link(name)).collect();
            format!("{}: {}", codes(media), items.join(" | "))
        };
        let examples: String = examples.iter().map(|example| self.example(example)).collect();
        format!(
            "<article aria-labelledby=\"{id}\"><h3 id=\"{id}\"><a rel=\"external\" href=\"#{id}\"><span class=\"method\">{method}</span> \
             <code>{}</code></a></h3><div lang=\"en\">{}</div><h4>{request}</h4>{fields}\
             <h4>{answer_title}</h4><p lang=\"en\">{answer}</p><h4>{errors_title}</h4><p>{}</p>{examples}</article>",
            encode_safe(path),
            paragraphs(description),
            codes(errors),
        )
    }

    fn example(&self, Example { name, curl, answer }: &Example) -> String {
        let title = self.words.example;
        let scrolled = |text: &str, class: &str| {
            format!(
                "<pre class=\"code {class}\" tabindex=\"0\" role=\"group\" aria-label=\"{title}: {0}\" lang=\"en\">{1}</pre>",
                encode_safe(name),
                encode_safe(text)
            )
        };
        format!(
            "<h4>{title}: <span lang=\"en\">{}</span></h4>{}{}",
            encode_safe(name),
            scrolled(curl, "command"),
            scrolled(answer, "")
        )
    }

    fn fields(&self, label: &str, fields: &[Field]) -> String {
        let Words { field, kind, limits, meaning, optional, .. } = self.words;
        let rows: String = fields
            .iter()
            .map(|Field { name, required, kind, limits, description }| {
                let optional =
                    if *required { String::new() } else { format!(" <span class=\"aside\">{optional}</span>") };
                format!(
                    "<tr><th scope=\"row\"><code>{}</code>{optional}</th><td lang=\"en\">{}</td><td lang=\"en\">{}</td>\
                     <td lang=\"en\">{}</td></tr>",
                    encode_safe(name),
                    type_html(kind),
                    inline(limits),
                    inline(description)
                )
            })
            .collect();
        table(label, [field, kind, limits, meaning], &rows)
    }

    fn errors(&self, errors: &[ErrorCode]) -> String {
        let Words { status, code, what_to_do, given_by, by_every_endpoint, errors: title, .. } = self.words;
        let rows: String = errors
            .iter()
            .map(|ErrorCode { code, status, what_to_do, given_by }| {
                let given_by = if given_by.is_empty() { (*by_every_endpoint).to_owned() } else { codes(given_by) };
                format!(
                    "<tr id=\"error-{code}\"><td>{status}</td><th scope=\"row\"><code>{code}</code></th>\
                     <td lang=\"en\">{}</td><td>{given_by}</td></tr>",
                    inline(what_to_do)
                )
            })
            .collect();
        self.section("errors", title, &table(title, [status, code, what_to_do, given_by], &rows))
    }

    fn one_type(&self, Type { name, description, kind, fields, variants }: &Type) -> String {
        let kind = kind.as_ref().map(|kind| format!("<p>{}</p>", type_html(kind))).unwrap_or_default();
        let fields = if fields.is_empty() { String::new() } else { self.fields(name, fields) };
        let variants: String = variants.iter().map(|variant| self.variant(name, variant)).collect();
        let variants = if variants.is_empty() { variants } else { format!("<ul class=\"variants\">{variants}</ul>") };
        format!(
            "<article aria-labelledby=\"type-{name}\" lang=\"en\"><h3 id=\"type-{name}\">{name}</h3>{}{kind}{fields}{variants}\
             </article>",
            paragraphs(description)
        )
    }

    fn variant(&self, of: &str, Variant { name, description, fields, reference }: &Variant) -> String {
        let title = name.as_ref().map(|name| format!("<code>{}</code> ", encode_safe(name))).unwrap_or_default();
        let also = reference.as_ref().map(|name| format!(" {} {}", self.words.fields_of, type_link(name)));
        let label = format!("{of}: {}", name.as_deref().unwrap_or_default());
        let fields = if fields.is_empty() { String::new() } else { self.fields(&label, fields) };
        format!("<li>{title}{}{}{fields}</li>", inline(description), also.unwrap_or_default())
    }
}

/// A table that the keyboard can scroll where it is wider than the screen.
fn table(label: &str, titles: [&str; 4], rows: &str) -> String {
    let titles = titles.map(|title| format!("<th scope=\"col\">{}</th>", encode_safe(title))).concat();
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"><table><thead><tr>{titles}</tr></thead>\
         <tbody>{rows}</tbody></table></div>",
        encode_safe(label)
    )
}

fn type_html(TypeName { text, reference, nullable }: &TypeName) -> String {
    let link = reference.as_deref().map(type_link).unwrap_or_default();
    let null = if *nullable { " or null" } else { "" };
    format!("{} {link}", encode_safe(text)).trim().to_owned() + null
}

fn type_link(name: &str) -> String {
    format!("<a rel=\"external\" href=\"#type-{0}\">{0}</a>", encode_safe(name))
}

fn codes(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("<code>{}</code>", encode_safe(name))).collect();
    names.join(", ")
}

fn paragraphs(text: &str) -> String {
    text.split("\n\n").map(|paragraph| format!("<p>{}</p>", inline(paragraph))).collect()
}

/// Text with `code` and **strong** words in it.
fn inline(text: &str) -> String {
    marked(&encode_safe(text), "`", "code", |text| marked(text, "**", "strong", str::to_owned))
}

/// Makes elements of what stands between marks; `outside` takes the rest.
fn marked(text: &str, mark: &str, tag: &str, outside: fn(&str) -> String) -> String {
    let parts = text.split(mark).enumerate();
    parts.map(|(number, part)| if number % 2 == 1 { format!("<{tag}>{part}</{tag}>") } else { outside(part) }).collect()
}

/// `red-packets`
fn id_of(heading: &str) -> String {
    heading.to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::inline;

    #[test]
    fn marks_become_elements_and_nothing_else_does() {
        assert_eq!(inline("**never** `<b>` \"a\""), "<strong>never</strong> <code>&lt;b&gt;</code> &quot;a&quot;");
    }
}
