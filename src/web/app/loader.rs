//! The browser side of a page: the names of its files, and the script that starts it.

use crate::{base_path::under_base, i18n::words};
use leptos::{nonce::use_nonce, prelude::*};
use serde_json::json;
use std::fs;

/// Starts the browser side with these arguments: its script, its WebAssembly, the address at which a server
/// answers, whether the page may be loaded anew, and the
/// HTML that is shown above the page otherwise.
///
/// A file that is missing is most likely one of another build, as servers are upgraded one after the other. (A style sheet
/// that is missing leaves its properties undefined; by the time this runs, it has been waited for.) The page is loaded
/// anew then, once for each successful start in this tab, and only if a server answers. A reader who leaves the page ends
/// its requests, too, so nothing is loaded after `beforeunload`. The address is visited rather than reloaded, as a reload
/// would send a form again.
const START: &str = r#"(async (script, module, health, mayReload, notice) => {
	const key = "stampede-restarted";
	onbeforeunload = () => { mayReload = false };
	try {
		if (!getComputedStyle(document.documentElement).getPropertyValue("--ink")) throw Error("no style sheet");
		const program = await import(script);
		await program.default({ module_or_path: module });
		program.hydrate();
		onbeforeunload = null;
		try { sessionStorage.removeItem(key) } catch {}
	} catch (error) {
		console.error(error);
		try {
			if ((await fetch(health)).ok && mayReload && !sessionStorage.getItem(key)) {
				sessionStorage.setItem(key, 1);
				return location.replace(location.pathname + location.search);
			}
		} catch {}
		document.body.insertAdjacentHTML("afterbegin", notice);
	}
})"#;

/// The addresses of the browser side's files.
struct Files {
    script: String,
    module: String,
    /// The hash in the name of the WebAssembly.
    build: Option<String>,
}

impl Files {
    /// Returns the files that the site has now. Their names have hashes if the build has listed them, in the format of
    /// cargo-leptos.
    fn of(options: &LeptosOptions) -> Self {
        let listed = options.hash_files.then(|| fs::read_to_string(&*options.hash_file).ok()).flatten();
        let hash_of = |kind: &str| {
            let mut lines = listed.as_deref().unwrap_or_default().lines();
            lines.find_map(|line| Some(line.strip_prefix(kind)?.strip_prefix(':')?.trim().to_owned()))
        };
        let base = under_base(format!("{}{}", options.site_pkg_dir_route_base(), options.output_name));
        let build = hash_of("wasm");
        // cargo-leptos renames the file.
        let plain = if option_env!("LEPTOS_OUTPUT_NAME").is_some() { "" } else { "_bg" };
        Self {
            script: hash_of("js").map_or_else(|| format!("{base}.js"), |hash| format!("{base}.{hash}.js")),
            module: build.as_ref().map_or_else(|| format!("{base}{plain}.wasm"), |hash| format!("{base}.{hash}.wasm")),
            build,
        }
    }
}

/// Returns the build of the browser side that the pages of a site load now: what tells two versions of the program apart.
/// `None` if the names of its files do not, during development.
pub fn build(options: &LeptosOptions) -> Option<String> {
    Files::of(options).build
}

/// Loads the browser side and starts it. Shows a sentence above the page if that fails, and loads the page anew before.
/// (Leptos' `HydrationScripts` leaves a page as it is that nothing starts.)
#[component]
pub fn Loader(
    /// Where the files are.
    options: LeptosOptions,
) -> impl IntoView {
    let Files { script, module, .. } = Files::of(&options);
    let words = words();
    let notice = format!("<div role=\"alert\">{}</div>", without_program(words.not_started, words.try_again));
    let arguments = json!([script, module, under_base("/healthz"), !answers_a_form(), notice]);
    view! {
        <link rel="modulepreload" href=script crossorigin="anonymous" />
        <link rel="preload" href=module r#as="fetch" r#type="application/wasm" crossorigin="anonymous" />
        <script type="module" nonce=use_nonce()>
            {format!("{START}(...{arguments})")}
        </script>
    }
}

/// Returns whether the page is the answer to a form: it has the outcome of an attempt, which another visit does not show.
fn answers_a_form() -> bool {
    #[cfg(feature = "ssr")]
    {
        use_context::<http::request::Parts>().is_some_and(|request| request.method == http::Method::POST)
    }
    #[cfg(not(feature = "ssr"))]
    false
}

/// Returns the HTML above a page without its program: a sentence, and a link to the page itself. (Unlike a reload, a link
/// without an address does not send a form again.)
pub fn without_program(sentence: &str, link: &str) -> String {
    format!(
        "<p class=\"without-script\">{sentence} <a href=\"\">{link}</a></p><style>.link {{ display: none }}</style>"
    )
}
