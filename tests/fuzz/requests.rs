//! Requests that make sense: each endpoint's own type with values that fit, and the pages, streams and files.

use leptos::server_fn::ServerFn;
use model::{
    coupon::LimitName,
    crowd::{Arrival, ArrivalKind},
    lab::faults::Fault,
    red_packet::Splitter,
    ticket::{
        Pick,
        hall::{Layout, Section},
        halls::HallName,
    },
};
use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde_json::{Value, json};
use stampede::server::api::PingRequest;
use std::{collections::BTreeMap, fmt, sync::Mutex};
use web::{
    closing::api as closing,
    coupon::api as coupon,
    crowd::api as crowd,
    explain::api as explain,
    lab::{api as lab, faults::api as faults},
    ledger::api as ledger,
    list::api as list,
    openapi::page::DescriptionRequest,
    red_packet::api as red_packet,
    stock::api as stock,
    ticket::api as ticket,
};

/// After so many requests, other sales are opened and asked for.
const REQUESTS_OF_A_SALE: u64 = 2_000;
/// Values of earlier answers that are kept, of each name.
const LEARNED: usize = 64;

/// A request as it is sent.
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: String,
    /// Beside its length.
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Vec<u8>,
    /// What is sent instead of all that, where the bytes themselves were mutated.
    pub bytes: Option<Vec<u8>>,
    /// Whether its head may be no HTTP.
    pub odd: bool,
}

impl Request {
    fn get(path: String, query: &[(&str, String)]) -> Self {
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        Self { method: "GET".to_owned(), path, query, headers: Vec::new(), body: Vec::new(), bytes: None, odd: false }
    }

    /// Whether its length is what it says, so that an answer must come.
    pub fn is_framed(&self) -> bool {
        self.bytes.is_none()
    }

    pub fn is_odd(&self) -> bool {
        self.odd
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        if let Some(bytes) = &self.bytes {
            return bytes.clone();
        }
        let mark = if self.query.is_empty() { "" } else { "?" };
        let mut bytes = format!("{} {}{mark}{} HTTP/1.1\r\n", self.method, self.path, self.query).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        if !self.body.is_empty() {
            bytes.extend(format!("content-length: {}\r\n", self.body.len()).into_bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(&self.body);
        bytes
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.to_bytes();
        write!(f, "{}", String::from_utf8_lossy(&bytes[..bytes.len().min(1_000)]).escape_debug())
    }
}

/// Makes requests, with ids from earlier answers.
#[derive(Default)]
pub struct Generator {
    learned: Mutex<BTreeMap<String, Vec<String>>>,
}

impl Generator {
    /// Request `number` of a seed.
    pub fn request(&self, number: u64, random: &mut ChaCha8Rng) -> Request {
        let values = Values { generator: self, epoch: number / REQUESTS_OF_A_SALE };
        let mut request = if random.random_ratio(1, 4) {
            values.reading(random)
        } else {
            let (path, body) = values.call(number, random);
            let mut request = Request::get(path.to_owned(), &[]);
            request.method = "POST".to_owned();
            request.headers.push(("content-type".to_owned(), b"application/json".to_vec()));
            request.body = body.to_string().into_bytes();
            request
        };
        request.headers.push(("host".to_owned(), b"localhost".to_vec()));
        request
    }

    /// Remembers ids from an answer.
    pub fn learn(&self, answer: &Value) {
        let named = ["order", "run", "next", "event_id", "code", "incident"].map(|name| (name, &answer[name]));
        // A run with strategies is the lab's.
        let lab_run = if answer["strategies"].is_array() { &answer["run"] } else { &Value::Null };
        for (name, value) in named.into_iter().chain([("row", &answer["rows"][0]["id"]), ("lab_run", lab_run)]) {
            if let Some(value) = value.as_str() {
                let mut learned = self.learned.lock().expect("no panic");
                let values = learned.entry(name.to_owned()).or_default();
                if values.len() == LEARNED {
                    values.remove(0);
                }
                values.push(value.to_owned());
            }
        }
    }
}

/// Values that fit.
struct Values<'a> {
    generator: &'a Generator,
    epoch: u64,
}

fn body<R: ServerFn + Serialize>(request: R) -> (&'static str, Value) {
    (R::PATH, serde_json::to_value(request).expect("JSON"))
}

fn maybe<T>(random: &mut ChaCha8Rng, value: impl FnOnce(&mut ChaCha8Rng) -> T) -> Option<T> {
    random.random_bool(0.5).then(|| value(random))
}

fn one_of<T: Clone>(random: &mut ChaCha8Rng, values: &[T]) -> T {
    values.choose(random).expect("values").clone()
}

impl Values<'_> {
    fn red_packet(&self) -> String {
        format!("s{}", self.epoch)
    }

