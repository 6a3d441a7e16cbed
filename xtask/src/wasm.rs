//! WebAssembly modules, as far as they are taken apart here.

use anyhow::{Context, Result};

/// The section that lists what a module exports.
const EXPORTS: u8 = 7;
/// `\0asm` and the version.
const HEADER: usize = 8;

/// The module without the exports that have `part` in their names. What nothing else reaches, wasm-opt takes out.
pub fn without_exports(module: &[u8], part: &str) -> Result<Vec<u8>> {
    let (header, mut rest) = module.split_at_checked(HEADER).context("not a WebAssembly module")?;
    let mut slim = header.to_vec();
    while !rest.is_empty() {
        let kind = take(&mut rest, 1)?[0];
        let length = number(&mut rest)?;
        let mut body = take(&mut rest, length)?;
        let kept;
        if kind == EXPORTS {
            kept = keep(&mut body, part)?;
            body = &kept;
        }
        slim.push(kind);
        write(body.len(), &mut slim);
        slim.extend(body);
    }
    Ok(slim)
}

/// The section of exports, with those that stay.
fn keep(section: &mut &[u8], part: &str) -> Result<Vec<u8>> {
    let count = number(section)?;
    let (mut number_kept, mut kept) = (0, Vec::new());
    for _ in 0..count {
        let start = *section;
        let length = number(section)?;
        let name = std::str::from_utf8(take(section, length)?)?;
        take(section, 1)?;
        number(section)?;
        if !name.contains(part) {
            number_kept += 1;
            kept.extend(&start[..start.len() - section.len()]);
        }
    }
    let mut slim = Vec::new();
    write(number_kept, &mut slim);
    slim.append(&mut kept);
    Ok(slim)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length).context("the WebAssembly module ends early")?;
    *rest = left;
    Ok(taken)
}

/// Reads an unsigned LEB128.
fn number(rest: &mut &[u8]) -> Result<usize> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = take(rest, 1)?[0];
        value |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return Ok(value);
        }
    }
}

/// Writes an unsigned LEB128.
fn write(mut value: usize, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with a section of exports between two others.
    fn module(exports: &[&str]) -> Vec<u8> {
        let mut section = vec![exports.len() as u8];
        for (place, name) in exports.iter().enumerate() {
            section.push(name.len() as u8);
            section.extend(name.bytes());
            section.extend([0, place as u8]);
        }
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        module.extend([3, 2, 1, 0, EXPORTS, section.len() as u8]);
        module.extend(section);
        module.extend([10, 0]);
        module
    }

    #[test]
    fn only_what_is_not_wanted_goes() -> Result<()> {
        let slim = without_exports(&module(&["memory", "stream_pull", "hydrate"]), "stream")?;
        let mut expected = module(&["memory", "hydrate"]);
        // The number of a function stays its own.
        let place = expected.iter().rposition(|byte| *byte == 1).context("the place of `hydrate`")?;
        expected[place] = 2;
        assert_eq!(slim, expected);
        assert!(without_exports(&slim[..slim.len() - 4], "stream").is_err());
        Ok(())
    }

    #[test]
    fn numbers_are_read_as_they_are_written() -> Result<()> {
        for value in [0, 127, 128, 16_384, 291_701] {
            let mut bytes = Vec::new();
            write(value, &mut bytes);
            assert_eq!(number(&mut bytes.as_slice())?, value);
        }
        Ok(())
    }
}
