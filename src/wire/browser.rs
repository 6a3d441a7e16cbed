//! The browser's half: a reader of JavaScript values.
//!
//! Whole numbers are exact up to 2^53, as everywhere in JavaScript; nothing that the server sends is
//! larger but a seed that somebody chose so.

use super::Unreadable;
use js_sys::{Array, JSON, JsString, Object, Reflect};
use serde::{
    de::{
        self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
        VariantAccess, Visitor, value::StrDeserializer,
    },
    forward_to_deserialize_any,
};
use std::{fmt::Display, slice};
use wasm_bindgen::{JsCast, JsValue};

/// Reads a value from JSON.
///
/// # Errors
/// Never says what is wrong.
pub fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, Unreadable> {
    T::deserialize(parsed(json)?)
}

fn parsed(json: &[u8]) -> Result<Value, Unreadable> {
    let text = std::str::from_utf8(json).map_err(|_| nothing())?;
    JSON::parse(text).map(Value).map_err(|_| nothing())
}

pub(super) fn unreadable(_: serde_json::Error) -> Unreadable {
    nothing()
}

fn nothing() -> Unreadable {
    Unreadable(String::new())
}

impl de::Error for Unreadable {
    fn custom<T: Display>(_: T) -> Self {
        nothing()
    }

    // Each of these would write a sentence for `custom` to throw away.
    fn invalid_type(_: de::Unexpected, _: &dyn de::Expected) -> Self {
        nothing()
    }

    fn invalid_value(_: de::Unexpected, _: &dyn de::Expected) -> Self {
        nothing()
    }

    fn invalid_length(_: usize, _: &dyn de::Expected) -> Self {
        nothing()
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        nothing()
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        nothing()
    }

    fn missing_field(_: &'static str) -> Self {
        nothing()
    }

    fn duplicate_field(_: &'static str) -> Self {
        nothing()
    }
}

struct Value(JsValue);

macro_rules! numbers {
    ($($method:ident $visit:ident),* $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
            visitor.$visit(self.0.as_f64().ok_or_else(nothing)? as _)
        })*
    };
}

impl<'de> Deserializer<'de> for Value {
    type Error = Unreadable;

    /// What says by itself what it is: a word, a number that is no less than 0, a list or an object.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        if let Some(text) = self.0.as_string() {
            return visitor.visit_string(text);
        }
        if let Some(number) = self.0.as_f64() {
            return visitor.visit_u64(number as u64);
        }
        if Array::is_array(&self.0) {
            return self.deserialize_seq(visitor);
        }
        if !self.0.is_object() {
            return Err(nothing());
        }
        let keys = Object::keys(self.0.unchecked_ref::<Object>());
        visitor.visit_map(Entries { object: self.0, keys, next: 0 })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_bool(self.0.as_bool().ok_or_else(nothing)?)
    }

    numbers! {
        deserialize_u8 visit_u64, deserialize_u16 visit_u64, deserialize_u32 visit_u64, deserialize_u64 visit_u64,
        deserialize_i8 visit_i64, deserialize_i16 visit_i64, deserialize_i32 visit_i64, deserialize_i64 visit_i64,
        deserialize_f32 visit_f64, deserialize_f64 visit_f64,
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_string(self.0.as_string().ok_or_else(nothing)?)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_unit()
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        let items = self.0.dyn_into::<Array>().map_err(|_| nothing())?;
        visitor.visit_seq(Items { items, next: 0 })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Unreadable> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        if self.0.is_null() || self.0.is_undefined() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        visitor.visit_seq(Fields { object: self.0, fields: fields.iter() })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        visitor.visit_enum(Variant(self.0.as_string().ok_or_else(nothing)?))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i128 u128 char str bytes byte_buf unit_struct tuple_struct map identifier ignored_any
    }
}

/// The items of an array.
struct Items {
    items: Array,
    next: u32,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = Unreadable;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Unreadable> {
        if self.next == self.items.length() {
            return Ok(None);
        }
        let item = self.items.get(self.next);
        self.next += 1;
        seed.deserialize(Value(item)).map(Some)
    }
}

/// The fields of an object in the order of the type: no name has to be read and told from the others.
struct Fields {
    object: JsValue,
    fields: slice::Iter<'static, &'static str>,
}

impl<'de> SeqAccess<'de> for Fields {
    type Error = Unreadable;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Unreadable> {
        let Some(field) = self.fields.next() else { return Ok(None) };
        let value = Reflect::get(&self.object, &JsString::from(*field)).map_err(|_| nothing())?;
        seed.deserialize(Value(value)).map(Some)
    }
}

/// All that an object has.
struct Entries {
    object: JsValue,
    keys: Array,
    next: u32,
}

impl<'de> MapAccess<'de> for Entries {
    type Error = Unreadable;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Unreadable> {
        if self.next == self.keys.length() {
            return Ok(None);
        }
        seed.deserialize(Value(self.keys.get(self.next))).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Unreadable> {
        let value = Reflect::get(&self.object, &self.keys.get(self.next)).map_err(|_| nothing())?;
        self.next += 1;
        seed.deserialize(Value(value))
    }
}

/// A word out of several; variants with something inside are tagged, and read as objects.
struct Variant(String);

impl<'de> EnumAccess<'de> for Variant {
    type Error = Unreadable;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Unreadable> {
        Ok((seed.deserialize(name(&self.0))?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant {
    type Error = Unreadable;

    fn unit_variant(self) -> Result<(), Unreadable> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Unreadable> {
        Err(nothing())
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Unreadable> {
        Err(nothing())
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Unreadable> {
        Err(nothing())
    }
}

fn name(name: &str) -> StrDeserializer<'_, Unreadable> {
    name.into_deserializer()
}
