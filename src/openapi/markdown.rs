//! The description as Markdown: `docs/api.md`.

use super::reference::{Endpoint, ErrorCode, Field, Reference, Type, TypeName, Variant};
use std::fmt::{self, Write};

/// The whole file.
pub fn markdown(reference: &Reference) -> String {
    let mut file = String::new();
    // Writing to memory cannot fail.
    write(reference, &mut file).unwrap_or_default();
    file
}

fn write(reference: &Reference, file: &mut String) -> fmt::Result {
    let Reference { about, limits, groups, types, errors } = reference;
    writeln!(file, "<!-- Made by `stampede api --markdown`, from the types of the program and what they say. -->\n")?;
    writeln!(file, "# The API\n\n{about}\n")?;
    writeln!(
        file,
        "A running server has this text as a page at `/api`, and as an OpenAPI 3.1 document at `/api/openapi.json`.\n"
    )?;
    for group in groups {
        let endpoints = group.endpoints.iter().map(|endpoint| {
            let (method, path) = (&endpoint.method, &endpoint.path);
            format!("[`{path}`](#{})", anchor(&format!("{method} {path}")))
        });
        writeln!(file, "- [{}](#{}): {}", group.name, anchor(&group.name), endpoints.collect::<Vec<_>>().join(", "))?;
    }
    writeln!(file, "- [Errors](#errors), [Limits](#limits), [Types](#types)")?;
    for group in groups {
        writeln!(file, "\n## {}\n\n{}", group.name, group.description)?;
        for endpoint in &group.endpoints {
            write_endpoint(endpoint, file)?;
        }
    }
    write_errors(errors, file)?;
    writeln!(file, "\n## Limits\n\n{limits}")?;
    writeln!(file, "\n## Types\n\nOf answers. A field that is not always there is marked with `?`.")?;
    types.iter().try_for_each(|one| write_type(one, file))
}

fn write_endpoint(endpoint: &Endpoint, file: &mut String) -> fmt::Result {
    let Endpoint { method, path, description, fields, answer, media, items, errors, examples, .. } = endpoint;
    writeln!(file, "\n### {method} {path}\n\n{description}")?;
    write_fields(fields, file)?;
    let media: Vec<String> = media.iter().map(|media| format!("`{media}`")).collect();
    if items.is_empty() {
        let or_text: String = media.iter().map(|media| format!(", or {media}")).collect();
        writeln!(file, "\nAnswer: {}{or_text}", type_text(answer))?;
    } else {
        let items: Vec<String> = items.iter().map(|name| type_link(name)).collect();
        writeln!(file, "\nAnswer: {}, of {}", media.join(" or "), items.join(" or "))?;
    }
    let errors: Vec<String> = errors.iter().map(|code| format!("`{code}`")).collect();
    writeln!(file, "\nErrors: {}", errors.join(", "))?;
    for example in examples {
        writeln!(file, "\nExample, {}:\n\n```\n{}\n```\n\n```\n{}\n```", example.name, example.curl, example.answer)?;
    }
    Ok(())
}

fn write_fields(fields: &[Field], file: &mut String) -> fmt::Result {
    if fields.is_empty() {
        return Ok(());
    }
    writeln!(file, "\n| field | type | limits | meaning |\n| --- | --- | --- | --- |")?;
    for Field { name, required, kind, limits, description } in fields {
        let optional = if *required { "" } else { "?" };
        let cells = [type_text(kind), limits.clone(), description.clone()].map(|cell| in_a_cell(&cell));
        writeln!(file, "| `{name}`{optional} | {} |", cells.join(" | "))?;
    }
    Ok(())
}

fn in_a_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn write_errors(errors: &[ErrorCode], file: &mut String) -> fmt::Result {
    writeln!(file, "\n## Errors\n\nThe answer of an error is {}.\n", type_link("Error"))?;
    writeln!(file, "| status | code | what to do | given by |\n| --- | --- | --- | --- |")?;
    for ErrorCode { code, status, what_to_do, given_by } in errors {
        let given_by: Vec<String> = given_by.iter().map(|path| format!("`{path}`")).collect();
        let given_by = if given_by.is_empty() { "every endpoint".to_owned() } else { given_by.join(", ") };
        writeln!(file, "| {status} | `{code}` | {} | {given_by} |", in_a_cell(what_to_do))?;
    }
    Ok(())
}

fn write_type(one: &Type, file: &mut String) -> fmt::Result {
    let Type { name, description, kind, fields, variants } = one;
    writeln!(file, "\n### {name}\n\n{description}")?;
    if let Some(kind) = kind {
        writeln!(file, "\nIn JSON: {}", type_text(kind))?;
    }
    write_fields(fields, file)?;
    if !variants.is_empty() {
        writeln!(file)?;
    }
    for Variant { name, description, fields, reference } in variants {
        let name = name.as_ref().map(|name| format!("`{name}`: ")).unwrap_or_default();
        let also = reference.as_ref().map(|name| format!(" With the fields of {}.", type_link(name)));
        let fields = fields.iter().map(|field| {
            let optional = if field.required { "" } else { "?" };
            format!("`{}`{optional} ({}) {}", field.name, type_text(&field.kind), field.description)
        });
        let fields: Vec<String> = fields.collect();
        let fields = if fields.is_empty() { String::new() } else { format!(" With {}", fields.join("; ")) };
        let text = format!("- {name}{description}{}{fields}", also.unwrap_or_default());
        writeln!(file, "{}", text.trim_end().replace('\n', " "))?;
    }
    Ok(())
}

fn type_text(name: &TypeName) -> String {
    let TypeName { text, reference, nullable } = name;
    let link = reference.as_deref().map(type_link).unwrap_or_default();
    let null = if *nullable { " or null" } else { "" };
    format!("{text} {link}").trim().to_owned() + null
}

fn type_link(name: &str) -> String {
    format!("[{name}](#{})", anchor(name))
}

/// The fragment that a Markdown viewer makes of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_')
        .collect::<String>()
        .replace(' ', "-")
}
