//! English.

use super::Words;

pub static EN: Words = Words {
    title: "Who gets it, exactly once each",
    intro: "A crowd wants more red packets than there are. Atomic scripts in Redis decide who gets one; watch them do it, live, and check that nothing was given twice.",
    sales: "Sales",
    empty: "No sale is open yet. Fill in the form and open the first one.",
    crowd_running: "Crowd",
};
