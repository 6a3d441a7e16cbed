//! URLs: the segments of a path, and the parameters of a query.
//!
//! The router's own map of parameters is not used: it decodes each value once more on insertion, and an id may have a
//! percent sign.

use form_urlencoded::Serializer;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The unreserved characters of RFC 3986 stay readable.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Text as one segment of a path.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// The text of an encoded segment.
pub fn decode_segment(segment: &str) -> String {
    percent_decode_str(segment).decode_utf8_lossy().into_owned()
}

/// The `rel` of a link to this path. The router decodes the URL of a link once too often, so an id with a percent sign
/// would lead to another sale. The browser follows such a link itself.
pub fn link_rel(path: &str) -> Option<&'static str> {
    path.contains("%25").then_some("external")
}

/// The URL of `path` with the parameters that have a value.
pub fn with_query<V: AsRef<str>>(
    path: &str,
    parameters: impl IntoIterator<Item = (&'static str, Option<V>)>,
) -> String {
    let mut query = Serializer::new(String::new());
    for (name, value) in parameters {
        query.extend_pairs(value.map(|value| (name, value)));
    }
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// The URL of this page with one parameter changed or removed. The other parameters stay.
pub fn with_parameter(query: &str, name: &'static str, value: Option<String>) -> String {
    let mut parameters = Serializer::new(String::new());
    parameters.extend_pairs(form_urlencoded::parse(query.as_bytes()).filter(|(other, _)| other != name));
    parameters.extend_pairs(value.map(|value| (name, value)));
    // An empty URL would leave the query unchanged.
    format!("?{}", parameters.finish())
}

/// A parameter of a query, which is given without its question mark. A form field that was left empty has no value.
pub fn parameter(query: &str, name: &str) -> Option<String> {
    let (_, value) = form_urlencoded::parse(query.as_bytes()).filter(|(other, _)| other == name).last()?;
    Some(value.trim()).filter(|value| !value.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_id_fits_into_a_path() {
        assert_eq!(segment("demo-1"), "demo-1");
        assert_eq!(segment("a/b ?红"), "a%2Fb%20%3F%E7%BA%A2");
        for id in ["50%", "50%25", "%2F", "a/b ?红", "a+b"] {
            assert_eq!(decode_segment(&segment(id)), id);
        }
    }

    #[test]
    fn the_router_follows_every_link_but_to_an_id_with_a_percent_sign() {
        let rel = |id| link_rel(&format!("/red-packets/{}", segment(id)));
        assert_eq!(["demo", "a b", "红包", "a/b?c#d"].map(rel), [None; 4]);
        assert_eq!(["50%", "50%25", "%2F"].map(rel), [Some("external"); 3]);
    }

    #[test]
    fn any_value_survives_a_query() {
        for value in ["50%", "50%25", "%2F", "a b+c", "a&b=c#d", "小梅"] {
            let url = with_query("/ledger", [("user", None), ("sale", Some(value))]);
            let query = url.strip_prefix("/ledger?").expect("a query");
            assert_eq!(parameter(query, "sale").as_deref(), Some(value), "{url}");
            assert_eq!(parameter(query, "user"), None);
        }
        assert_eq!(with_query("/", [("id", None::<String>)]), "/");
    }

    #[test]
    fn one_parameter_changes_and_the_rest_stays() {
        assert_eq!(with_parameter("tab=audit&runs=a", "runs", Some("a,b".to_owned())), "?tab=audit&runs=a%2Cb");
        assert_eq!(with_parameter("runs=a&tab=audit", "runs", None), "?tab=audit");
        assert_eq!(with_parameter("tab=audit", "tab", Some("crowd".to_owned())), "?tab=crowd");
        assert_eq!(with_parameter("runs=a", "runs", None), "?");
    }

    #[test]
    fn what_a_form_leaves_empty_has_no_value() {
        assert_eq!(parameter("id=&kind=+&state=open", "id"), None);
        assert_eq!(parameter("id=&kind=+&state=open", "kind"), None);
        assert_eq!(parameter("id=&kind=+&state=open", "state").as_deref(), Some("open"));
    }
}
