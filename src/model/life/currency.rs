//! Currencies: their codes and the digits of their minor units.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{borrow::Cow, fmt};

/// A currency in circulation, of ISO 4217. Amounts are whole numbers of its minor unit: a cent of the yuan, a yen, a
/// fils of the dinar.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency {
    code: &'static str,
    digits: u8,
}

impl Currency {
    /// The currency of a sale that names none.
    pub const CNY: Self = Self { code: "CNY", digits: 2 };

    /// The code of ISO 4217: `CNY`.
    pub fn code(self) -> &'static str {
        self.code
    }

    /// Whether it is that of a sale that names none.
    pub fn is_default(&self) -> bool {
        *self == Self::CNY
    }

    /// The number of digits behind the point: 2 for CNY, 0 for JPY, 3 for KWD.
    pub fn digits(self) -> u8 {
        self.digits
    }

    /// The currency with this code, in capitals.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::listed().find(|currency| currency.code == code)
    }

    /// Every currency, in the order of the codes.
    pub fn all() -> impl Iterator<Item = Self> {
        let mut all: Vec<Self> = Self::listed().collect();
        all.sort_unstable_by_key(|currency| currency.code);
        all.into_iter()
    }

    fn listed() -> impl Iterator<Item = Self> {
        CODES.iter().flat_map(|(digits, codes)| codes.split(' ').map(|code| Self { code, digits: *digits }))
    }
}

impl Default for Currency {
    fn default() -> Self {
        Self::CNY
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code)
    }
}

impl Serialize for Currency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code)
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = Cow::<str>::deserialize(deserializer)?;
        Self::from_code(&code).ok_or_else(|| D::Error::custom(format!("{code:?} is no currency of ISO 4217")))
    }
}

impl JsonSchema for Currency {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Currency".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Z]{3}$" })
    }
}

/// The codes by the number of their digits. Codes of funds, metals and tests are left out: nothing is sold in them.
const CODES: [(u8, &str); 3] = [
    (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"),
    (
        2,
        "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP \
         CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD \
         KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN \
         NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC \
         SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG",
    ),
    (3, "BHD IQD JOD KWD LYD OMR TND"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_currency_has_a_code_and_digits() {
        for (code, digits) in [("CNY", 2), ("JPY", 0), ("KWD", 3), ("ZWG", 2), ("AED", 2)] {
            assert_eq!(
                Currency::from_code(code).map(|currency| (currency.code(), currency.digits())),
                Some((code, digits))
            );
        }
        for code in ["", "cny", "XXX", "DEM", "CNY "] {
            assert_eq!(Currency::from_code(code), None, "{code}");
        }
        assert_eq!(Currency::from_code("CNY"), Some(Currency::default()));
    }

    #[test]
    fn every_code_is_three_capitals_and_there_once() {
        let codes: Vec<&str> = Currency::all().map(Currency::code).collect();
        assert!(codes.iter().all(|code| code.len() == 3 && code.bytes().all(|letter| letter.is_ascii_uppercase())));
        assert_eq!(codes.iter().collect::<HashSet<_>>().len(), codes.len());
        assert!(codes.is_sorted());
    }

    #[test]
    fn a_currency_is_its_code_in_json() {
        let json = serde_json::to_string(&Currency::CNY).expect("JSON");
        assert_eq!(json, "\"CNY\"");
        assert_eq!(serde_json::from_str::<Currency>(&json).expect("a currency"), Currency::CNY);
        assert!(serde_json::from_str::<Currency>("\"XXX\"").is_err());
    }
}
