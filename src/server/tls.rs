//! The certificate of the server. With it, connections are encrypted.

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use listen::http2;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use store::tls::certificates;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

/// The names of the versions of HTTP for the negotiation with clients, the best first.
const PROTOCOLS: [&[u8]; 2] = [http2::PROTOCOL, b"http/1.1"];

/// The interval of checks of the certificate's files.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// The encryption of connections.
pub struct Encryption {
    /// Accepts connections, each with the current certificate in the files.
    pub acceptor: TlsAcceptor,
    certificate: Arc<Certificate>,
}

impl Encryption {
    /// The encryption with the certificate chain and the key in these PEM files; `None` without them.
    ///
    /// # Errors
    /// One sentence: a file is missing, cannot be read, or has the wrong content.
    pub fn new(certificate: Option<&Path>, key: Option<&Path>) -> Result<Option<Self>> {
        let (certificate, key) = match (certificate, key) {
            (Some(certificate), Some(key)) => (certificate, key),
            (None, None) => return Ok(None),
            (Some(_), None) => {
                bail!("--tls-cert also requires --tls-key, the file with the certificate's private key.")
            }
            (None, Some(_)) => bail!("--tls-key also requires --tls-cert, the file with the key's certificate."),
        };
        let certificate = Arc::new(Certificate::read(certificate, key)?);
        let provider = ring::default_provider().into();
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let mut config = config.with_no_client_auth().with_cert_resolver(certificate.clone());
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
        Ok(Some(Self { acceptor: TlsAcceptor::from(Arc::new(config)), certificate }))
    }

    /// Reads the files again, and uses their content for new connections. Returns whether the certificate has changed.
    ///
    /// # Errors
    /// Like [`Encryption::new`]; the previous certificate stays in use.
    pub fn renew(&self) -> Result<bool> {
        self.certificate.renew()
    }

    /// Uses renewed certificates, without ending any connection, until `shutdown`. While the files do not match, as
    /// between writing one and the other, the previous certificate stays, and the log reports that once.
    pub async fn follow_renewals(&self, shutdown: CancellationToken) {
        let mut complaint = String::new();
        while shutdown.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
            let certificate = self.certificate.clone();
            // Files are read on a thread where that delays nothing else.
            match tokio::task::spawn_blocking(move || certificate.renew()).await.map_err(Error::from).flatten() {
                Ok(true) => {
                    complaint.clear();
                    tracing::info!("the certificate was renewed");
                }
                Ok(false) => complaint.clear(),
                Err(error) => {
                    let why = format!("{error:#}");
                    if why != complaint {
                        tracing::warn!(why, "the renewed certificate cannot be used; the previous one stays in use");
                        complaint = why;
                    }
                }
            }
        }
    }
}

/// A certificate with its key, as last read from the files.
#[derive(Debug)]
struct Certificate {
    chain: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificate {
    fn read(chain: &Path, key: &Path) -> Result<Self> {
        let current = RwLock::new(certified(chain, key)?.into());
        Ok(Self { chain: chain.to_owned(), key: key.to_owned(), current })
    }

    fn renew(&self) -> Result<bool> {
        let read = certified(&self.chain, &self.key)?;
        let is_another = read.cert != self.current().cert;
        if is_another {
            *self.current.write().unwrap_or_else(PoisonError::into_inner) = read.into();
        }
        Ok(is_another)
    }

    fn current(&self) -> Arc<CertifiedKey> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

fn certified(certificate: &Path, key: &Path) -> Result<CertifiedKey> {
    let chain = certificates(certificate, "--tls-cert")?;
    let chain = CertificateDer::pem_slice_iter(&chain).collect::<Result<_, _>>()?;
    let certified = CertifiedKey::from_der(chain, private_key(key)?, &ring::default_provider());
    let (certificate, key) = (certificate.display(), key.display());
    certified.map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => {
            anyhow!("--tls-key names {key}, which is not the key of the certificate in {certificate}.")
        }
        error => {
            anyhow!(error).context(format!("The certificate in {certificate} with the key in {key} cannot be used"))
        }
    })
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