    fn ticket(&self) -> String {
        format!("t{}", self.epoch)
    }

    fn coupon(&self) -> String {
        format!("k{}", self.epoch)
    }

    fn stock(&self) -> String {
        format!("q{}", self.epoch)
    }

    /// One that is closed and archived.
    fn short_lived(&self, random: &mut ChaCha8Rng) -> String {
        format!("c{}-{}", self.epoch, random.random_range(0..3))
    }

    fn any_sale(&self, random: &mut ChaCha8Rng) -> String {
        match random.random_range(0..20) {
            0 => "nope".to_owned(),
            1..4 => self.short_lived(random),
            4..10 => self.red_packet(),
            10..13 => self.coupon(),
            13..15 => self.stock(),
            _ => self.ticket(),
        }
    }

    fn kind(&self, random: &mut ChaCha8Rng) -> String {
        one_of(random, &["red_packet", "ticket", "coupon", "stock"]).to_owned()
    }

    /// The kind of what is closed and archived; as a rule, of what there is.
    fn short_lived_kind(&self, random: &mut ChaCha8Rng) -> String {
        if random.random_bool(0.8) { "red_packet".to_owned() } else { self.kind(random) }
    }

    fn user(&self, random: &mut ChaCha8Rng) -> String {
        format!("user {}", random.random_range(0..200))
    }

    fn request_id(&self, random: &mut ChaCha8Rng) -> String {
        format!("r{}", random.random_range(0..500))
    }

    /// A value of this name from an earlier answer.
    fn learned(&self, name: &str, random: &mut ChaCha8Rng) -> String {
        let learned = self.generator.learned.lock().expect("no panic");
        learned.get(name).and_then(|values| values.choose(random)).cloned().unwrap_or_else(|| "unknown".to_owned())
    }

    fn pick(&self, random: &mut ChaCha8Rng) -> Pick {
        let category = one_of(random, &["stalls", "circle", "balcony", "A"]).to_owned();
        Pick { category, count: random.random_range(1..=4), adjacent: random.random() }
    }

    fn seat(&self, random: &mut ChaCha8Rng) -> String {
        format!("A-{:02}-{:02}", random.random_range(1..4), random.random_range(1..12))
    }

    fn layout(&self, random: &mut ChaCha8Rng) -> Layout {
        let rows = (0..random.random_range(1..5)).map(|_| random.random_range(1..12)).collect();
        let section = Section { id: "A".to_owned(), category: "A".to_owned(), rows, ..Section::default() };
        Layout { categories: vec!["A".to_owned()], sections: vec![section] }
    }

    fn open_red_packets(&self, id: Option<String>, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        let count: u64 = random.random_range(1..2_000);
        body(red_packet::OpenRequest {
            id,
            // From few, as each opens another sale.
            request_id: Some(format!("o{}", random.random_range(0..20))),
            total_cents: count.cast_signed() * random.random_range(1..100),
            count,
            splitter: one_of(random, &[Splitter::DoubleMean, Splitter::LineCut, Splitter::Equal]),
            expires_in_s: maybe(random, |random| random.random_range(1..3_600)),
            seed: maybe(random, Rng::random),
        })
    }

