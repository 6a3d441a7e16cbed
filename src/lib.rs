//! Stampede decides who gets what when demand exceeds supply, and gives every item away exactly once.
//!
//! This package is the program: it joins the pages (`web`) and the services that they call (`engine`, `lab`, `ledger`).

pub mod server;
