//! The server's own certificate: with it, connections are encrypted.

use super::listen::http2;
use crate::store::tls::certificates;
use anyhow::{Context, Result, anyhow, bail, ensure};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
};
use std::{path::Path, sync::Arc};
use tokio_rustls::TlsAcceptor;

/// What the versions of HTTP are called where client and server agree on one, the best first.
const PROTOCOLS: [&[u8]; 2] = [http2::PROTOCOL, b"http/1.1"];

/// What encrypts connections, with the certificate chain and the key of these PEM files; nothing without them.
///
/// # Errors
/// One sentence: a file is missing, cannot be read, or is not what it should be.
pub fn acceptor(certificate: Option<&Path>, key: Option<&Path>) -> Result<Option<TlsAcceptor>> {
    let (certificate, key) = match (certificate, key) {
        (Some(certificate), Some(key)) => (certificate, key),
        (None, None) => return Ok(None),
        (Some(_), None) => bail!("--tls-cert also requires --tls-key, the file with the certificate's private key."),
        (None, Some(_)) => bail!("--tls-key also requires --tls-cert, the file with the key's certificate."),
    };
    let chain = certificates(certificate, "--tls-cert")?;
    let chain = CertificateDer::pem_slice_iter(&chain).collect::<Result<_, _>>()?;
    let private = private_key(key)?;
    let provider = ring::default_provider().into();
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let config = config.with_no_client_auth().with_single_cert(chain, private);
    let (certificate, key) = (certificate.display(), key.display());
    let mut config = config.map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => {
            anyhow!("--tls-key names {key}, which is not the key of the certificate in {certificate}.")
        }
        error => {
            anyhow!(error).context(format!("The certificate in {certificate} with the key in {key} cannot be used"))
        }
    })?;
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}

fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>> {
    let pem =
        std::fs::read(file).with_context(|| format!("--tls-key names {}, which cannot be read", file.display()))?;
    let key = PrivateKeyDer::from_pem_slice(&pem);
    ensure!(
        !matches!(key, Err(pem::Error::NoItemsFound)),
        "--tls-key names {}, in which there is no private key; it takes a PEM file without a password, with BEGIN PRIVATE KEY.",
        file.display()
    );
    key.with_context(|| format!("--tls-key names {}, which is damaged", file.display()))
}
