//! All tests that need more than one module: one program, one file for each subject.

mod stock;
mod support;

mod architecture;
mod audit;
mod base_path;
mod batcher;
mod change_feed;
mod closing;
mod cluster;
mod command_audit;
mod command_crowd;
mod contracts;
mod coupons;
mod crowd;
mod crowd_tickets;
mod documents;
mod draining;
mod embedded;
mod explain;
mod faults;
mod fence;
mod format;
mod fuzz;
mod health;
mod http;
mod http_coupons;
mod http_ledger;
mod http_refusals;
mod http_stock;
mod http_tickets;
mod https;
mod ids;
mod keys;
mod lab;
mod ledger;
mod limits;
mod list;
mod live;
mod metrics;
mod mistakes;
mod model;
mod notes;
mod openapi;
mod pages;
mod people;
mod posted_forms;
mod process;
mod proxies;
mod readme;
mod recovery;
mod red_packets;
mod replays;
mod replicas;
mod runs;
mod scripts;
mod service;
mod site;
mod slow_clients;
mod soak;
mod split;
mod templates;
mod tickets;
mod tls;
mod trusted_proxies;
mod two_servers;
mod unfit_redis;
mod vanished;
mod viewers;
mod webhooks;
mod writer;

use support::kinds::TestKind;

/// Every kind of sale.
static KINDS: [&TestKind; 4] =
    [&red_packets::kind::KIND, &tickets::kind::KIND, &coupons::kind::KIND, &stock::kind::KIND];
