//! The files of the browser side in the site folder, and the caching of them by browsers.

use anyhow::{Result, ensure};
use axum::{
    Json,
    extract::{OriginalUri, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header};
use leptos::prelude::LeptosOptions;
use model::error::Error;
use percent_encoding::percent_decode_str;
use std::{path::Path, sync::Arc};
use tower_http::services::ServeDir;

/// The name of the script, the WebAssembly and the style sheet, before the hashes.
const NAME: &str = "stampede";
/// The list of file hashes, next to the folder of the files. Without it, file names have no hashes.
const HASHES: &str = "hash.txt";

/// The port on which cargo-leptos reports changes, by default.
const RELOAD_PORT: u32 = 3001;

/// The caching header of names with a hash or a version, whose content never changes.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// The caching header of other files. They are cached too, but revalidated each time.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// Whether the path is a file at the top of the site, such as its icon. (Files in its folders have routes of their
/// own.)
pub fn is_file(options: &LeptosOptions, path: &str) -> bool {
    let name = path.trim_start_matches('/');
    let can_be = name.contains('.') && !name.contains('/');
    can_be && Path::new(&*options.site_root).join(name).is_file()
}

/// The options by which Leptos names the files of a site in its pages.
///
/// # Errors
/// If there is no site in the folder.
pub fn options(folder: &Path) -> Result<LeptosOptions> {
    ensure!(
        folder.join("pkg").is_dir(),
        "The browser side is not at {}; build it with `cargo xtask build`, or name its folder with --site-dir.",
        folder.display()
    );
    // Leptos would resolve a relative path from the folder of the program.
    let hashes = std::path::absolute(folder.join(HASHES))?;
    // Only `AutoReload` uses it, in development.
    let reload_port = std::env::var("LEPTOS_RELOAD_PORT").ok().and_then(|port| port.parse().ok());
    Ok(LeptosOptions::builder()
        .output_name(NAME)
        .site_root(folder.to_string_lossy())
        .site_pkg_dir("pkg")
        .hash_files(hashes.is_file())
        .hash_file(Arc::from(hashes.to_string_lossy()))
        .reload_port(reload_port.unwrap_or(RELOAD_PORT))
        .build())
}

/// Serves the requested file, compressed if the build has compressed it.
pub fn files(options: &LeptosOptions) -> ServeDir {
    ServeDir::new(&*options.site_root)
        .append_index_html_on_directories(false)
        .precompressed_br()
        .precompressed_gzip()
        // Each piece is read on another thread. With this size, the WebAssembly takes a few pieces instead of sixteen.
        .with_buf_chunk_size(256 * 1024)
        .call_fallback_on_method_not_allowed(true)
}

/// Sets the caching headers of every file. A name that no file can have is refused, because `ServeDir` takes it for a
/// fault of the server.
pub async fn caching(
    State(options): State<LeptosOptions>,
    OriginalUri(asked): OriginalUri,
    mut request: Request,
    next: Next,
) -> Response {
    if !may_be_a_file(request.uri().path()) {
        let why = format!("There is nothing at {}.", asked.path());
        return (StatusCode::NOT_FOUND, Json(Error::bad("path", why))).into_response();
    }
    let hashed = options.hash_files && request.uri().path().starts_with(&options.site_pkg_dir_route_base());
    // A font has its version in its name. If a browser had to revalidate it, each further page would use the cached
    // font and preload it in vain.
    let never_changes = hashed || request.uri().path().ends_with(".woff2");
    // Every file is sent whole. `ServeDir` would answer a range without regard to `If-Range`, so that a client could put
    // a file together from two versions, and refuse units that it does not know instead of ignoring them.
    request.headers_mut().remove(header::RANGE);
    let mut response = next.run(request).await;
    response.headers_mut().remove(header::ACCEPT_RANGES);
    if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, if never_changes { FOR_EVER } else { REVALIDATE });
        headers.insert(header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING));
    }
    response
}

/// Whether a file system can have a file with this path.
fn may_be_a_file(path: &str) -> bool {
    // The limit includes the extensions of compressed files, in bytes.
    const LONGEST_NAME: usize = 255 - ".br".len();
    path.split('/').all(|name| {
        let mut length = 0;
        percent_decode_str(name).inspect(|_| length += 1).all(|byte| byte != 0) && length <= LONGEST_NAME
    })
}