    fn open_tickets(&self, id: Option<String>, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        let own = random.random_bool(0.8);
        let hall = if random.random_ratio(1, 20) { HallName::Stadium } else { HallName::Theatre };
        body(ticket::OpenTicketsRequest {
            id,
            request_id: Some(format!("o{}", random.random_range(0..20))),
            hall: (!own).then_some(hall),
            layout: own.then(|| self.layout(random)),
            prices: own.then(|| BTreeMap::from([("A".to_owned(), random.random_range(0..10_000))])),
            limit_per_user: maybe(random, |random| random.random_range(1..10)),
            hold_s: maybe(random, |random| random.random_range(1..60)),
        })
    }

    fn open_coupons(&self, id: Option<String>, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        body(coupon::OpenCouponsRequest {
            id,
            request_id: maybe(random, |random| self.request_id(random)),
            total: Some(500),
            per_user: maybe(random, |_| 5),
            per_user_per_day: Some(3),
            time_zone: Some(one_of(random, &["UTC", "Asia/Shanghai"]).to_owned()),
            given_back_counts: maybe(random, |random| random.random()),
        })
    }

    /// A call about coupons.
    fn coupons(&self, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        let (sale, user) = (self.coupon(), self.user(random));
        let request_id = maybe(random, |random| self.request_id(random));
        let code = self.learned("code", random);
        match random.random_range(0..16) {
            0 => body(coupon::SetLimitsRequest {
                sale,
                total: maybe(random, |random| random.random_range(400..=600)),
                per_user: maybe(random, |random| random.random_range(1..=9)),
                per_user_per_day: None,
                unlimited: maybe(random, |_| vec![LimitName::PerUserPerDay]),
                request_id,
            }),
            1 => body(coupon::CouponUserRequest { sale, user }),
            2 => body(coupon::CouponSnapshotRequest { sale }),
            3 => body(coupon::CouponAuditRequest { sale }),
            4 => body(coupon::CouponScriptRequest {}),
            5..8 => body(coupon::RedeemCouponRequest { sale, code, request_id }),
            8..10 => body(coupon::GiveBackCouponRequest { sale, code, request_id }),
            _ => body(coupon::ClaimCouponRequest { sale, user, request_id }),
        }
    }

    fn open_stock(&self, id: Option<String>, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        body(stock::OpenStockRequest {
            id,
            request_id: maybe(random, |random| self.request_id(random)),
            quantity: 500,
            ttl_s: maybe(random, |_| 60),
            low_mark: Some(100),
        })
    }

    /// A call about stock.
    fn stocks(&self, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        let (sale, user) = (self.stock(), self.user(random));
        let request_id = maybe(random, |random| self.request_id(random));
        match random.random_range(0..18) {
            0 => body(stock::RestockRequest { sale, quantity: random.random_range(1..=50), request_id }),
            1 => body(stock::CorrectStockRequest {
                sale,
                counted: random.random_range(0..=600),
                expected: maybe(random, |random| random.random_range(0..=600)),
                request_id,
            }),
            2 => body(stock::ExpireStockRequest { sale }),
            3 => body(stock::PauseStockRequest { sale, seconds: maybe(random, |random| random.random_range(0..=2)) }),
            4 => body(stock::StockSnapshotRequest { sale }),
            5 => body(stock::StockAuditRequest { sale }),
            6 => body(stock::StockScriptRequest {}),
            7 => body(stock::StockCourseRequest { sale }),
            8..11 => body(stock::GiveBackStockRequest { sale, request_id: self.request_id(random) }),
            _ => body(stock::DeductStockRequest { sale, user, quantity: random.random_range(1..=5), request_id }),
        }
    }

