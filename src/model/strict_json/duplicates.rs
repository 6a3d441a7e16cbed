//! A field that an object gives twice. serde refuses it in a struct; in a map the last value would win silently.

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use std::{collections::HashSet, fmt};

/// The path of the first field that is given twice, at any depth.
pub(super) fn duplicate(body: &[u8]) -> Option<String> {
    Search.deserialize(&mut serde_json::Deserializer::from_slice(body)).ok().flatten()
}

struct Search;

impl<'de> DeserializeSeed<'de> for Search {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Search {
    type Value = Option<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let (mut fields, mut found) = (HashSet::new(), None);
        while let Some(field) = object.next_key::<String>()? {
            let within = object.next_value_seed(Search)?.map(|path| match path.strip_prefix('[') {
                Some(_) => format!("{field}{path}"),
                None => format!("{field}.{path}"),
            });
            found = found.or(within).or_else(|| fields.contains(&field).then(|| field.clone()));
            fields.insert(field);
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let (mut index, mut found) = (0, None);
        while let Some(within) = list.next_element_seed(Search)? {
            let within = within.map(|path| match path.strip_prefix('[') {
                Some(_) => format!("[{index}]{path}"),
                None => format!("[{index}].{path}"),
            });
            (found, index) = (found.or(within), index + 1);
        }
        Ok(found)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}
