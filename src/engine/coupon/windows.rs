//! The windows of limits: days in the time zone of a sale, by the rules of the IANA database, which is part of the
//! program.

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use model::{
    Millis,
    coupon::limits::Window,
    error::{Error, Result},
};
use std::collections::BTreeMap;

/// A time zone.
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone with an IANA name, such as `Europe/Berlin`.
    ///
    /// # Errors
    /// `bad_request`, naming the field.
    pub fn named(name: &str) -> Result<Self> {
        let zone = TimeZone::get(name).ok().filter(|zone| zone.iana_name().is_some());
        zone.map(Self).ok_or_else(|| {
            let why = format!("`time_zone` is \"{name}\", which is no time zone; one looks like Europe/Berlin or UTC.");
            Error::bad("time_zone", why)
        })
    }

    /// The name of the zone, as in the database.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or(model::coupon::DEFAULT_TIME_ZONE)
    }

    /// The beginnings of the day before, of the day of `now`, and of the next two days. Days that are shorter or longer
    /// than others, because clocks change, are included.
    ///
    /// # Errors
    /// `internal` if `now` is outside the calendar's range.
    pub fn days_around(&self, now: Millis) -> Result<[Millis; 4]> {
        let today = self.date(now)?;
        let day = |days: i64| -> Result<Millis> {
            let mut date = today;
            for _ in 0..days.abs() {
                date = if days < 0 { date.yesterday() } else { date.tomorrow() }.map_err(Error::internal)?;
            }
            Ok(date.to_zoned(self.0.clone()).map_err(Error::internal)?.timestamp().as_millisecond())
        };
        Ok([day(-1)?, day(0)?, day(1)?, day(2)?])
    }

    /// The beginning of the day of an instant.
    ///
    /// # Errors
    /// `internal` if it is outside the calendar's range.
    pub fn day_of(&self, at: Millis) -> Result<Millis> {
        Ok(self.days_around(at)?[1])
    }

    /// The end of the day of an instant.
    ///
    /// # Errors
    /// `internal` if it is outside the calendar's range.
    pub fn day_end(&self, at: Millis) -> Result<Millis> {
        Ok(self.days_around(at)?[2])
    }

    fn date(&self, at: Millis) -> Result<Date> {
        let at = Timestamp::from_millisecond(at).map_err(Error::internal)?;
        Ok(at.to_zoned(self.0.clone()).date())
    }
}

const HOUR: Millis = 3_600_000;

impl Zone {
    /// The beginning and the end of the window of an instant; `None` if the window lasts for ever.
    ///
    /// # Errors
    /// `internal` if the instant is outside the calendar's range.
    pub fn window(&self, window: Window, at: Millis) -> Result<Option<(Millis, Millis)>> {
        Ok(match self.starts(window, at)?[..] {
            [_, begins, ends, ..] => Some((begins, ends)),
            _ => None,
        })
    }

    /// The starts of the window before an instant, of the instant's own and of the next, and the end of the next.
    fn starts(&self, window: Window, at: Millis) -> Result<Vec<Millis>> {
        Ok(match window {
            Window::Ever => Vec::new(),
            Window::Day => self.days_around(at)?.into(),
            Window::Hour => {
                let hour = at.div_euclid(HOUR) * HOUR;
                (-1..=2).map(|hours| hour + hours * HOUR).collect()
            }
        })
    }

    /// The windows around an instant, by kind, in the form of the scripts.
    ///
    /// # Errors
    /// `internal` if the instant is outside the calendar's range.
    pub fn windows_around(&self, now: Millis) -> Result<BTreeMap<&'static str, Vec<Millis>>> {
        let kinds = Window::ALL.into_iter().filter(|window| *window != Window::Ever);
        kinds.map(|window| Ok((window.name(), self.starts(window, now)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{iso, parse_iso};

    fn days(zone: &str, now: &str) -> [String; 4] {
        let now = parse_iso(now).expect("an instant");
        Zone::named(zone).expect("a zone").days_around(now).expect("days").map(iso)
    }

    #[test]
    fn a_day_begins_at_midnight_in_the_zone() {
        assert_eq!(
            days("Asia/Shanghai", "2026-02-16T15:59:59.999Z"),
            [
                "2026-02-14T16:00:00.000Z",
                "2026-02-15T16:00:00.000Z",
                "2026-02-16T16:00:00.000Z",
                "2026-02-17T16:00:00.000Z"
            ]
        );
        assert_eq!(days("Asia/Shanghai", "2026-02-16T16:00:00Z")[1], "2026-02-16T16:00:00.000Z");
    }

    #[test]
    fn a_day_may_have_23_or_25_hours_and_begin_at_one() {
        // Clocks go forward in spring, and back in autumn.
        let [_, today, tomorrow, _] = days("Europe/Berlin", "2026-03-29T12:00:00Z");
        assert_eq!((today.as_str(), tomorrow.as_str()), ("2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"));
        let [_, today, tomorrow, _] = days("Europe/Berlin", "2026-10-25T12:00:00Z");
        assert_eq!((today.as_str(), tomorrow.as_str()), ("2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"));
        // If clocks go forward at midnight, that day has no midnight.
        assert_eq!(days("Asia/Beirut", "2024-03-31T12:00:00Z")[1], "2024-03-30T22:00:00.000Z");
    }

    #[test]
    fn an_hour_lasts_an_hour() {
        let zone = Zone::named("Asia/Kolkata").expect("a zone");
        let at = parse_iso("2026-02-16T15:59:59.999Z").expect("an instant");
        let (begins, ends) = zone.window(Window::Hour, at).expect("a window").expect("it ends");
        assert_eq!((iso(begins).as_str(), ends - begins), ("2026-02-16T15:00:00.000Z", HOUR));
        assert_eq!(zone.windows_around(at).expect("windows")["hour"], [-1, 0, 1, 2].map(|nth| begins + nth * HOUR));
        assert_eq!(zone.window(Window::Ever, at), Ok(None));
    }

    #[test]
    fn what_is_no_zone_is_refused_by_name() {
        for name in ["", "Mars/Olympus", "+02:00", "EST5EDT4,M3", "europe", "../UTC"] {
            let error = Zone::named(name).expect_err(name);
            assert_eq!(error.field.as_deref(), Some("time_zone"), "{name}");
        }
        assert_eq!(Zone::named("europe/berlin").expect("a zone").name(), "Europe/Berlin");
        assert_eq!(Zone::named("UTC").expect("a zone").name(), "UTC");
    }
}
