//! The development loop: builds changed programs and updates the open pages.

use std::collections::BTreeSet;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::build;
use crate::server::Server;
use crate::tools::{self, Tool};
use crate::workspace::{root, say};

/// The watched paths. Changes in `style` or `public` do not affect the programs; all others do.
const WATCHED: [&str; 7] = ["src", "lua", "migrations", "style", "public", "Cargo.toml", "Cargo.lock"];
/// The silence that ends a group of changes: a save causes several events, and an editor may save many files at once.
const QUIET: Duration = Duration::from_millis(30);
/// The default port of Leptos' `AutoReload`.
const RELOAD_PORT: u16 = 3001;
/// The time limit for the handshake with a page.
const GREETING: Duration = Duration::from_secs(1);

#[derive(clap::Args)]
pub struct Options {
    /// More arguments for `stampede serve`, after `--`.
    #[arg(last = true)]
    serve: Vec<String>,
}

/// Builds and serves, again after each change, until it is interrupted.
pub fn run(options: &Options) -> Result<()> {
    tools::install(&[Tool::Redis, Tool::WasmTarget, Tool::Minifiers])?;
    let (sender, events) = mpsc::channel();
    let interrupted = sender.clone();
    ctrlc::set_handler(move || _ = interrupted.send(Event::Interrupted)).context("Ctrl-C cannot be listened for")?;
    let _watcher = watch(sender)?;
    let mut session = Session { pages: Pages::listen()?, serve: &options.serve, running: None, browser: None };

    let mut changed: BTreeSet<PathBuf> = WATCHED.iter().map(PathBuf::from).collect();
    loop {
        let start = Instant::now();
        match session.update(&changed) {
            Ok(what) => {
                changed.clear();
                say(format_args!("{what} after {:.1} s", start.elapsed().as_secs_f64()));
            }
            // What has changed waits for the next build.
            Err(error) => eprintln!("✗ {error:#}"),
        }
        match next(&events) {
            Some(paths) => changed.extend(paths),
            // The session ends here, and with it the server and the server's Redis.
            None => return Ok(()),
        }
    }
}

/// An event of the loop.
enum Event {
    /// A changed file, by its path from the root.
    Changed(PathBuf),
    Interrupted,
}

/// Reports changes as long as the watcher lives.
fn watch(events: Sender<Event>) -> Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading a file is an event, too.
        let Some(event) = event.ok().filter(|event| !event.kind.is_access()) else { return };
        for path in event.paths {
            if let Ok(path) = path.strip_prefix(root())
                && WATCHED.iter().any(|watched| path.starts_with(watched))
                && !is_ignored(path)
            {
                events.send(Event::Changed(path.to_owned())).ok();
            }
        }
    })?;
    // A file replaced by an editor is only noticed by watching its folder.
    watcher.watch(root(), RecursiveMode::NonRecursive)?;
    for folder in WATCHED.iter().map(|watched| root().join(watched)).filter(|path| path.is_dir()) {
        watcher.watch(&folder, RecursiveMode::Recursive)?;
    }
    Ok(watcher)
}

/// Whether a file is documentation, or one that editors keep beside another: a hidden file, a backup, or vim's check of
/// its write permission.
fn is_ignored(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".md") || name.starts_with('.') || name.ends_with('~') || name == "4913"
}

/// Waits for changes. Returns those that came together, or `None` after an interruption.
fn next(events: &Receiver<Event>) -> Option<BTreeSet<PathBuf>> {
    let mut changed = BTreeSet::new();
    let mut event = events.recv().ok();
    loop {
        match event {
            Some(Event::Changed(path)) => _ = changed.insert(path),
            Some(Event::Interrupted) => return None,
            None => return (!changed.is_empty()).then_some(changed),
        }
        event = events.recv_timeout(QUIET).ok();
    }
}

/// The programs in use, until newer ones have been built successfully.
struct Session<'a> {
    pages: Pages,
    serve: &'a [String],
    /// The server, and the modification time of its program.
    running: Option<(Server, SystemTime)>,
    /// The modification time of the browser side.
    browser: Option<SystemTime>,
}

