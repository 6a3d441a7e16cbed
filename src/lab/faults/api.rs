//! The interface for server functions.

use crate::faults::service::FaultService;
use async_trait::async_trait;
use model::error::Result;
use model::lab::faults::{Fault, FaultApi, Faults, Incident};

#[async_trait]
impl FaultApi for FaultService {
    fn faults(&self) -> Faults {
        self.faults()
    }

    async fn inject(
        &self,
        fault: Fault,
        sale: Option<String>,
        ms: Option<u64>,
        delay_ms: Option<u64>,
    ) -> Result<Incident> {
        self.inject(fault, sale, ms, delay_ms).await
    }

    fn end(&self, incident: &str) -> Result<Incident> {
        self.end(incident)
    }
}
