//! What dies, what is lost, what one does: each line of the table in the README, done for real.