    fn lab(&self, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        let strategy = one_of(random, &["script", "pipeline", "decr-incr", "queue"]).to_owned();
        match random.random_range(0..13) {
            10 => body(faults::FaultsRequest {}),
            11 => body(self.gentle_fault(random)),
            12 => body(faults::EndFaultRequest { incident: self.learned("incident", random) }),
            0 => body(lab::StrategiesRequest {}),
            1 => body(lab::StartLabRequest {
                stock: maybe(random, |random| random.random_range(1..=20)),
                users: Some(random.random_range(1..=40)),
                concurrency: Some(random.random_range(1..=4)),
                repeat_rate: maybe(random, Rng::random),
                delay_ms: None,
                seed: maybe(random, Rng::random),
                strategies: Some(vec![strategy]),
            }),
            2 => body(lab::LabRunRequest { run: maybe(random, |random| self.learned("run", random)) }),
            3 | 8 => body(lab::StopLabRequest { run: self.learned("lab_run", random) }),
            9 => body(lab::LabRunRequest { run: None }),
            4 => body(lab::LabRunsRequest { limit: maybe(random, |random| random.random_range(1..=200)) }),
            _ => body(lab::StepRequest {
                strategy,
                attempts: maybe(random, |random| random.random_range(2..=4)),
                users: None,
                stock: maybe(random, |random| random.random_range(1..=4)),
                schedule: maybe(random, |random| one_of(random, &["", "1,2", "1122", "12w"]).to_owned()),
            }),
        }
    }

    /// One at which every request is answered.
    fn gentle_fault(&self, random: &mut ChaCha8Rng) -> faults::InjectRequest {
        let fault = one_of(random, &[Fault::ScriptsFlushed, Fault::StockExpired, Fault::WriterStopped]);
        faults::InjectRequest {
            fault,
            sale: (fault == Fault::StockExpired).then(|| self.stock()),
            ms: (fault == Fault::WriterStopped).then(|| random.random_range(100..=200)),
            delay_ms: None,
        }
    }

    fn explain(&self, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        let (kind, sale) = match random.random_range(0..4) {
            0 => ("red_packet", self.red_packet()),
            1 => ("ticket", self.ticket()),
            2 => ("coupon", self.coupon()),
            _ => ("stock", self.stock()),
        };
        body(explain::ExplainRequest { kind: kind.to_owned(), sale, user: self.user(random) })
    }

    fn start_crowd(&self, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        let share = random.random_range(0.0..0.9);
        let (kind_of_sale, sale, behavior) = match random.random_range(0..4) {
            0 => ("red_packet", self.red_packet(), json!({})),
            1 => ("ticket", self.ticket(), json!({ "choosers": 0.5, "pay": share })),
            2 => ("coupon", self.coupon(), json!({})),
            _ => ("stock", self.stock(), json!({ "several": 0.5, "fail": share })),
        };
        let kind = one_of(random, &[ArrivalKind::Burst, ArrivalKind::Ramp, ArrivalKind::Constant]);
        body(crowd::StartRequest {
            sale,
            users: random.random_range(1..30),
            concurrency: random.random_range(1..5),
            repeat_rate: random.random(),
            arrival: Arrival { kind, per_s: random.random_range(10..1_000), over_s: 1 },
            seed: maybe(random, Rng::random),
            kind: Some(kind_of_sale.to_owned()),
            behavior: behavior.as_object().cloned().unwrap_or_default(),
        })
    }

    fn reserve(&self, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        let chooses = random.random();
        let mut seats: Vec<String> = (0..random.random_range(1..4)).map(|_| self.seat(random)).collect();
        seats.sort_unstable();
        seats.dedup();
        let holders = seats.iter().map(|seat| format!("for {seat}")).collect();
        body(ticket::ReserveRequest {
            sale: self.ticket(),
            user: self.user(random),
            request_id: maybe(random, |random| self.request_id(random)),
            seats: if chooses { Some(seats) } else { None },
            pick: if chooses { None } else { Some(vec![self.pick(random)]) },
            holders: if chooses { maybe(random, |_| holders) } else { None },
        })
    }

