//! Builds the two programs: the server, and the site that it serves to browsers.

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;

use anyhow::{Context, Result};
use brotli::enc::BrotliEncoderParams;
use flate2::{Compression, write::GzEncoder};
use wasm_bindgen_cli_support::Bindgen;

use crate::tools::{self, Tool};
use crate::workspace::{Stage, cargo, read, root, run, say, target};

/// The arguments of wasm-opt: one round of the worthwhile passes, and the features that rustc emits. `-Oz` takes four
/// times as long. Its output is smaller before compression but larger after it, because similar functions compress
/// worse.
const WASM_OPT: [&str; 9] = [
    "-O1",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--strip-debug",
    "--strip-producers",
];

/// The name under which the server requests the browser side.
const NAME: &str = "stampede";
/// The package of the browser side, and its output file in Cargo's folder.
const FRONTEND: (&str, &str) = ("frontend", "frontend.wasm");

/// The file types that become smaller when compressed.
const COMPRESSED: [&str; 4] = ["js", "wasm", "css", "svg"];

/// Whether Cargo's progress is shown. Errors are always shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Shown,
    /// Hidden, because another build shows its output.
    Hidden,
}

/// Builds the deployed programs: the site and the optimized server.
pub fn everything() -> Result<()> {
    beside_site(server)
}

/// Builds the site and the unoptimized server, which is faster. Returns the path of the server.
pub fn soon() -> Result<PathBuf> {
    beside_site(|| {
        let _stage = Stage::begin("Building the server, unoptimized");
        Ok(dev_server()?.0)
    })
}

/// Builds a server and the site side by side: the compiler of a large crate keeps only one core busy.
fn beside_site<T>(server: impl FnOnce() -> Result<T>) -> Result<T> {
    thread::scope(|scope| {
        let site = scope.spawn(|| site(Progress::Hidden));
        let server = server()?;
        site.join().expect("building does not panic")?;
        Ok(server)
    })
}

/// Builds `target/release/stampede`.
pub fn server() -> Result<()> {
    let _stage = Stage::begin("Building the server");
    run(&mut cargo("build --release --bin=stampede"))
}

/// Builds `target/release/stampede-bench`. Returns its path.
pub fn bench() -> Result<PathBuf> {
    let _stage = Stage::begin("Building the benchmarks");
    run(&mut cargo("build --release --package=bench"))?;
    Ok(target().join("release/stampede-bench"))
}

/// Builds the unoptimized server together with the Rust tests, so that Cargo chooses the same features for its
/// dependencies and compiles nothing twice. Returns its path.
pub fn tested_server() -> Result<PathBuf> {
    let _stage = Stage::begin("Building the tests and their server");
    run(&mut cargo("build --bins --tests"))?;
    Ok(target().join("debug/stampede"))
}

/// Builds `target/site`: the browser side and the style sheet under `pkg/`, and the files of `public/`. The names of
/// the files in `pkg/` contain a hash of the content, so a browser may keep them for ever. `hash.txt` lists these
/// hashes for Leptos.
pub fn site(progress: Progress) -> Result<()> {
    // Held until the end: two simultaneous builds would write into each other's folders.
    let turn = File::create(target().join("site.lock")).context("target/site.lock cannot be made")?;
    if turn.try_lock().is_err() {
        say("Waiting for another build of the browser side");
        turn.lock().context("target/site.lock cannot be locked")?;
    }
    tools::install(&[Tool::WasmTarget, Tool::Minifiers])?;
    let browser = browser_side(progress)?;

    // Assembled from scratch each time, so that no outdated files are left.
    let (site, next) = (target().join("site"), target().join("site.next"));
    remove(&next)?;
    copy(&browser, &next, &|from, to| Ok(fs::copy(from, to).map(|_| ())?))?;
    copy(&root().join("public"), &next, &|from, to| publish(to, &fs::read(from)?))?;
    publish_hashed(&next, "css", style_sheet()?.as_bytes())?;
    remove(&site)?;
    fs::rename(&next, &site)?;
    say_sizes(&site.join("pkg"))
}

