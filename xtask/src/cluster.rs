//! The topology of `deploy/compose.yml`, as processes of this machine: a Redis Cluster of three masters with a replica
//! each, and three servers on one PostgreSQL behind nginx, watched by Prometheus.

use std::collections::HashMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::build;
use crate::postgres::{Fsync, Postgres};
use crate::process::{KillOnDrop, ending_with_us};
use crate::server::{Server, wait_until_ready};
use crate::tools::{self, Tool};
use crate::workspace::{on_path, read, root, say};

const SERVERS: usize = 3;
/// Masters and replicas.
const NODES: usize = 6;
/// How far the port at which a node talks to other nodes is from the one for clients. This is the default of Redis.
const BUS: u16 = 10_000;
/// Ports from here on are tried. They and those of the nodes' talk are below the ports that the kernel gives to
/// connections, so that one that is free now is free when its program starts. Each process begins at another one.
const FIRST_PORT: u16 = 10_000;

#[derive(clap::Args)]
pub struct Options {
    /// More arguments for each `stampede serve`, after `--`.
    #[arg(last = true)]
    serve: Vec<String>,
}

/// Starts everything, prints the addresses, and stops everything when it is interrupted.
pub fn run(options: &Options) -> Result<()> {
    tools::install(&[Tool::Redis, Tool::Postgres])?;
    let program = build::soon()?;
    let (interrupted, interruption) = mpsc::channel();
    ctrlc::set_handler(move || _ = interrupted.send(())).context("Ctrl-C cannot be listened for")?;
    let topology = Topology::start(&program, &options.serve)?;
    topology.print()?;
    say(format_args!("Ctrl-C stops everything and removes {}", topology.folder.path().display()));
    interruption.recv()?;
    say("Stopping");
    Ok(())
}

/// All that runs. It is dropped in this order.
struct Topology {
    prometheus: Option<Front>,
    nginx: Option<Front>,
    servers: Vec<(Server, u16)>,
    postgres: Postgres,
    nodes: Vec<Node>,
    folder: TempDir,
    program: PathBuf,
}

/// A node of the Redis Cluster.
struct Node {
    address: String,
    process: KillOnDrop,
}

/// A program in front of the servers.
struct Front {
    url: String,
    process: KillOnDrop,
}

impl Topology {
    fn start(program: &Path, serve: &[String]) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("stampede-cluster-").tempdir()?;
        let ports = free_ports(NODES + SERVERS + 2)?;
        let (nodes, ports) = ports.split_at(NODES);
        let (metrics, ports) = ports.split_at(SERVERS);

        say("Starting a Redis Cluster and PostgreSQL");
        let nodes: Vec<Node> = nodes.iter().map(|port| node(folder.path(), *port)).collect::<Result<_>>()?;
        let addresses = nodes.iter().map(|node| node.address.as_str());
        read(Command::new("sh").arg(root().join("deploy/form-cluster.sh")).args(addresses))
            .context("The Redis Cluster was not formed")?;
        let postgres = Postgres::start(Fsync::On)?;

        say("Starting the servers");
        let stores = stores(&nodes, &postgres);
        let mut servers = Vec::new();
        for (nth, metrics) in metrics.iter().enumerate() {
            let mut command = Command::new(program);
            command.args(["serve", "--listen=127.0.0.1:0"]).args(&stores);
            command.arg(format!("--metrics-listen=127.0.0.1:{metrics}"));
            command.arg("--data-dir").arg(folder.path().join(format!("server-{}", nth + 1)));
            // One of them opens the demonstration sales of all. A flag that is given twice is an error.
            let opens = nth == 0 && !serve.iter().any(|given| given == "--demo");
            command.args(opens.then_some("--demo")).args(serve);
            servers.push((Server::start(ending_with_us(&mut command))?, *metrics));
        }

