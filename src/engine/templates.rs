//! Templates of the forms that open sales of any kind.

use crate::KINDS;
use async_trait::async_trait;
use ledger::database::Ledger;
use model::{
    check_id,
    error::{Error, Result},
    find_kind,
    templates::{Deleted, MAX_TEMPLATES, Template, TemplateFields, TemplatesApi, check_template},
};
use std::sync::Arc;
use store::runtime::Clock;

/// Keeps the templates in the ledger's database.
pub struct Templates {
    ledger: Ledger,
    clock: Arc<dyn Clock>,
}

impl Templates {
    /// The templates in this ledger.
    pub fn new(ledger: Ledger, clock: Arc<dyn Clock>) -> Self {
        Self { ledger, clock }
    }
}

#[async_trait]
impl TemplatesApi for Templates {
    async fn templates(&self, kind: &str) -> Result<Vec<Template>> {
        self.ledger.templates(find_kind(KINDS.iter(), kind)?.info.id).await
    }

    async fn save(&self, kind: &str, name: &str, fields: TemplateFields) -> Result<Template> {
        let kind = find_kind(KINDS.iter(), kind)?.info.id.to_owned();
        check_template(name, &fields)?;
        let template = Template { kind, name: name.to_owned(), fields, saved_at: self.clock.now() };
        if self.ledger.save_template(&template).await? {
            return Ok(template);
        }
        let why = format!("There are {MAX_TEMPLATES} templates of this kind, which are the most; delete one first.");
        Err(Error::bad("name", why))
    }

    async fn delete(&self, kind: &str, name: &str) -> Result<Deleted> {
        let kind = find_kind(KINDS.iter(), kind)?.info.id;
        check_id("name", name)?;
        Ok(if self.ledger.delete_template(kind, name).await? { Deleted::Deleted } else { Deleted::Repeat })
    }
}
