//! What goes onto canvases: pure geometry on a [`Surface`]. Colours are names of custom properties.

use super::{format, platform::Surface};

/// One line of a chart.
pub struct Line<'a> {
    pub values: &'a [f64],
    pub colour: &'a str,
    /// Told apart by its dashes too, not by colour alone.
    pub dashed: bool,
    /// Filled down to the axis.
    pub area: bool,
}

const TOP: f64 = 16.0;
const BOTTOM: f64 = 2.0;

/// Lines over the same times `at`, from nought to the next round number above their greatest value,
/// which `label` writes.
pub fn chart(surface: &Surface, at: &[f64], lines: &[Line], label: fn(f64) -> String) {
    let greatest = lines.iter().flat_map(|line| line.values).fold(0.0_f64, |most, value| most.max(*value));
    let most = round_up(greatest);
    let (left, right) = (at.first().copied().unwrap_or_default(), at.last().copied().unwrap_or_default());
    let span = (right - left).max(1.0);
    let floor = surface.height - BOTTOM;
    let height = floor - TOP;
    let x = |at: f64| (at - left) / span * surface.width;
    let y = |value: f64| floor - value / most * height;
    for level in [most, most / 2.0, 0.0] {
        let y = y(level).round() + 0.5;
        surface.begin();
        surface.to(0.0, y, true);
        surface.to(surface.width, y, false);
        surface.stroke("--line", 1.0, false);
    }
    for line in lines {
        let path = || {
            surface.begin();
            for (place, (at, value)) in at.iter().zip(line.values).enumerate() {
                surface.to(x(*at), y(*value), place == 0);
            }
        };
        if line.area {
            path();
            surface.to(surface.width, floor, false);
            surface.to(0.0, floor, false);
            surface.fill(line.colour, 0.18);
        }
        path();
        surface.stroke(line.colour, 1.75, line.dashed);
    }
    surface.text(0.0, 1.0, &label(most), "--ink-soft");
}

/// The next of 1, 2, 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    let mut power = 1.0;
    while power * 10.0 < value {
        power *= 10.0;
    }
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * power).find(|round| *round >= value).unwrap_or(power)
}

/// Attempts a second, as an axis writes them.
pub fn rate_label(value: f64) -> String {
    format::count(value as u64)
}

/// Microseconds, as an axis writes them.
pub fn micros_label(value: f64) -> String {
    format::micros(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_at_a_round_number() {
        assert_eq!([0.0, 1.0, 3.0, 350.0, 7_001.0].map(round_up), [1.0, 1.0, 5.0, 500.0, 10_000.0]);
    }
}
