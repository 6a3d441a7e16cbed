//! All tests that need more than one module: one program, one file for each subject.

mod support;

mod architecture;
mod audit;
mod batcher;
mod closing;
mod command_audit;
mod contracts;
mod crowd;
mod crowd_tickets;
mod faults;
mod fence;
mod format;
mod http;
mod http_ledger;
mod http_tickets;
mod ids;
mod keys;
mod ledger;
mod list;
mod live;
mod mistakes;
mod model;
mod process;
mod readme;
mod recovery;
mod scripts;
mod service;
mod site;
mod soak;
mod split;
mod tickets;
mod two_servers;
mod unfit_redis;
mod writer;