/// Compiles the browser side, and generates the files for browsers unless rustc's output is unchanged. Returns their
/// folder.
fn browser_side(progress: Progress) -> Result<PathBuf> {
    let (package, file) = FRONTEND;
    let stage = Stage::begin("Building the browser side");
    let mut compile =
        cargo(&format!("build --profile=wasm-release --package={package} --target=wasm32-unknown-unknown"));
    run(compile.args((progress == Progress::Hidden).then_some("--quiet")))?;
    drop(stage);
    let input = &target().join("wasm32-unknown-unknown/wasm-release").join(file);
    let (folder, stamp) = (target().join("site.browser"), target().join("site.browser.stamp"));
    let locked = fs::read(root().join("xtask/package-lock.json"))?;
    let hash = hash(&(fs::read(input)?, WASM_OPT, locked));
    if fs::read_to_string(&stamp).is_ok_and(|done| done == hash) {
        return Ok(folder);
    }

    let generated = tempfile::tempdir_in(target())?;
    let (script, module) =
        (generated.path().join(format!("{NAME}.js")), generated.path().join(format!("{NAME}_bg.wasm")));
    let stage = Stage::begin("Generating JavaScript (wasm-bindgen)");
    generate(input, generated.path())?;
    drop(stage);
    let stage = Stage::begin("Shrinking the WebAssembly (wasm-opt)");
    let wasm_opt = root().join("xtask/node_modules/binaryen/bin/wasm-opt");
    run(tools::node().arg(wasm_opt).args(WASM_OPT).arg(&module).arg("-o").arg(&module))?;
    drop(stage);

    let _stage = Stage::begin("Compressing");
    remove(&folder)?;
    publish_hashed(&folder, "js", &fs::read(script)?)?;
    publish_hashed(&folder, "wasm", &fs::read(module)?)?;
    fs::write(&stamp, hash)?;
    Ok(folder)
}

/// Generates a script, and its WebAssembly, from the output of rustc.
fn generate(input: &Path, folder: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(input).web(true)?.out_name(NAME).typescript(false);
    bindgen.generate(folder).context("wasm-bindgen cannot read the output of rustc")
}

/// Bundles and minifies the style sheets. Errors in them are reported with their position.
fn style_sheet() -> Result<String> {
    read(tools::node().current_dir(root()).args(["xtask/bundle.mjs", "style/main.css"]))
}

/// Publishes a file of `pkg/` under a name with the hash of its content, and adds the hash to `hash.txt`. The format is
/// that of cargo-leptos, for Leptos' `HydrationScripts` and `HashedStylesheet`.
fn publish_hashed(site: &Path, kind: &str, content: &[u8]) -> Result<()> {
    let hash = hash(&content);
    publish(&site.join(format!("pkg/{NAME}.{hash}.{kind}")), content)?;
    let mut hashes = OpenOptions::new().create(true).append(true).open(site.join("hash.txt"))?;
    Ok(writeln!(hashes, "{kind}: {hash}")?)
}

/// Writes a file and its compressed variants. The server sends these to browsers that accept them.
fn publish(path: &Path, content: &[u8]) -> Result<()> {
    write(path, content)?;
    if path.extension().is_some_and(|kind| COMPRESSED.iter().any(|compressed| kind == *compressed)) {
        let mut gzip = GzEncoder::new(File::create(twin(path, "gz"))?, Compression::best());
        gzip.write_all(content)?;
        gzip.finish()?;
        // The largest window that browsers must support. The default is smaller than the WebAssembly.
        let best = BrotliEncoderParams { lgwin: 24, ..BrotliEncoderParams::default() };
        brotli::BrotliCompress(&mut &*content, &mut File::create(twin(path, "br"))?, &best)?;
    }
    Ok(())
}

