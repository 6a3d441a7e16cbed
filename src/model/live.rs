//! How often the live view sends something.

use std::time::Duration;

/// Up to this many viewers of a sale, and watched sales of its kind, are few.
pub const FEW: usize = 32;
/// From one frame to the next while there are few. A little longer than a frame of the screen: a browser that gets something
/// new for each of its frames never catches up with those that wait in its compositor.
pub const FRAME: Duration = Duration::from_millis(20);
/// The same with more, whose frames would take most of a processor.
pub const FRAME_OF_MANY: Duration = Duration::from_millis(33);
/// How often a browser hears of a sale at which nothing happens.
pub const ALIVE: Duration = Duration::from_secs(15);
