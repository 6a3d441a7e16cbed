//! TLS to Redis and to the database: the trusted certificates, and the meaning of TLS errors.

use anyhow::Context;
use rustls::{
    CertificateError,
    pki_types::{CertificateDer, pem::PemObject},
};
use std::{error::Error, io, path::Path, sync::Arc};

/// Why a connection with TLS failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The certificate has no trusted authority.
    Untrusted,
    /// The certificate belongs to another host.
    OtherHost,
    /// Anything else, such as a server without TLS.
    NoTls,
}

impl Fault {
    /// The fault behind an error, if TLS has failed.
    pub fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        of_one(error).or_else(|| Self::of(error.source()?))
    }
}

/// The fault that an error itself reports. The redis crate holds it in a pointer, and an I/O error does not return it
/// as its source.
fn of_one(error: &(dyn Error + 'static)) -> Option<Fault> {
    if let Some(error) = error.downcast_ref::<Arc<dyn Error + Send + Sync>>() {
        return Fault::of(&**error);
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return error.get_ref().and_then(|inner| Fault::of(inner));
    }
    Some(match error.downcast_ref::<rustls::Error>()? {
        rustls::Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => Fault::OtherHost,
        rustls::Error::InvalidCertificate(_) => Fault::Untrusted,
        _ => Fault::NoTls,
    })
}

/// The certificates in a file, as its unchanged content.
///
/// # Errors
/// One sentence if the file cannot be read or holds none. `option` is the option that named the file.
pub fn certificates(file: &Path, option: &str) -> anyhow::Result<Vec<u8>> {
    let pem =
        std::fs::read(file).with_context(|| format!("{option} names {}, which cannot be read", file.display()))?;
    let mut count = 0;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        certificate.with_context(|| format!("{option} names {}, which is damaged", file.display()))?;
        count += 1;
    }
    anyhow::ensure!(
        count > 0,
        "{option} names {}, in which there is no certificate; it takes a PEM file, with BEGIN CERTIFICATE.",
        file.display()
    );
    Ok(pem)
}
