//! A logarithmic axis, for figures that are hundreds of times apart.

/// An axis from one power of ten to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogAxis {
    from: i32,
    to: i32,
}

impl LogAxis {
    /// Returns the axis on which all values above 0 can be seen; `None` if there are none.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let seen = values.filter(|value| *value > 0.0).map(|value| value.log10().ceil() as i32);
        let (least, most) = seen.fold((i32::MAX, i32::MIN), |(least, most), power| (least.min(power), most.max(power)));
        (least <= most).then_some(Self { from: least.saturating_sub(1), to: most })
    }

    /// Returns the place of a value, as a share of the axis.
    pub fn share(self, value: f64) -> f64 {
        ((value.log10() - f64::from(self.from)) / f64::from(self.to - self.from)).max(0.0)
    }

    /// Returns the powers of ten on the axis.
    pub fn ticks(self) -> impl Iterator<Item = f64> {
        (self.from..=self.to).map(|power| 10_f64.powi(power))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_begins_below_the_least_value_and_ends_at_or_above_the_greatest() {
        let axis = LogAxis::of([246.0, 82_747.0, 0.0].into_iter()).expect("an axis");
        assert_eq!(axis.ticks().collect::<Vec<_>>(), [100.0, 1_000.0, 10_000.0, 100_000.0]);
        let shares = [100.0, 10_000.0, 100_000.0, 0.0].map(|value| (axis.share(value) * 300.0).round());
        assert_eq!(shares, [0.0, 200.0, 300.0, 0.0]);
        let one = LogAxis::of([1_000.0].into_iter()).expect("an axis");
        assert_eq!(one.ticks().collect::<Vec<_>>(), [100.0, 1_000.0], "a bar has a length");
        assert_eq!(LogAxis::of([0.0].into_iter()), None);
    }
}
