//! Requests that make sense: each endpoint's own type with values that fit, and the pages, streams and files.

use crate::{KINDS, red_packets, stock, support::kinds::TestKind};
use leptos::server_fn::ServerFn;
use model::{
    crowd::{Arrival, ArrivalKind},
    lab::faults::Fault,
    life::{HoldClock, Texts},
};
use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde_json::Value;
use stampede::server::api::PingRequest;
use std::{collections::BTreeMap, fmt, sync::Mutex};
use web::{
    closing::api as closing,
    crowd::api as crowd,
    explain::api as explain,
    health::api as health,
    lab::{api as lab, faults::api as faults},
    ledger::api as ledger,
    life::api as life,
    list::api as list,
    notes::api as notes,
    openapi::page::DescriptionRequest,
    people::api as people,
    templates::api as templates,
};

/// After so many requests, other sales are opened and asked for.
const REQUESTS_OF_A_SALE: u64 = 2_000;
/// The kind of what is closed and archived, as a rule.
const SHORT_LIVED: &TestKind = &red_packets::kind::KIND;
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
        // A run with strategies is the lab's, one with a count of attempts a crowd's.
        let run_if = |is_it: bool| if is_it { &answer["run"] } else { &Value::Null };
        let runs = [
            ("lab_run", run_if(answer["strategies"].is_array())),
            ("crowd_run", run_if(answer["attempts"].is_number())),
        ];
        for (name, value) in named.into_iter().chain([("row", &answer["rows"][0]["id"])]).chain(runs) {
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

/// The path and the body of a call of the API.
pub type Call = (&'static str, Value);

/// The calls about a kind of sale.
pub struct Fuzz {
    /// Opens a sale, with this id if there is one.
    pub open: fn(&Values, Option<String>, &mut ChaCha8Rng) -> Call,
    /// Any other call of an endpoint of the kind.
    pub call: fn(&Values, &mut ChaCha8Rng) -> Call,
    /// How the users of a crowd behave, with a share of those who pay or fail.
    pub behavior: fn(f64) -> Value,
}

/// Values that fit.
pub struct Values<'a> {
    generator: &'a Generator,
    epoch: u64,
}

pub fn body<R: ServerFn + Serialize>(request: R) -> Call {
    (R::PATH, serde_json::to_value(request).expect("JSON"))
}

pub fn maybe<T>(random: &mut ChaCha8Rng, value: impl FnOnce(&mut ChaCha8Rng) -> T) -> Option<T> {
    random.random_bool(0.5).then(|| value(random))
}

pub fn one_of<T: Clone>(random: &mut ChaCha8Rng, values: &[T]) -> T {
    values.choose(random).expect("values").clone()
}

impl Values<'_> {
    /// The sale of a kind.
    pub fn sale(&self, kind: &TestKind) -> String {
        format!("s{}-{}", self.epoch, kind.info.id)
    }

    /// One that is closed and archived.
    pub fn short_lived(&self, random: &mut ChaCha8Rng) -> String {
        format!("c{}-{}", self.epoch, random.random_range(0..3))
    }

    fn any_sale(&self, random: &mut ChaCha8Rng) -> String {
        match random.random_range(0..20) {
            0 => "nope".to_owned(),
            1..4 => self.short_lived(random),
            _ => self.sale(self.kind(random)),
        }
    }

    fn kind(&self, random: &mut ChaCha8Rng) -> &'static TestKind {
        one_of(random, &KINDS)
    }

    fn id_of_kind(&self, random: &mut ChaCha8Rng) -> String {
        self.kind(random).info.id.to_owned()
    }

    /// The kind of something that is closed and archived.
    fn short_lived_kind(&self, random: &mut ChaCha8Rng) -> String {
        let kind = if random.random_bool(0.8) { SHORT_LIVED } else { self.kind(random) };
        kind.info.id.to_owned()
    }

    pub fn user(&self, random: &mut ChaCha8Rng) -> String {
        format!("user {}", random.random_range(0..200))
    }

    pub fn request_id(&self, random: &mut ChaCha8Rng) -> String {
        format!("r{}", random.random_range(0..500))
    }

    /// A value of this name from an earlier answer.
    pub fn learned(&self, name: &str, random: &mut ChaCha8Rng) -> String {
        let learned = self.generator.learned.lock().expect("no panic");
        learned.get(name).and_then(|values| values.choose(random)).cloned().unwrap_or_else(|| "unknown".to_owned())
    }

    fn lab(&self, random: &mut ChaCha8Rng) -> Call {
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
                ramp: None,
                repeat_rate: maybe(random, Rng::random),
                delay_ms: None,
                seed: maybe(random, Rng::random),
                strategies: Some(vec![strategy]),
            }),
            2 => body(lab::LabRunRequest { run: maybe(random, |random| self.learned("run", random)) }),
            3 | 8 => body(lab::StopLabRequest { run: self.learned("lab_run", random) }),
            9 => body(lab::LabRunRequest { run: None }),
            4 => body(lab::LabRunsRequest { limit: maybe(random, |random| random.random_range(1..=200)), after: None }),
            // Only small scenes: those of more attempts take seconds.
            5 => body(lab::OrdersRequest { strategy, stock: None, users: Some("11".to_owned()) }),
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
            sale: (fault == Fault::StockExpired).then(|| self.sale(&stock::kind::KIND)),
            ms: (fault == Fault::WriterStopped).then(|| random.random_range(100..=200)),
            delay_ms: None,
        }
    }

    fn explain(&self, random: &mut ChaCha8Rng) -> Call {
        let kind = self.kind(random);
        body(explain::ExplainRequest { kind: kind.info.id.to_owned(), sale: self.sale(kind), user: self.user(random) })
    }

    fn start_crowd(&self, random: &mut ChaCha8Rng) -> Call {
        let share = random.random_range(0.0..0.9);
        let kind_of_sale = self.kind(random);
        let kind = one_of(random, &[ArrivalKind::Burst, ArrivalKind::Ramp, ArrivalKind::Constant]);
        body(crowd::StartRequest {
            sale: self.sale(kind_of_sale),
            users: random.random_range(1..30),
            concurrency: random.random_range(1..5),
            repeat_rate: random.random(),
            arrival: Arrival { kind, per_s: random.random_range(10..1_000), over_s: 1 },
            seed: maybe(random, Rng::random),
            kind: Some(kind_of_sale.info.id.to_owned()),
            behavior: (kind_of_sale.fuzz.behavior)(share).as_object().cloned().unwrap_or_default(),
        })
    }

    fn search(&self, random: &mut ChaCha8Rng) -> Call {
        body(ledger::SearchRequest {
            kind: maybe(random, |random| self.id_of_kind(random)),
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

    /// A change of a sale's life, or nothing.
    fn change_of_life(&self, random: &mut ChaCha8Rng) -> Call {
        let (kind, sale) = (self.short_lived_kind(random), self.short_lived(random));
        let request_id = maybe(random, |random| self.request_id(random));
        match random.random_range(0..6) {
            0 => {
                let reason = maybe(random, |_| "rain".to_owned());
                let hold_clock = maybe(random, |random| one_of(random, &[HoldClock::Runs, HoldClock::Stops]));
                body(life::PauseRequest { kind, sale, reason, hold_clock, request_id })
            }
            1 => body(life::ResumeRequest { kind, sale, request_id }),
            2 => {
                let ends_in_s = Some(random.random_range(1..100_000));
                let (opens_at, opens_in_s, ends_at) = (None, None, None);
                body(life::ScheduleRequest { kind, sale, opens_at, opens_in_s, ends_at, ends_in_s, request_id })
            }
            3 => body(life::ReopenRequest { kind, sale, ends_at: None, ends_in_s: None, request_id }),
            4 => {
                let title = Some(Texts { en: Some("Spring".to_owned()), zh: maybe(random, |_| "春".to_owned()) });
                body(life::DescribeRequest { kind, sale, title, description: None, request_id })
            }
            _ => body(PingRequest {}),
        }
    }

    /// A call of the API. The first of an epoch open its sales.
    fn call(&self, number: u64, random: &mut ChaCha8Rng) -> Call {
        let kind = self.kind(random);
        if number % REQUESTS_OF_A_SALE < 40 {
            return match random.random_range(0..5) {
                0 => (SHORT_LIVED.fuzz.open)(self, Some(self.short_lived(random)), random),
                _ => (kind.fuzz.open)(self, Some(self.sale(kind)), random),
            };
        }
        let sale = self.any_sale(random);
        match random.random_range(0..95) {
            0 | 1 => {
                let id = maybe(random, |random| self.short_lived(random));
                (kind.fuzz.open)(self, id, random)
            }
            2 if random.random_bool(0.5) => body(health::HealthRequest {}),
            2 => self.change_of_life(random),
            3 => body(closing::CloseRequest { kind: self.short_lived_kind(random), sale: self.short_lived(random) }),
            4 => {
                let (kind, sale) = (self.short_lived_kind(random), self.short_lived(random));
                body(closing::ArchiveRequest { kind, sale })
            }
            5 if random.random_bool(0.3) => {
                let kind = self.id_of_kind(random);
                let name = "a template".to_owned();
                match random.random_range(0..5) {
                    0 => body(notes::NotesRequest { kind, sale }),
                    1 => {
                        let of = self.kind(random);
                        let (kind, sale) = (of.info.id.to_owned(), self.sale(of));
                        body(notes::NoteRequest { kind, sale, text: "a note".to_owned(), request_id: None })
                    }
                    2 => body(templates::TemplatesRequest { kind }),
                    3 => {
                        let fields = [("quantity".to_owned(), "10".to_owned())].into();
                        body(templates::SaveTemplateRequest { kind, name, fields })
                    }
                    _ => body(templates::DeleteTemplateRequest { kind, name }),
                }
            }
            5 | 6 => body(list::ListRequest {
                kind: maybe(random, |random| self.id_of_kind(random)),
                state: maybe(random, |random| one_of(random, &["open", "closed", "archived", "sold_out"]).to_owned()),
                id: maybe(random, |_| "s".to_owned()),
                text: maybe(random, |_| "S".to_owned()),
                sale: maybe(random, |random| self.any_sale(random)),
                sort: maybe(random, |random| one_of(random, &["left", "-sale", "opened_at"]).to_owned()),
                limit: maybe(random, |random| random.random_range(1..=200)),
                after: maybe(random, |random| self.learned("next", random)),
            }),
            7 => self.start_crowd(random),
            8 => body(crowd::StatusRequest { run: self.learned("run", random) }),
            9 => match random.random_range(0..5) {
                0 => body(crowd::StopRequest { run: self.learned("crowd_run", random) }),
                1 => body(crowd::RunRequest { run: self.learned("crowd_run", random) }),
                2 => {
                    let per_s = random.random_range(1..=100_000);
                    body(crowd::ChangeRequest { run: self.learned("crowd_run", random), per_s })
                }
                3 => body(crowd::ReplayRequest { run: self.learned("crowd_run", random) }),
                _ => body(crowd::RunsRequest {
                    kind: self.id_of_kind(random),
                    sale,
                    limit: maybe(random, |random| random.random_range(1..=200)),
                    after: maybe(random, |random| self.learned("next", random).parse().ok()).flatten(),
                }),
            },
            10 => self.search(random),
            11 => match (random.random_range(0..4), self.learned("row", random).parse()) {
                (0, after) => {
                    let after = maybe(random, |_| after.ok()).flatten();
                    body(people::UserRequest { user: self.user(random), after })
                }
                (1, _) => body(people::FindRequest { q: self.user(random) }),
                (_, Ok(id)) => body(ledger::RowRequest { id }),
                (_, Err(_)) => self.search(random),
            },
            12 => body(ledger::StatusRequest { sale: maybe(random, |_| sale) }),
            13 => body(ledger::SetAsideRequest {
                kind: maybe(random, |random| self.id_of_kind(random)),
                sale: Some(sale),
            }),
            14 => match random.random_range(0..4) {
                0 => body(ledger::WebhooksRequest {}),
                1 => body(ledger::UndeliveredRequest { webhook: maybe(random, |_| sale) }),
                2 => body(ledger::RequeueRequest { webhook: maybe(random, |_| sale) }),
                _ => body(ledger::RetryRequest { kind: maybe(random, |random| self.id_of_kind(random)), sale: None }),
            },
            15 => match random.random() {
                true => body(DescriptionRequest { group: maybe(random, |_| "types".to_owned()) }),
                false => body(ledger::BoardRequest { skip: maybe(random, |random| random.random_range(0..=60)) }),
            },
            16 => match random.random() {
                true => body(ledger::AuditNowRequest { kind: self.id_of_kind(random), sale }),
                false => body(ledger::LastAuditRequest { kind: self.id_of_kind(random), sale }),
            },
            17 | 18 => self.lab(random),
            19 => self.explain(random),
            _ => (kind.fuzz.call)(self, random),
        }
    }

    /// A page, a stream or a file.
    fn reading(&self, random: &mut ChaCha8Rng) -> Request {
        let sale = self.any_sale(random);
        let after = ("after", self.learned("event_id", random));
        let kind = self.kind(random).info;
        match random.random_range(0..14) {
            0 => Request::get("/".to_owned(), &[("state", "open".to_owned()), ("id", "s".to_owned())]),
            1 => Request::get("/ledger".to_owned(), &[("sale", sale), ("outcome", "won".to_owned())]),
            2 => match random.random_range(0..3) {
                0 => Request::get("/audit".to_owned(), &[]),
                1 => Request::get(format!("/users/user%20{}", random.random_range(0..200)), &[]),
                _ => Request::get(format!("/orders/{}", self.learned("order", random)), &[("sale", sale)]),
            },
            3 | 4 => Request::get(format!("/{}/{sale}", kind.pages), &[]),
            5..8 | 12.. => Request::get(format!("/live/{}/{sale}", kind.segment), &[after]),
            8 => match random.random() {
                true => {
                    let format = one_of(random, &["csv", "jsonl"]).to_owned();
                    let path = one_of(random, &["/api/ledger/export", "/api/ledger/notes"]).to_owned();
                    Request::get(path, &[("format", format), ("sale", sale)])
                }
                false => {
                    let after = random.random_range(0..=60).to_string();
                    Request::get("/api/ledger/changes".to_owned(), &[("after", after), ("sale", sale)])
                }
            },
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
