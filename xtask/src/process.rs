//! Programs that run as long as the xtask does.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use rustix::process::{Signal, set_parent_process_death_signal};

/// A process that is killed when this is dropped. Nothing of it is kept.
pub struct KillOnDrop(pub Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Has a program end with this one, and not before: Ctrl-C goes to the whole process group of the terminal, and this
/// program stops the others in their order. If it is killed, the kernel stops them.
///
/// The program must be started by a thread that lives as long as this one.
pub fn ending_with_us(command: &mut Command) -> &mut Command {
    command.process_group(0);
    // SAFETY: one async-signal-safe system call between fork and exec.
    #[allow(unsafe_code, reason = "the kernel stops the child with us, even when we are killed")]
    unsafe {
        command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::TERM))?));
    }
    command
}
