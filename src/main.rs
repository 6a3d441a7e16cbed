//! The command line.

use anyhow::{Result, ensure};
use engine::{kind::Resources, list::service::Demos};
use lab::faults::handles::{Handles, WriterSwitch};
use listen::ConnectionLimits;
use stampede::server::{
    Access, AppState, api, audit, background, backup, browser,
    client::TrustedProxies,
    connect::{Connected, lab_redis, patiently, suspend_unwritten, unless_redis_ends},
    crowd,
    guard::AllowedHosts,
    metrics, output, recover, restore, routes,
    settings::{Cli, Command, Serve},
    signals::Signals,
    site, telemetry,
    tls::Encryption,
    webhooks::{self, delivery::Deliverer},
};
use std::{io, net::SocketAddr, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};
use store::{
    clock::RedisClock,
    embedded::{Embedded, RestartSwitch, ended_unexpectedly},
    runtime::{Ids, create_private_files},
};
use tokio::{
    net::TcpListener,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;
use web::components::StoreFlags;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The time in which open requests must end when the server stops.
const STOP_WITHIN: Duration = Duration::from_secs(5);
/// The stack of each thread. Pages are rendered on these threads, and the optimizer puts most of a page into one frame.
/// The frame of `/lab` takes more than the 2 MB that tokio gives a thread by default. Memory is taken only as it is
/// used.
const THREAD_STACK: usize = 8 * 1024 * 1024;
/// The most connections for metrics. A Prometheus needs one.
const METRICS_CONNECTIONS: usize = 16;

fn main() -> ExitCode {
    listen::raise_limit();
    create_private_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(THREAD_STACK).build();
    match runtime {
        Ok(runtime) => runtime.block_on(run()),
        Err(error) => {
            eprintln!("stampede: no thread can be started: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> ExitCode {
    let (result, failure) = match Cli::read().command {
        Command::Serve(settings) => (serve(settings).await.map(|()| ExitCode::SUCCESS), ExitCode::FAILURE),
        // A command that could not check anything exits with 2.
        Command::Audit(settings) => {
            telemetry::init_command();
            (audit::run(settings).await, ExitCode::from(2))
        }
        Command::Crowd(settings) => {
            telemetry::init_command();
            (crowd::run(settings).await, ExitCode::from(2))
        }
        Command::Recover(settings) => {
            telemetry::init_command();
            (recover::run(settings).await, ExitCode::from(2))
        }
        Command::Webhook(command) => {
            telemetry::init_command();
            (webhooks::command::run(command).await.map(|()| ExitCode::SUCCESS), ExitCode::FAILURE)
        }
        Command::Backup(settings) => {
            telemetry::init_command();
            (backup::run(settings).await, ExitCode::from(2))
        }
        Command::Restore(settings) => {
            telemetry::init_command();
            (restore::run(settings).await, ExitCode::from(2))
        }
        Command::Api => (api::run().map(|()| ExitCode::SUCCESS), ExitCode::FAILURE),
    };
    result.unwrap_or_else(|error| {
        eprintln!("stampede: {error:#}");
        failure
    })
}

/// Listens on an address. A server that was killed a moment ago may still have the address.
async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let deadline = Instant::now() + Duration::from_secs(1);
    loop {
        match TcpListener::bind(address).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && Instant::now() < deadline => {
                sleep(Duration::from_millis(50)).await;
            }
            bound => return bound,
        }
    }
}

/// Like [`bind`], with one sentence if it fails. `flag` chooses the address.
async fn listen_at(address: SocketAddr, flag: &str) -> Result<TcpListener> {
    bind(address).await.map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::AddrInUse => "stop the program that uses it, or choose another address",
            io::ErrorKind::AddrNotAvailable => "choose an address of this machine, or 0.0.0.0 for all of them,",
            io::ErrorKind::PermissionDenied => "choose a port from 1024 on",
            _ => "choose another address",
        };
        anyhow::Error::new(error).context(format!("Cannot listen on {address}; {why} with {flag}"))
    })
}

