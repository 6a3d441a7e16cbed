//! `stampede webhook add|list|remove|retry`.

use crate::server::{
    connect::{Access, Connected},
    output::{print, print_result},
    settings::{AddWebhook, WebhookCommand},
    webhooks::message::new_secret,
};
use anyhow::{Result, bail, ensure};
use engine::KINDS;
use ledger::webhooks::StoredWebhook;
use model::ledger::webhooks::Webhook;
use reqwest::Url;
use serde::Serialize;
use std::io::{self, Write};
use store::{
    clock::RedisClock,
    runtime::{Clock, Ids},
};

/// The most bytes of an address.
const MAX_URL_BYTES: usize = 2_048;

/// A new webhook, with the secret that is shown only now.
#[derive(Serialize)]
struct Added {
    id: String,
    url: String,
    secret: String,
    after: u64,
}

/// Runs the command.
///
/// # Errors
/// One sentence: an invalid address or list, an unknown webhook, or an unreachable ledger or Redis.
pub async fn run(command: WebhookCommand) -> Result<()> {
    match command {
        WebhookCommand::Add(settings) => {
            let webhook = new_webhook(&settings)?;
            let connected = Connected::beside(&settings.stores, Access::Write).await?;
            let added = add(&connected, webhook, settings.after).await;
            connected.close().await?;
            let added = added?;
            let shown = Added { id: added.id, url: added.url, secret: added.secret, after: added.sent };
            print_result(settings.json, &shown, print_added)?;
        }
        WebhookCommand::List(settings) => {
            let connected = Connected::beside(&settings.stores, Access::Read).await?;
            let webhooks = connected.ledger.webhook_progress().await;
            connected.close().await?;
            print_result(settings.json, &webhooks?, |webhooks, out| print_list(webhooks, out))?;
        }
        WebhookCommand::Remove(settings) => {
            let connected = Connected::beside(&settings.stores, Access::Write).await?;
            let removed = connected.ledger.remove_webhook(&settings.id).await;
            connected.close().await?;
            removed?;
            print(|out| writeln!(out, "The webhook {} is removed.", settings.id))?;
        }
        WebhookCommand::Retry(settings) => {
            let connected = Connected::beside(&settings.stores, Access::Write).await?;
            let requeued = connected.ledger.requeue(settings.id.as_deref()).await;
            connected.close().await?;
            let requeued = requeued?;
            print(|out| writeln!(out, "{requeued} dead letters will be sent again by the server."))?;
        }
    }
    Ok(())
}

/// Checks what was asked for. The rest is known once the ledger is.
fn new_webhook(settings: &AddWebhook) -> Result<StoredWebhook> {
    let url = &settings.url;
    ensure!(
        url.len() <= MAX_URL_BYTES,
        "The address is {} bytes long; at most {MAX_URL_BYTES} are allowed.",
        url.len()
    );
    let parsed = Url::parse(url).ok().filter(|url| ["http", "https"].contains(&url.scheme()) && url.has_host());
    let Some(parsed) = parsed else {
        bail!("\"{url}\" is no address; one looks like https://shop.example/stampede.");
    };
    ensure!(
        parsed.username().is_empty() && parsed.password().is_none(),
        "The address has a user name or a password. Leave them out: the signature says who sends."
    );
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.info.id).collect();
    for kind in &settings.kinds {
        ensure!(kinds.contains(&kind.as_str()), "There is no kind \"{kind}\"; the kinds are: {}.", kinds.join(", "));
    }
    let chosen =
        KINDS.iter().filter(|kind| settings.kinds.is_empty() || settings.kinds.iter().any(|id| id == kind.info.id));
    let mut outcomes: Vec<&str> = chosen.flat_map(|kind| kind.info.outcomes).copied().collect();
    outcomes.sort_unstable();
    outcomes.dedup();
    for outcome in &settings.outcomes {
        ensure!(
            outcomes.contains(&outcome.as_str()),
            "There is no outcome \"{outcome}\" of these kinds; the outcomes are: {}.",
            outcomes.join(", ")
        );
    }
    Ok(StoredWebhook {
        id: String::new(),
        url: parsed.into(),
        secret: new_secret()?,
        kinds: settings.kinds.clone(),
        outcomes: settings.outcomes.clone(),
        created_at: 0,
        sent: 0,
        version: 0,
    })
}

/// Adds the webhook, which begins after this place, or with the next row that is recorded.
async fn add(connected: &Connected, webhook: StoredWebhook, after: Option<u64>) -> Result<StoredWebhook> {
    let last = connected.ledger.last_recorded().await?;
    let sent = after.unwrap_or(last);
    ensure!(sent <= last, "--after is {sent}, but the ledger has recorded only {last} rows.");
    let clock = RedisClock::of(&connected.store).await?;
    let created_at = clock.now();
    let webhook = StoredWebhook { id: Ids::new(clock).id(), created_at, sent, ..webhook };
    connected.ledger.add_webhook(&webhook).await?;
    Ok(webhook)
}

fn print_added(added: &Added, out: &mut dyn Write) -> io::Result<()> {
    let Added { id, url, secret, after } = added;
    writeln!(out, "The webhook {id} sends every row recorded after place {after} to {url}.")?;
    writeln!(out, "Its secret, which is shown only now: {secret}")
}

fn print_list(webhooks: &[Webhook], out: &mut dyn Write) -> io::Result<()> {
    if webhooks.is_empty() {
        return writeln!(out, "There is no webhook.");
    }
    for webhook in webhooks {
        let Webhook { id, url, kinds, outcomes, behind, stalled_sales, reason, dead_letters, .. } = webhook;
        let list = |all: &'static str, list: &[String]| if list.is_empty() { all.to_owned() } else { list.join(", ") };
        writeln!(out, "{id} {url}")?;
        writeln!(out, "  {}; {}", list("all kinds", kinds), list("all outcomes", outcomes))?;
        writeln!(out, "  {behind} rows behind, {stalled_sales} sales held up, {dead_letters} dead letters")?;
        if let Some(reason) = reason {
            writeln!(out, "  {reason}")?;
        }
    }
    Ok(())
}
