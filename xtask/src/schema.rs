//! schemathesis, a public tester: it makes requests of all kinds from `/api/openapi.json`, valid and invalid ones, and
//! compares the answers with what that document says.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::server::Server;
use crate::tools;
use crate::workspace::{root, run, target};

/// Tests this server. The requests are the same each time.
pub fn test(server: &Path) -> Result<()> {
    let server = Server::temporary_of(server, &[])?;
    let mut test = Command::new(tools::schemathesis());
    test.arg("--config-file").arg(root().join("xtask/schemathesis/schemathesis.toml"));
    test.arg("run").arg(format!("{}/api/openapi.json", server.url));
    // It keeps what it found in the folder that it runs in.
    run(test.current_dir(target()))
}