    fn search(&self, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        body(ledger::SearchRequest {
            kind: maybe(random, |random| one_of(random, &["red_packet", "ticket", "coupon", "stock"]).to_owned()),
            sale: maybe(random, |random| self.any_sale(random)),
            user: maybe(random, |random| self.user(random)),
            request_id: maybe(random, |random| self.request_id(random)),
            order: maybe(random, |random| self.learned("order", random)),
            outcome: maybe(random, |random| one_of(random, &["won", "held", "paid", "opened"]).to_owned()),
            from: maybe(random, |random| random.random_range(0..1_000)),
            to: maybe(random, |random| random.random_range(1_000..3_000_000_000_000)),
            limit: maybe(random, |random| random.random_range(1..=1_000)),
            after: maybe(random, |random| self.learned("next", random).parse().ok()).flatten(),
        })
    }

    /// A call of the API. The first of an epoch open its sales.
    fn call(&self, number: u64, random: &mut ChaCha8Rng) -> (&'static str, Value) {
        if number % REQUESTS_OF_A_SALE < 40 {
            return match random.random_range(0..5) {
                0 => self.open_red_packets(Some(self.red_packet()), random),
                1 => self.open_tickets(Some(self.ticket()), random),
                2 => self.open_coupons(Some(self.coupon()), random),
                3 => self.open_stock(Some(self.stock()), random),
                _ => self.open_red_packets(Some(self.short_lived(random)), random),
            };
        }
        let sale = self.any_sale(random);
        match random.random_range(0..95) {
            94.. => self.explain(random),
            92.. => self.lab(random),
            76.. => self.stocks(random),
            60.. => self.coupons(random),
            0 => {
                let id = maybe(random, |random| self.short_lived(random));
                self.open_red_packets(id, random)
            }
            1 => {
                let id = maybe(random, |random| self.short_lived(random));
                self.open_tickets(id, random)
            }
            2 => body(red_packet::SnapshotRequest { sale: self.red_packet() }),
            3 => body(red_packet::RefundRequest { sale: self.short_lived(random) }),
            4 => body(red_packet::AuditRequest { sale: self.red_packet() }),
            5 => body(red_packet::ScriptRequest {}),
            6 => body(PingRequest {}),
            7 => body(ticket::TicketSnapshotRequest { sale: self.ticket() }),
            8 => body(ticket::HallRequest { sale: self.ticket() }),
            9 => body(ticket::SeatInfoRequest { sale: self.ticket(), seat: self.seat(random) }),
            10 => body(ticket::TicketAuditRequest { sale: self.ticket() }),
            11 => body(ticket::TicketScriptRequest {}),
            12 => body(closing::CloseRequest { kind: self.short_lived_kind(random), sale: self.short_lived(random) }),
            13 => {
                let (kind, sale) = (self.short_lived_kind(random), self.short_lived(random));
                body(closing::ArchiveRequest { kind, sale })
            }
            14 | 15 => body(list::ListRequest {
                kind: maybe(random, |random| self.kind(random)),
                state: maybe(random, |random| one_of(random, &["open", "closed", "archived", "sold_out"]).to_owned()),
                id: maybe(random, |_| "s".to_owned()),
                sale: maybe(random, |_| self.ticket()),
                limit: maybe(random, |random| random.random_range(1..=200)),
                after: maybe(random, |random| self.learned("next", random)),
            }),
            16 => self.start_crowd(random),
            17 => body(crowd::StatusRequest { run: self.learned("run", random) }),
            18 => match random.random_range(0..4) {
                0 => body(crowd::StopRequest { run: self.learned("run", random) }),
                1 => body(crowd::RunRequest { run: self.learned("run", random) }),
                2 => {
                    let per_s = random.random_range(1..=100_000);
                    body(crowd::ChangeRequest { run: self.learned("run", random), per_s })
                }
                _ => body(crowd::RunsRequest {
                    kind: self.kind(random),
                    sale,
                    limit: maybe(random, |random| random.random_range(1..=200)),
                    after: maybe(random, |random| self.learned("next", random).parse().ok()).flatten(),
                }),
            },
            19 => self.search(random),
            20 => match self.learned("row", random).parse() {
                Ok(id) => body(ledger::RowRequest { id }),
                Err(_) => self.search(random),
            },
            21 => body(ledger::StatusRequest { sale: maybe(random, |_| sale) }),
            22 => body(ledger::SetAsideRequest { kind: maybe(random, |random| self.kind(random)), sale: Some(sale) }),
            23 => body(ledger::RetryRequest { kind: maybe(random, |random| self.kind(random)), sale: None }),
            24 => match random.random() {
                true => body(DescriptionRequest { group: maybe(random, |_| "types".to_owned()) }),
                false => body(ledger::BoardRequest {}),
            },
            25 => match random.random() {
                true => body(ledger::AuditNowRequest { kind: self.kind(random), sale }),
                false => body(ledger::LastAuditRequest { kind: self.kind(random), sale }),
            },
            26..31 => {
                let request_id = maybe(random, |random| self.request_id(random));
                body(ticket::PayRequest { sale: self.ticket(), order: self.learned("order", random), request_id })
            }
            31..34 => {
                let request_id = maybe(random, |random| self.request_id(random));
                body(ticket::CancelRequest { sale: self.ticket(), order: self.learned("order", random), request_id })
            }
            34 | 35 => body(ticket::OrderRequest { sale: self.ticket(), order: self.learned("order", random) }),
            36..48 => self.reserve(random),
            _ => body(red_packet::ClaimRequest {
                sale: self.red_packet(),
                user: self.user(random),
                request_id: maybe(random, |random| self.request_id(random)),
            }),
        }
    }

