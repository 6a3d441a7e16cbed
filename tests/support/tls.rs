//! Certificates of the test's own, and loopback addresses on which to use them.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::{
    fs,
    net::Ipv4Addr,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A certificate authority that only clients with its file know.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    dir: TempDir,
}

/// The files of a certificate and its key.
pub struct Identity {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new([]).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate");
        let dir = tempfile::Builder::new().prefix("stampede-test-").tempdir().expect("a temporary folder");
        fs::write(dir.path().join("ca.pem"), issuer.pem()).expect("a file");
        Self { issuer, dir }
    }

    /// The file with its own certificate.
    pub fn file(&self) -> PathBuf {
        self.dir.path().join("ca.pem")
    }

    /// Makes a certificate for one host, in a folder whose owner may read the key.
    pub fn certify(&self, host: &str, folder: &Path) -> Identity {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new([host.to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let file = |name: &str, text: String| {
            let path = folder.join(format!("{host}.{name}.pem"));
            fs::write(&path, text).expect("a file");
            own(&path, folder);
            path
        };
        Identity { certificate: file("cert", certificate.pem()), key: file("key", key.serialize_pem()) }
    }
}

/// Gives a file to the owner of a folder, and to nobody else.
fn own(file: &Path, folder: &Path) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let owner = fs::metadata(folder).expect("a folder");
    chown(file, Some(owner.uid()), Some(owner.gid())).expect("a change of owner");
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).expect("permissions");
}

/// An address of the loopback network on which only this process listens, so that all of its ports are free.
pub fn own_address() -> Ipv4Addr {
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    Ipv4Addr::new(127, 64 | (high & 63), middle, low)
}
