//! The API trait of the list, implemented by the service.

use crate::list::service::SaleLists;
use async_trait::async_trait;
use model::error::Result;
use model::list::{ListApi, ListQuery, SaleList};

#[async_trait]
impl ListApi for SaleLists {
    async fn list(&self, query: ListQuery) -> Result<SaleList> {
        self.list(query).await
    }
}