        let nginx = present("nginx").map(|nginx| balance(&nginx, folder.path(), ports[0], &servers)).transpose()?;
        let prometheus =
            present("prometheus").map(|prometheus| watch(&prometheus, folder.path(), ports[1], metrics)).transpose()?;
        Ok(Self { prometheus, nginx, servers, postgres, nodes, folder, program: program.to_owned() })
    }

    /// Prints the addresses, with the process of each.
    fn print(&self) -> Result<()> {
        let line = |name: &str, address: &str, process: u32, more: &str| {
            println!("{name:<12}{address:<26}process {process:<9}{more}");
        };
        if let Some(Front { url, process }) = &self.nginx {
            line("nginx", url, process.0.id(), "in front of all servers");
        }
        for (nth, (server, metrics)) in self.servers.iter().enumerate() {
            let metrics = format!("metrics at http://127.0.0.1:{metrics}/metrics");
            line(&format!("server {}", nth + 1), &server.url, server.id(), &metrics);
        }
        if let Some(Front { url, process }) = &self.prometheus {
            line("Prometheus", url, process.0.id(), "with the alerts of deploy/prometheus");
        }
        let roles = roles(&self.nodes[0].address)?;
        for (nth, Node { address, process }) in self.nodes.iter().enumerate() {
            let role = roles.get(address).context("A node has left the cluster")?;
            line(&format!("Redis {}", nth + 1), address, process.0.id(), role);
        }
        let [redis, database] = stores(&self.nodes, &self.postgres);
        println!(
            "\nFor commands such as `{} audit`, and more servers:\n'{redis}' '{database}'\n",
            self.program.display()
        );
        Ok(())
    }
}

/// The flags with which a server or a command finds the sales.
fn stores(nodes: &[Node], postgres: &Postgres) -> [String; 2] {
    let addresses: Vec<&str> = nodes.iter().map(|node| node.address.as_str()).collect();
    [format!("--redis=redis+cluster://{}", addresses.join(",")), format!("--database={}", postgres.url())]
}

/// Free ports. The one at which the node of a port talks to other nodes is free as well.
fn free_ports(count: usize) -> Result<Vec<u16>> {
    let start = FIRST_PORT + u16::try_from(std::process::id() % 600)? * 20;
    let bind = |port| TcpListener::bind(("127.0.0.1", port)).ok();
    let ports: Vec<u16> = (start..u16::MAX - BUS)
        .filter(|port| bind(*port).and_then(|_port| bind(port + BUS)).is_some())
        .take(count)
        .collect();
    ensure!(ports.len() == count, "There are no {count} free ports from {start} on");
    Ok(ports)
}

