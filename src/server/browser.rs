//! Opens the browser of the user who starts the server.

use std::net::SocketAddr;
use web::base_path::BasePath;

/// Opens the first page, if there is a screen. Without one, a text browser might take over the terminal.
pub fn open(scheme: &str, address: SocketAddr, base: &BasePath) {
    let has_screen = !cfg!(target_os = "linux")
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].iter().any(|name| std::env::var_os(name).is_some());
    if !has_screen {
        tracing::info!("there is no screen to open a browser on");
        return;
    }
    if let Err(error) = open::that_detached(url(scheme, address) + base.as_str()) {
        tracing::warn!(%error, "no browser could be opened");
    }
}

/// The URL for a browser on this machine. A wildcard address cannot be visited.
fn url(scheme: &str, address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        return format!("{scheme}://localhost:{}", address.port());
    }
    format!("{scheme}://{address}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_one_to_go_to() {
        let of = |address: &str| url("http", address.parse().expect("an address"));
        assert_eq!(of("127.0.0.1:3000"), "http://127.0.0.1:3000");
        assert_eq!(of("0.0.0.0:3000"), "http://localhost:3000");
        assert_eq!(of("[::1]:3000"), "http://[::1]:3000");
        assert_eq!(of("[::]:3000"), "http://localhost:3000");
    }
}
