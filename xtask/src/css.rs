//! The style sheets, put into one file.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The style sheet with every line `@import "./other.css";` replaced by that file, in order.
pub fn bundle(sheet: &Path) -> Result<String> {
    let text = fs::read_to_string(sheet).with_context(|| format!("{} cannot be read", sheet.display()))?;
    let mut bundled = String::with_capacity(text.len());
    for line in text.lines() {
        match import(line) {
            Import::None => bundled.push_str(line),
            Import::File(file) => bundled.push_str(bundle(&sheet.with_file_name(file))?.trim_end()),
            Import::Unknown => bail!(
                "{}: `{line}` cannot be bundled: write `@import \"./file.css\";`, and put layers into the file itself.",
                sheet.display()
            ),
        }
        bundled.push('\n');
    }
    Ok(bundled)
}

#[derive(Debug, PartialEq)]
enum Import<'a> {
    None,
    File(&'a str),
    Unknown,
}

fn import(line: &str) -> Import<'_> {
    let Some(rest) = line.trim().strip_prefix("@import") else { return Import::None };
    let file = rest.trim().strip_prefix("\"./").and_then(|rest| rest.strip_suffix("\";"));
    file.filter(|file| !file.contains('"')).map_or(Import::Unknown, Import::File)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_inlined_in_order() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text);
        write("main.css", "@layer reset, ui;\n@import \"./reset.css\";\n  @import \"./ui.css\";\n:root {}\n")?;
        write("reset.css", "@layer reset { * { margin: 0 } }\n")?;
        write("ui.css", "@layer ui {\n}\n")?;
        let bundled = bundle(&folder.path().join("main.css"))?;
        assert_eq!(bundled, "@layer reset, ui;\n@layer reset { * { margin: 0 } }\n@layer ui {\n}\n:root {}\n");
        Ok(())
    }

    #[test]
    fn an_import_that_would_be_lost_is_refused() {
        for line in ["@import url(x.css);", "@import \"./x.css\" layer(ui);", "@import \"./x.css\" screen and \"y\";"] {
            assert_eq!(import(line), Import::Unknown, "{line}");
        }
    }
}