/// Starts a node with the settings of `deploy/compose.yml`. The last two have replicas known without a delay of seconds.
fn node(folder: &Path, port: u16) -> Result<Node> {
    let folder = folder.join(format!("redis-{port}"));
    fs::create_dir(&folder)?;
    let program = on_path("redis-server").or_else(|| on_path("valkey-server")).context("Redis is not installed")?;
    let mut command = Command::new(program);
    command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--logfile", "log", "--dir"]).arg(folder);
    command.args(["--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "5000"]);
    command.args(["--cluster-require-full-coverage", "no", "--appendonly", "yes", "--appendfsync", "everysec"]);
    command.args(["--save", "", "--maxmemory-policy", "noeviction"]);
    command.args(["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"]);
    Ok(Node { address: format!("127.0.0.1:{port}"), process: started(&mut command)? })
}

/// The role of each node, by its address, as one of them sees it.
fn roles(address: &str) -> Result<HashMap<String, String>> {
    let program = on_path("redis-cli").or_else(|| on_path("valkey-cli")).context("redis-cli is not installed")?;
    let (host, port) = address.split_once(':').context("An address without a port")?;
    let answer = read(Command::new(program).args(["-h", host, "-p", port, "cluster", "nodes"]))?;
    Ok(roles_in(&answer))
}

/// The role of each node, by its address: "ID ADDRESS@BUS FLAGS MASTER …".
fn roles_in(nodes: &str) -> HashMap<String, String> {
    let nodes: Vec<Vec<&str>> = nodes.lines().map(|node| node.split(' ').collect()).collect();
    let address = |node: &[&str]| node[1].split('@').next().unwrap_or_default().to_owned();
    let role = |node: &[&str]| match nodes.iter().find(|master| master[0] == node[3]) {
        Some(master) => format!("replica of {}", address(master)),
        None => "master".to_owned(),
    };
    nodes.iter().map(|node| (address(node), role(node))).collect()
}

/// The program, if it is here. Otherwise says that it is left out.
fn present(program: &str) -> Option<PathBuf> {
    let found = on_path(program);
    if found.is_none() {
        say(format_args!("There is no {program} on this machine, so it is left out"));
    }
    found
}

/// Starts nginx with `deploy/nginx.conf` in front of the servers, as one process of the current user.
fn balance(nginx: &Path, folder: &Path, port: u16, servers: &[(Server, u16)]) -> Result<Front> {
    let mut configuration = Configuration::of("deploy/nginx.conf")?;
    for (nth, (server, _)) in servers.iter().enumerate() {
        let address = server.url.trim_start_matches("http://");
        configuration.replace(&format!("server stampede-{}:3000 ", nth + 1), &format!("server {address} "))?;
    }
    configuration.replace("listen 80;", &format!("listen 127.0.0.1:{port};"))?;
    configuration.replace("pid /run/nginx.pid;", "pid nginx.pid;")?;
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|name| format!("{name}_temp_path {name};"));
    configuration.replace("http {", &format!("http {{ access_log off; {}", paths.concat()))?;
    configuration.write(&folder.join("nginx.conf"))?;
    let mut command = Command::new(nginx);
    command.args(["-e", "stderr", "-g", "daemon off; master_process off;", "-c", "nginx.conf", "-p"]).arg(folder);
    Front::start(&mut command, port, "readyz")
}

/// Starts Prometheus with `deploy/prometheus`, which scrapes these ports.
fn watch(prometheus: &Path, folder: &Path, port: u16, metrics: &[u16]) -> Result<Front> {
    let folder = folder.join("prometheus");
    fs::create_dir(&folder)?;
    let mut configuration = Configuration::of("deploy/prometheus/prometheus.yml")?;
    for (documented, port) in ["9101", "9102", "9103"].into_iter().zip(metrics) {
        configuration.replace(&format!("127.0.0.1:{documented}\""), &format!("127.0.0.1:{port}\""))?;
    }
    configuration.write(&folder.join("prometheus.yml"))?;
    fs::copy(root().join("deploy/prometheus/rules.yml"), folder.join("rules.yml"))?;
    let mut command = Command::new(prometheus);
    command.args(["--config.file=prometheus.yml", "--storage.tsdb.path=data", "--log.level=error"]);
    command.arg(format!("--web.listen-address=127.0.0.1:{port}")).current_dir(folder);
    Front::start(&mut command, port, "-/ready")
}

impl Front {
    /// Starts a program that listens on a port, and waits until a page of it answers.
    fn start(command: &mut Command, port: u16, page: &str) -> Result<Self> {
        let (url, process) = (format!("http://127.0.0.1:{port}"), started(command)?);
        wait_until_ready(&format!("{url}/{page}"))?;
        Ok(Self { url, process })
    }
}

fn started(command: &mut Command) -> Result<KillOnDrop> {
    let started = ending_with_us(command).stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    Ok(KillOnDrop(started.with_context(|| format!("{} cannot be started", command.get_program().display()))?))
}

/// A file of `deploy`, with addresses and paths of this machine in place of its own.
struct Configuration {
    file: &'static str,
    text: String,
}

impl Configuration {
    fn of(file: &'static str) -> Result<Self> {
        let text = fs::read_to_string(root().join(file)).with_context(|| format!("{file} cannot be read"))?;
        Ok(Self { file, text })
    }

    fn replace(&mut self, from: &str, to: &str) -> Result<()> {
        ensure!(self.text.matches(from).count() == 1, "{} does not have {from:?} once", self.file);
        self.text = self.text.replace(from, to);
        Ok(())
    }

    fn write(&self, path: &Path) -> Result<()> {
        fs::write(path, &self.text).with_context(|| format!("{} cannot be written", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_of_a_replica_names_its_master() {
        let nodes = "a1 127.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-16383\n\
                     b2 127.0.0.1:7002@17002 slave a1 0 1796000287498 1 connected\n";
        let roles = roles_in(nodes);
        assert_eq!(roles["127.0.0.1:7001"], "master");
        assert_eq!(roles["127.0.0.1:7002"], "replica of 127.0.0.1:7001");
    }
}
