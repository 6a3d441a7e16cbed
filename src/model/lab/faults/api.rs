//! The API trait for server functions.

use super::{Fault, Faults, Incident};
use crate::error::Result;
use async_trait::async_trait;

/// The API of injected faults.
#[async_trait]
pub trait FaultApi: Send + Sync {
    /// The faults that can be injected, and the incidents since the start.
    fn faults(&self) -> Faults;

    /// Begins a fault.
    ///
    /// # Errors
    /// `bad_request`, `faults_disabled`, `fault_active`, `unavailable`.
    async fn inject(
        &self,
        fault: Fault,
        sale: Option<String>,
        ms: Option<u64>,
        delay_ms: Option<u64>,
    ) -> Result<Incident>;

    /// Ends a fault.
    ///
    /// # Errors
    /// `faults_disabled`, `unknown_incident`.
    fn end(&self, incident: &str) -> Result<Incident>;
}
