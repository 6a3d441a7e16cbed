//! How an arrival is read from JSON: its kind alone, or with figures.

use super::{Arrival, ArrivalKind};
use serde::{
    Deserialize, Deserializer,
    de::{self, IntoDeserializer, MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::fmt;

#[derive(Deserialize)]
struct Figures {
    kind: ArrivalKind,
    per_s: Option<u32>,
    over_s: Option<u32>,
}

impl<'de> Deserialize<'de> for Arrival {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Arrival;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an arrival: its kind, or an object with `kind`, `per_s` and `over_s`")
    }

    fn visit_str<E: de::Error>(self, kind: &str) -> Result<Arrival, E> {
        let kind = ArrivalKind::deserialize(kind.into_deserializer())?;
        Ok(Arrival { kind, ..Arrival::BURST })
    }

    fn visit_map<A: MapAccess<'de>>(self, figures: A) -> Result<Arrival, A::Error> {
        let Figures { kind, per_s, over_s } = Figures::deserialize(MapAccessDeserializer::new(figures))?;
        let usual = Arrival::BURST;
        Ok(Arrival { kind, per_s: per_s.unwrap_or(usual.per_s), over_s: over_s.unwrap_or(usual.over_s) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_is_a_kind_with_or_without_figures() {
        let read = |json: &str| serde_json::from_str::<Arrival>(json).unwrap();
        assert_eq!(read(r#""burst""#), Arrival::BURST);
        assert_eq!(
            read(r#"{"kind":"constant","per_s":7}"#),
            Arrival { kind: ArrivalKind::Constant, per_s: 7, over_s: 10 }
        );
        assert_eq!(
            read(r#"{"kind":"ramp","per_s":7,"over_s":3}"#),
            Arrival { kind: ArrivalKind::Ramp, per_s: 7, over_s: 3 }
        );
        assert!(serde_json::from_str::<Arrival>(r#""flood""#).is_err());
        assert!(serde_json::from_str::<Arrival>("7").is_err());
    }
}
