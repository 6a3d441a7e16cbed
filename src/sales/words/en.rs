//! English.

use super::Words;

pub static EN: Words = Words {
    title: "Every item sold exactly once",
    intro: "A crowd wants more than there is. Atomic scripts in Redis decide who gets it. Watch them live, and audit that nothing was given out twice.",
    sales: "Sales",
    empty: "No sales yet. Open the first one with the form.",
    crowd_running: "Crowd running",
};