    /// A page, a stream or a file.
    fn reading(&self, random: &mut ChaCha8Rng) -> Request {
        let sale = self.any_sale(random);
        let after = ("after", self.learned("event_id", random));
        match random.random_range(0..14) {
            13 => Request::get(format!("/live/stock/{sale}"), &[after]),
            12 => Request::get(format!("/live/coupon/{sale}"), &[after]),
            0 => Request::get("/".to_owned(), &[("state", "open".to_owned()), ("id", "s".to_owned())]),
            1 => Request::get("/ledger".to_owned(), &[("sale", sale), ("outcome", "won".to_owned())]),
            2 => Request::get("/audit".to_owned(), &[]),
            3 => Request::get(format!("/red-packet/{sale}"), &[]),
            4 => Request::get(format!("/ticket/{sale}"), &[]),
            5 | 6 => Request::get(format!("/live/red-packet/{sale}"), &[after]),
            7 => Request::get(format!("/live/ticket/{sale}"), &[after]),
            8 => {
                let format = one_of(random, &["csv", "jsonl"]).to_owned();
                Request::get("/api/ledger/export".to_owned(), &[("format", format), ("sale", sale)])
            }
            9 => Request::get(one_of(random, &["/healthz", "/api", "/api/openapi.json"]).to_owned(), &[]),
            10 => match random.random() {
                true => Request::get("/readyz".to_owned(), &[]),
                false => {
                    let format = one_of(random, &["csv", "json", "html"]).to_owned();
                    let run = self.learned("run", random);
                    let path = one_of(random, &["/api/crowd/report", "/api/lab/report"]).to_owned();
                    Request::get(path, &[("run", run), ("format", format)])
                }
            },
            _ => Request::get(one_of(random, &["/favicon.svg", "/pkg/stampede.js", "/nothing"]).to_owned(), &[]),
        }
    }
}
