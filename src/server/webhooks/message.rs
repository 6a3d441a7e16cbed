//! A message to a webhook: its body, and its headers by Standard Webhooks (<https://www.standardwebhooks.com>).

use anyhow::{Context, Result};
use base64::{Engine, engine::general_purpose::STANDARD};
use model::{iso, ledger::Row};
use ring::{
    hmac::{HMAC_SHA256, Key, sign},
    rand::{SecureRandom, SystemRandom},
};
use serde::Serialize;

/// The beginning of a secret. The key, in base64, follows.
const PREFIX: &str = "whsec_";
/// The bytes of a new key. The specification asks for 24 to 64.
const KEY_BYTES: usize = 32;

#[derive(Serialize)]
struct Body<'a> {
    /// What has happened: `<kind>.<outcome>`.
    r#type: String,
    /// When it happened.
    timestamp: String,
    /// The row, as in the change feed.
    data: &'a Row,
}

/// The body of the message about a row. It is the same whenever the row is sent.
///
/// # Errors
/// None that is known: a row can be written as JSON.
pub fn body(row: &Row) -> serde_json::Result<String> {
    let r#type = format!("{}.{}", row.kind, row.outcome);
    serde_json::to_string(&Body { r#type, timestamp: iso(row.at), data: row })
}

/// The header `webhook-signature` of a message that is sent at this time, in seconds.
///
/// # Errors
/// One sentence if the secret is none.
pub fn signature(secret: &str, id: &str, timestamp: i64, body: &str) -> Result<String> {
    let key = secret.strip_prefix(PREFIX).and_then(|key| STANDARD.decode(key).ok());
    let key = Key::new(HMAC_SHA256, &key.context("The secret of the webhook is damaged; remove it and add another.")?);
    let signature = sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
    Ok(format!("v1,{}", STANDARD.encode(signature)))
}

/// A new secret.
///
/// # Errors
/// One sentence if the system has no randomness.
pub fn new_secret() -> Result<String> {
    let mut key = [0; KEY_BYTES];
    SystemRandom::new().fill(&mut key).ok().context("The system gives no random numbers.")?;
    Ok(format!("{PREFIX}{}", STANDARD.encode(key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An example that the libraries for receivers are tested with.
    #[test]
    fn a_signature_is_as_receivers_expect_it() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let signed = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
        assert_eq!(signed.expect("a signature"), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert!(signature("secret", "1", 1, "").is_err());
        let (one, other) = (new_secret().expect("a secret"), new_secret().expect("a secret"));
        assert!(one != other && one.len() == PREFIX.len() + 44, "{one} {other}");
        assert!(signature(&one, "1", 1, "").is_ok());
    }
}
