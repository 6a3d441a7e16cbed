//! The arrival pattern of users.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, IntoDeserializer, MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::{borrow::Cow, fmt};

/// The kind of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArrivalKind {
    /// All users at once, limited only by `concurrency`.
    Burst,
    /// A rate that increases from 0 to `per_s` over `over_s` seconds and is constant from then on.
    Ramp,
    /// A constant rate of `per_s` users a second.
    Constant,
}

/// The arrival pattern of users, with its figures. In JSON it is `"burst"` or
/// `{"kind":"ramp","per_s":10000,"over_s":10}`; figures that are left out have their defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Arrival {
    /// The kind of arrival.
    pub kind: ArrivalKind,
    /// Users a second at the full rate.
    pub per_s: u32,
    /// Seconds until a ramp reaches the full rate.
    pub over_s: u32,
}

impl Arrival {
    /// A burst, with the default figures for the other kinds.
    pub const BURST: Self = Self { kind: ArrivalKind::Burst, per_s: 5_000, over_s: 10 };

    /// The arrival time of the user at this position in the queue, in microseconds after the start.
    pub fn due_us(&self, place: u32) -> u64 {
        let place = f64::from(place);
        let per_s = f64::from(self.per_s);
        let seconds = match self.kind {
            ArrivalKind::Burst => 0.0,
            ArrivalKind::Constant => place / per_s,
            ArrivalKind::Ramp => {
                // A linear ramp has let in per_s * t² / (2 * over_s) users after t seconds.
                let over_s = f64::from(self.over_s);
                let on_the_ramp = per_s * over_s / 2.0;
                if place < on_the_ramp {
                    (2.0 * over_s * place / per_s).sqrt()
                } else {
                    over_s + (place - on_the_ramp) / per_s
                }
            }
        };
        (seconds * 1e6) as u64
    }
}

impl Arrival {
    /// The number of users who have arrived after this many microseconds, out of `users`.
    pub fn arrived(&self, users: u32, after_us: u64) -> u32 {
        // Users arrive in the order of their positions.
        let (mut here, mut beyond) = (0, users);
        while here < beyond {
            let middle = here + (beyond - here) / 2;
            if self.due_us(middle) <= after_us { here = middle + 1 } else { beyond = middle }
        }
        here
    }
}

impl JsonSchema for Arrival {
    fn schema_name() -> Cow<'static, str> {
        "Arrival".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        if generator.contract().is_serialize() {
            return Full::json_schema(generator);
        }
        let (kind, figures) = (generator.subschema_for::<ArrivalKind>(), generator.subschema_for::<Figures>());
        json_schema!({ "description": "How users arrive: the kind alone, or with its figures.", "anyOf": [kind, figures] })
    }
}

/// The arrival pattern of users.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used: an arrival in an answer has all of its figures")]
struct Full {
    /// The kind of arrival.
    kind: ArrivalKind,
    /// Users a second at the full rate.
    per_s: u32,
    /// Seconds until a ramp reaches the full rate.
    over_s: u32,
}

/// In JSON, an arrival is its kind alone or an object with figures.
#[derive(Deserialize, JsonSchema)]
struct Figures {
    /// The kind of arrival.
    kind: ArrivalKind,
    /// Users a second at the full rate.
    #[schemars(range(min = 1, max = crate::crowd::MAX_PER_S), extend("default" = Arrival::BURST.per_s))]
    per_s: Option<u32>,
    /// Seconds until a ramp reaches the full rate.
    #[schemars(range(min = 1, max = crate::crowd::MAX_OVER_S), extend("default" = Arrival::BURST.over_s))]
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
mod arrived {
    use super::*;

    #[test]
    fn those_have_arrived_whose_time_has_come() {
        let ramp = Arrival { kind: ArrivalKind::Ramp, per_s: 100, over_s: 10 };
        for users in [1, 500, 2_000] {
            for after_us in [0, 1, 5_000_000, 10_000_000, 60_000_000] {
                let counted = (0..users).filter(|place| ramp.due_us(*place) <= after_us).count();
                assert_eq!(ramp.arrived(users, after_us) as usize, counted, "{users} users after {after_us} µs");
            }
        }
        assert_eq!(Arrival::BURST.arrived(1_000, 0), 1_000);
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