impl Session<'_> {
    /// Reacts to the changes. Returns a description of the reaction.
    fn update(&mut self, changed: &BTreeSet<PathBuf>) -> Result<&'static str> {
        let is_in = |path: &Path, folder| path.starts_with(folder);
        let style = changed.iter().any(|path| is_in(path, "style"));
        let public = changed.iter().any(|path| is_in(path, "public"));
        let scripts = changed.iter().any(|path| is_in(path, "lua"));
        let code = changed.iter().any(|path| !["style", "public", "lua"].iter().any(|folder| is_in(path, folder)));
        if style {
            build::dev_style()?;
        }
        if public {
            build::dev_public()?;
        }
        let renewed = if code {
            self.renew(scripts)?
        } else {
            // A debug build reads the scripts when it starts.
            scripts && self.restart()?
        };
        if renewed || public {
            self.pages.tell(&json!({ "all": true }));
            Ok("Up to date")
        } else if style {
            self.pages.tell(&json!({ "css": build::DEV_STYLE }));
            Ok("New style")
        } else {
            Ok("Nothing new")
        }
    }

    /// Builds both programs at the same time, and uses new ones. `scripts` says whether the scripts are new. Returns
    /// whether anything was.
    fn renew(&mut self, scripts: bool) -> Result<bool> {
        say("Building the server and the browser side");
        let (server, browser) = thread::scope(|scope| {
            let browser = scope.spawn(|| build::dev_browser(self.browser));
            (build::dev_server(), browser.join().expect("building does not panic"))
        });
        // Most errors occur in both builds, and the server's build has already shown them.
        let (program, made) = server?;
        let browser = browser?;

        let mut renewed = false;
        if let Some(made) = browser {
            build::dev_use_browser()?;
            self.browser = Some(made);
            renewed = true;
        }
        if scripts || !self.running.as_mut().is_some_and(|(server, since)| *since == made && server.runs()) {
            self.start(program, made)?;
            renewed = true;
        }
        Ok(renewed)
    }

    /// Starts the program in use again. Returns whether there was one.
    fn restart(&mut self) -> Result<bool> {
        let Some((_, made)) = self.running else { return self.renew(true) };
        self.start(build::dev_program(), made)?;
        Ok(true)
    }

    /// Starts a program in place of the running one.
    fn start(&mut self, program: PathBuf, made: SystemTime) -> Result<()> {
        // Stopped before the next one is started, because they share the port and the data.
        self.running = None;
        let mut serve = Command::new(program);
        serve.args(["serve", "--demo", "--site-dir"]).arg(build::dev_site()).args(self.serve);
        serve.env("LEPTOS_WATCH", "true").env("LEPTOS_RELOAD_PORT", self.pages.port.to_string());
        self.running = Some((Server::start(&mut serve)?, made));
        Ok(())
    }
}

/// The open pages: Leptos' `AutoReload` in them listens for instructions.
struct Pages {
    port: u16,
    open: Arc<Mutex<Vec<WebSocket<TcpStream>>>>,
}

impl Pages {
    /// Accepts pages from now on. Uses another port if another session on this machine has the usual one.
    fn listen() -> Result<Self> {
        let listener =
            TcpListener::bind(("127.0.0.1", RELOAD_PORT)).or_else(|_| TcpListener::bind(("127.0.0.1", 0)))?;
        let port = listener.local_addr()?.port();
        let open = Arc::<Mutex<Vec<_>>>::default();
        let pages = open.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                stream.set_read_timeout(Some(GREETING)).ok();
                if let Ok(page) = tungstenite::accept(stream) {
                    pages.lock().unwrap_or_else(PoisonError::into_inner).push(page);
                }
            }
        });
        Ok(Self { port, open })
    }

    /// Sends an instruction to all open pages: `{"css": path}` reloads a style sheet, `{"all": true}` reloads the page.
    fn tell(&self, news: &Value) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain_mut(|page| page.send(Message::text(news.to_string())).is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_come_together_are_one_and_an_interruption_ends_all() {
        let (sender, events) = mpsc::channel();
        for path in ["src/lib.rs", "style/base.css", "src/lib.rs"] {
            sender.send(Event::Changed(path.into())).expect("the receiver is there");
        }
        assert_eq!(next(&events), Some(BTreeSet::from(["src/lib.rs", "style/base.css"].map(PathBuf::from))));
        sender.send(Event::Changed("src/lib.rs".into())).expect("the receiver is there");
        sender.send(Event::Interrupted).expect("the receiver is there");
        assert_eq!(next(&events), None);
    }

    #[test]
    fn documents_and_files_of_editors_are_no_change() {
        for name in ["src/web/README.md", "src/.lib.rs.swp", "src/lib.rs~", "src/4913"] {
            assert!(is_ignored(Path::new(name)), "{name}");
        }
        assert!(!is_ignored(Path::new("src/lib.rs")));
    }

    #[test]
    fn an_open_page_hears_the_news() -> Result<()> {
        let pages = Pages::listen()?;
        let stream = TcpStream::connect(("127.0.0.1", pages.port))?;
        let (mut page, _) = tungstenite::client(format!("ws://127.0.0.1:{}/live_reload", pages.port), stream)?;
        while pages.open.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            thread::yield_now();
        }
        pages.tell(&json!({ "all": true }));
        assert_eq!(page.read()?.into_text()?.as_str(), "{\"all\":true}");
        Ok(())
    }
}