async fn serve(settings: Serve) -> Result<()> {
    telemetry::init(settings.log_format);
    let drain = settings.drain();
    for address in
        [settings.listen].into_iter().chain(settings.metrics_listen).filter(|address| !address.ip().is_loopback())
    {
        ensure!(
            settings.allow_remote,
            "{address} is not a loopback address, and there is no sign-in yet: anyone who can reach it has full access. \
             Add --allow-remote if that is what you want."
        );
        tracing::warn!(listen = %address, "listening beyond loopback WITHOUT SIGN-IN: anyone who can reach it has full access");
    }
    // These are checked before anything is started, because a wrong file and a port in use are the most common
    // mistakes.
    let tls = Encryption::new(settings.tls_cert.as_deref(), settings.tls_key.as_deref())?;
    let listener = listen_at(settings.listen, "--listen").await?;
    let metrics_listener = match settings.metrics_listen {
        Some(address) => Some(listen_at(address, "--metrics-listen").await?),
        None => None,
    };
    let address = listener.local_addr()?;

    let connected = Connected::serve(&settings.stores, settings.faults, settings.new_ledger);
    let Connected { store, ledger, mut embedded, wire } = connected.await?;
    let recovers = settings.recovers(store.is_cluster());
    let clock = patiently(async || Ok(RedisClock::of(&store).await?));
    let clock = unless_redis_ends(embedded.as_mut(), clock).await?;
    if store.keeps_append_only_file().await == Some(false) {
        tracing::warn!("this Redis has no append-only file, so its data is lost when it stops; set appendonly yes");
    }
    let (lab_redis, embedded_of_lab) = lab_redis(&settings, &store).await?;
    let ids = Arc::new(Ids::new(clock.clone()));
    let resources = Resources { store: store.clone(), ledger, clock: clock.clone(), ids };
    let site = site::options(&site_dir(settings.site_dir)?)?;
    let (switch, mut restarts) = RestartSwitch::new();
    let faults = settings.faults.then(|| {
        tracing::warn!("faults can be injected at /lab/faults: do not start a server with --faults where sales matter");
        Handles { redis: embedded.is_some().then_some(switch), wire, writer: WriterSwitch::default() }
    });
    let access = Access {
        hosts: AllowedHosts::new(settings.host),
        proxies: TrustedProxies::new(settings.trusted_proxy),
        base_path: settings.base_path.clone(),
    };
    let state = AppState::new(
        resources,
        site,
        // If others than the operator may see pages, the pages do not show the location of the data.
        if settings.listen.ip().is_loopback() { settings.stores.flags() } else { StoreFlags::default() },
        access,
        settings.stream_alarm,
        lab_redis,
        faults,
    );
    let feed = patiently(async || {
        store.claim_format().await?;
        Ok(state.ledger_service.claim_streams(settings.new_ledger).await?)
    });
    let feed = unless_redis_ends(embedded.as_mut(), feed).await?;
    // The feed runs until the last request has ended.
    let fed = CancellationToken::new();
    let feeding = tokio::spawn(feed.run(fed.clone()));
    let fed = fed.drop_guard();
    // This comes before any attempt is accepted. Items that Redis has lost, but the ledger has, must not be given away
    // again.
    let suspend_lost = patiently(async || Ok(state.ledger_service.suspend_lost().await?));
    unless_redis_ends(embedded.as_mut(), suspend_lost).await?;
    let room = embedded.as_ref().map(Embedded::room).transpose()?;
    if let Some(room) = &room {
        suspend_unwritten(&state.ledger_service, room).await?;
    }
    let mut demos = Demos::default();
    if settings.demo {
        demos.open(&state.lists).await;
    }

    let deliverer = Deliverer::new(&state)?;
    let demos = settings.demo.then_some(demos);
    let background = background::start(&state, settings.keep_closed, recovers, demos, room, deliverer);
    tokio::spawn(clock.follow(store, state.shutdown.clone()));
    let app = routes::app(state.clone());
    // Signals are handled before the address is printed, because its reader may stop this process at once.
    let mut signals = Signals::handled()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    output::print(|out| writeln!(out, "Stampede is at {scheme}://{address}{}", settings.base_path.as_str()))?;
    if let Some(listener) = metrics_listener {
        output::print(|out| writeln!(out, "Its metrics are at http://{}/metrics", listener.local_addr()?))?;
        let limits = ConnectionLimits { most: METRICS_CONNECTIONS, ..ConnectionLimits::default() };
        tokio::spawn(listen::serve(listener, None, metrics::app(state.clone()), limits, state.shutdown.clone()));
    }
    if settings.open {
        browser::open(scheme, address, &settings.base_path);
    }
    let shutdown = state.shutdown.clone();
    let acceptor = tls.as_ref().map(|tls| tls.acceptor.clone());
    if let Some(tls) = tls {
        let shutdown = shutdown.clone();
        tokio::spawn(async move { tls.follow_renewals(shutdown).await });
    }
    let limits = ConnectionLimits::default();
    let mut server = tokio::spawn(listen::serve(listener, acceptor, app, limits, shutdown.clone()));

    let redis_ended = async {
        match &mut embedded {
            Some(embedded) => embedded.ended_unasked(&mut restarts).await,
            None => std::future::pending().await,
        }
    };
    let drained = async {
        signals.next().await;
        state.draining.cancel();
        if !drain.is_zero() {
            tracing::info!(
                "stopping in {} s, as load balancers turn to other servers; Ctrl-C again ends at once",
                drain.as_secs()
            );
            tokio::select! {
                () = sleep(drain) => {}
                code = signals.next() => std::process::exit(code),
            }
        }
    };
    let fault = tokio::select! {
        result = &mut server => { result?; None }
        () = drained => None,
        status = redis_ended => Some(ended_unexpectedly(status?)),
    };
    tracing::info!("stopping; Ctrl-C again ends at once");
    shutdown.cancel();
    let stopped = async {
        if tokio::time::timeout(STOP_WITHIN, server).await.is_err() {
            tracing::warn!("some requests did not end in time and were cut off");
        }
        if tokio::time::timeout(STOP_WITHIN, state.crowds.ended()).await.is_err() {
            tracing::warn!("a crowd did not end in time and was cut off");
        }
        if tokio::time::timeout(STOP_WITHIN, state.lab.ended()).await.is_err() {
            tracing::warn!("a run of the lab did not end in time and was cut off");
        }
        if let Some(embedded) = embedded_of_lab
            && let Err(error) = embedded.stop().await
        {
            tracing::warn!(error = format!("{error:#}"), "the lab's Redis did not stop as it should");
        }
        if tokio::time::timeout(STOP_WITHIN, background.wait()).await.is_err() {
            tracing::warn!("the ledger was not written to the end; it goes on at the next start");
        }
        let closed = async {
            drop(fed);
            feeding.await.ok();
            state.ledger.close().await;
        };
        if tokio::time::timeout(STOP_WITHIN, closed).await.is_err() {
            tracing::warn!(
                "the ledger was still in use; what SQLite's log has is written into its file at the next start"
            );
        }
        if let Some(embedded) = embedded.filter(|_| fault.is_none()) {
            embedded.stop().await?;
        }
        anyhow::Ok(())
    };
    {
        // Pinned here: `select!` drops what it owns before a handler runs, and whoever drops `Embedded` kills Redis.
        let mut stopped = std::pin::pin!(stopped);
        tokio::select! {
            stopped = &mut stopped => stopped?,
            // Redis has all answered attempts. It writes them and stops when this process is gone.
            code = signals.next() => std::process::exit(code),
        }
    }
    fault.map_or(Ok(()), Err)
}

/// The folder of the site: from the settings, or from cargo-leptos, or `../site` relative to the program.
fn site_dir(given: Option<PathBuf>) -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let beside = || program.parent().and_then(|dir| dir.parent()).unwrap_or(&program).join("site");
    let by_cargo_leptos = || std::env::var_os("LEPTOS_SITE_ROOT").map(PathBuf::from);
    Ok(given.or_else(by_cargo_leptos).unwrap_or_else(beside))
}