/// The name of a file's compressed twin.
fn twin(path: &Path, encoding: &str) -> PathBuf {
    let mut twin = path.as_os_str().to_owned();
    twin.push(".");
    twin.push(encoding);
    twin.into()
}

/// Prints the sizes of the files that a browser must load before a page works. They are the same for every page.
fn say_sizes(pkg: &Path) -> Result<()> {
    let size = |path: &Path| fs::metadata(path).map(|file| file.len());
    say("Every page loads, in bytes:                       raw     gzip   brotli");
    let mut total = [0; 3];
    for path in entries(pkg)? {
        let Ok(gzip) = size(&twin(&path, "gz")) else { continue };
        let sizes = [size(&path)?, gzip, size(&twin(&path, "br"))?];
        say_row(&path.file_name().unwrap_or_default().to_string_lossy(), sizes);
        total.iter_mut().zip(sizes).for_each(|(total, size)| *total += size);
    }
    say_row("together", total);
    Ok(())
}

fn say_row(name: &str, [raw, gzip, brotli]: [u64; 3]) {
    say(format_args!("  {name:<38} {raw:>10} {gzip:>8} {brotli:>8}"));
}

/// The folder of development's site. Its files have plain names and are not compressed.
pub fn dev_site() -> PathBuf {
    target().join("dev-site")
}

/// The path of development's style sheet inside the site.
pub const DEV_STYLE: &str = "pkg/stampede.css";

/// Bundles development's style sheet.
pub fn dev_style() -> Result<()> {
    write(&dev_site().join(DEV_STYLE), style_sheet()?.as_bytes())
}

/// Copies the files of `public/` to development's site.
pub fn dev_public() -> Result<()> {
    copy(&root().join("public"), &dev_site(), &|from, to| write(to, &fs::read(from)?))
}

/// The path of development's server.
pub fn dev_program() -> PathBuf {
    target().join("debug/stampede")
}

/// Builds development's server with visible output. Returns its path and its modification time.
pub fn dev_server() -> Result<(PathBuf, SystemTime)> {
    run(&mut cargo("build --bin=stampede"))?;
    let program = dev_program();
    let made = made(&program)?;
    Ok((program, made))
}

/// Builds development's browser side, silently unless it fails. Returns its modification time, or `None` if that is
/// `known`. The version in use is kept until [`dev_use_browser`].
pub fn dev_browser(known: Option<SystemTime>) -> Result<Option<SystemTime>> {
    let (package, file) = FRONTEND;
    read(&mut cargo(&format!("build --quiet --profile=wasm-dev --package={package} --target=wasm32-unknown-unknown")))?;
    let input = target().join("wasm32-unknown-unknown/wasm-dev").join(file);
    let made = made(&input)?;
    if known == Some(made) {
        return Ok(None);
    }
    generate(&input, &dev_browser_next())?;
    Ok(Some(made))
}

/// Moves the latest browser side into development's site.
pub fn dev_use_browser() -> Result<()> {
    copy(&dev_browser_next(), &dev_site().join("pkg"), &|from, to| Ok(fs::rename(from, to)?))
}

fn dev_browser_next() -> PathBuf {
    target().join("dev-site.next")
}

fn made(program: &Path) -> Result<SystemTime> {
    fs::metadata(program).and_then(|file| file.modified()).with_context(|| format!("{} is missing", program.display()))
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    fs::create_dir_all(path.parent().expect("a file is in a folder"))?;
    Ok(fs::write(path, content)?)
}

/// A hash of some content, with 16 letters.
fn hash(content: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Calls `file` for each file in a folder and its subfolders. The second argument is the file's path in `to`.
fn copy(from: &Path, to: &Path, file: &impl Fn(&Path, &Path) -> Result<()>) -> Result<()> {
    fs::create_dir_all(to)?;
    for path in entries(from)? {
        let target = to.join(path.file_name().expect("an entry of a folder has a name"));
        if path.is_dir() { copy(&path, &target, file)? } else { file(&path, &target)? }
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
