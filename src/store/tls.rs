//! TLS to Redis and to the database: the certificates to trust, and what an error of TLS means.

use anyhow::Context;
use rustls::{
    CertificateError,
    pki_types::{CertificateDer, pem::PemObject},
};
use std::{error::Error, io, path::Path, sync::Arc};

/// Why a connection with TLS did not come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No trusted authority vouches for the certificate.
    Untrusted,
    /// The certificate is another host's.
    OtherHost,
    /// Anything else, such as a server without TLS.
    NoTls,
}

impl Fault {
    /// The fault behind an error, if TLS is what failed.
    pub fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        of_one(error).or_else(|| Self::of(error.source()?))
    }
}

/// The fault that an error tells itself. redis holds it in a pointer, and one of input and output does not name it as
/// its source.
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

/// The certificates of a file, as it is.
///
/// # Errors
/// One sentence: the file cannot be read, or holds none. `option` is what named it.
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
