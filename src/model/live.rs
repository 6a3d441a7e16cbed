//! The intervals of the live view.

use std::time::Duration;

/// The most viewers of a sale, or watched sales of its kind, for the short interval between frames.
pub const FEW: usize = 32;
/// The interval between frames with few viewers. It is a little longer than a frame of the screen. A browser that gets
/// new data for each of its frames never catches up with the frames in its compositor.
pub const FRAME: Duration = Duration::from_millis(20);
/// The interval between frames with more viewers, as the short one would take most of a processor.
pub const FRAME_OF_MANY: Duration = Duration::from_millis(33);
/// The interval of messages to a browser about a sale at which nothing happens. A browser that hears nothing for two of
/// them says so, and connects anew.
pub const ALIVE: Duration = Duration::from_secs(5);
