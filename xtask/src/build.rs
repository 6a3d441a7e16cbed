//! The two programs that one crate makes: the server, and the site that it serves to browsers.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use wasm_bindgen_cli_support::Bindgen;

use crate::css;
use crate::tools::{self, Tool};
use crate::workspace::{cargo, root, run, say, target};

/// What wasm-opt is told: small first, and the features that rustc emits.
const WASM_OPT: [&str; 9] = [
    "-Oz",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--strip-debug",
    "--strip-producers",
];

/// The name that Cargo gives the library, and under which the server asks for it.
const NAME: &str = "stampede";

/// Builds the site and the server.
pub fn everything() -> Result<()> {
    site()?;
    server()
}

/// Builds `target/release/stampede`.
pub fn server() -> Result<()> {
    say("Building the server");
    run(&mut cargo("build --release --features ssr --bin stampede"))
}

/// Builds `target/site`: the browser side under `pkg/`, the style sheet, and the files of `public/`, each text beside
/// its gzipped twin.
pub fn site() -> Result<()> {
    tools::install(&[Tool::WasmTarget, Tool::WasmOpt])?;
    say("Building the browser side");
    run(&mut cargo("build --profile=browser --lib --features=hydrate --target=wasm32-unknown-unknown"))?;
    let package = package()?;

    // Put together anew each time, so that nothing stays which is no longer made.
    let (site, next) = (target().join("site"), target().join("site.next"));
    remove(&next)?;
    copy(&root().join("public"), &next)?;
    copy(&package, &next.join("pkg"))?;
    fs::write(next.join("pkg/stampede.css"), css::bundle(&root().join("style/main.css"))?)?;
    gzip(&next)?;
    remove(&site)?;
    fs::rename(&next, &site)?;

    let size = |file: &str| fs::metadata(site.join("pkg").join(file)).map(|file| file.len() / 1000);
    say(format_args!(
        "The WebAssembly is {} kB, {} kB gzipped",
        size(&format!("{NAME}_bg.wasm"))?,
        size(&format!("{NAME}_bg.wasm.gz"))?
    ));
    Ok(())
}

/// Turns what rustc made into what a browser loads, and returns the folder it is in. Nothing is done if the input is
/// what it was the last time.
///
/// The names are those that Leptos' `HydrationScripts` ask for: `<name>.js` and `<name>_bg.wasm`.
fn package() -> Result<PathBuf> {
    let input = &target().join(format!("wasm32-unknown-unknown/browser/{NAME}.wasm"));
    let (folder, stamp) = (target().join("site.pkg"), target().join("site.pkg.stamp"));
    let mut hasher = DefaultHasher::new();
    (fs::read(input)?, WASM_OPT, fs::read(root().join("xtask/package-lock.json"))?).hash(&mut hasher);
    let hash = format!("{:016x}", hasher.finish());
    if fs::read_to_string(&stamp).is_ok_and(|done| done == hash) {
        return Ok(folder);
    }

    remove(&folder)?;
    say("Generating JavaScript (wasm-bindgen)");
    Bindgen::new()
        .input_path(input)
        .web(true)?
        .out_name(NAME)
        .typescript(false)
        .generate(&folder)
        .context("wasm-bindgen cannot read what rustc made")?;
    say("Shrinking the WebAssembly (wasm-opt)");
    let file = folder.join(format!("{NAME}_bg.wasm"));
    let wasm_opt = root().join("xtask/node_modules/binaryen/bin/wasm-opt");
    run(tools::node().arg(wasm_opt).args(WASM_OPT).arg(&file).arg("-o").arg(&file))?;
    fs::write(&stamp, hash)?;
    Ok(folder)
}

/// Writes a gzipped twin beside each file that shrinks by it.
fn gzip(folder: &Path) -> Result<()> {
    for path in entries(folder)? {
        if path.is_dir() {
            gzip(&path)?;
        } else if path.extension().is_some_and(|kind| ["js", "wasm", "css", "svg"].iter().any(|text| kind == *text)) {
            let mut twin = path.clone().into_os_string();
            twin.push(".gz");
            let mut encoder = GzEncoder::new(File::create(twin)?, Compression::best());
            io::copy(&mut File::open(&path)?, &mut encoder)?;
            encoder.finish()?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for path in entries(from)? {
        let target = to.join(path.file_name().expect("an entry of a folder has a name"));
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    Ok(entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?)
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", folder.display()))
        }
        _ => Ok(()),
    }
}
