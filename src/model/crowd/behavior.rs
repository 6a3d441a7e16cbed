//! The behavior of simulated users: as fields of a request, and as a type of each kind of sale.

use crate::{
    crowd::RunConfig,
    error::{Error, Result},
    from_value,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// The behavior of users, as JSON fields specific to the kind of sale.
pub type Behavior = Map<String, Value>;

/// The behavior of users at sales of one kind. Fields that a request leaves out have the defaults of the type.
pub trait KindBehavior: Default + Serialize + DeserializeOwned {
    /// Checks every limit.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    fn check(&self) -> Result<()>;

    /// Reads the fields of a request; missing or null fields get their defaults.
    ///
    /// # Errors
    /// `bad_request` if a field is unknown or has the wrong type.
    fn from_fields(fields: &Behavior) -> Result<Self> {
        let given = fields.iter().filter(|(_, value)| !value.is_null());
        let given: Behavior = given.map(|(name, value)| (name.clone(), value.clone())).collect();
        from_value(given.into()).map_err(|error| Error::unexpected_json(&error.to_string()))
    }

    /// The behavior as fields of a request.
    fn to_fields(&self) -> Behavior {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => Behavior::new(),
        }
    }

    /// Reads and checks the fields of a request. Returns them with the defaults filled in.
    ///
    /// # Errors
    /// `bad_request`, naming the field.
    fn complete(fields: &Behavior) -> Result<Behavior> {
        let behavior = Self::from_fields(fields)?;
        behavior.check()?;
        Ok(behavior.to_fields())
    }

    /// The behavior of the users of a run.
    ///
    /// # Errors
    /// `bad_request`, if the settings of the run belong to another kind.
    fn of_run(config: &RunConfig) -> Result<Self> {
        config.behavior.as_ref().map_or_else(|| Ok(Self::default()), Self::from_fields)
    }
}
