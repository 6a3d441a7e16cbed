//! Coupons against a model: random claims, ends, redemptions taken back, changed limits, closing, moved clocks, lost scripts
//! and recoveries, with own codes and for some users only; the ledger's writer is late, or has its batches refused, and
//! servers are restarted. The model is a list of coupons and a page of rules. Each answer is the model's, and every 50 steps
//! and at the end the audit holds.

use super::{coupons, limits, terms};
use crate::support::{
    app::TestApp,
    ledger::sqlite,
    redis::TestRedis,
    sale::{START, clock},
};
use engine::{
    coupon::{service::Coupons, windows::Zone},
    kind::KindService,
};
use ledger::kind::DeadLetters;
use model::{
    Millis, Verdict,
    coupon::{
        ByLimit, CouponState, End, LIMITS, LimitName, LimitsSet, List, Lists, Outcome, Part, Terms, Validity,
        codes::read_code,
        limits::{SALE, Window},
        outcome,
    },
    error::Code,
    ledger::Search,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sqlx::Executor;
use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    time::Duration,
};

const STEPS: usize = 250;
const HOUR: Millis = 3_600_000;

/// A coupon of the model.
#[derive(Clone)]
struct Kept {
    code: String,
    user: String,
    day: Millis,
    /// What ended it: whether it was redeemed, and the request.
    ended: Option<(bool, String)>,
    /// The requests whose redemptions were taken back.
    voided: Vec<String>,
}

/// The rules, said once more.
struct Model {
    zone: Zone,
    limits: ByLimit,
    given_back_counts: bool,
    validity: Validity,
    is_closed: bool,
    /// The day to which claims count: never an earlier one.
    day: Millis,
    coupons: Vec<Kept>,
    /// Who has each code now, by the place in the list of coupons.
    by_code: HashMap<String, usize>,
    /// The coupon that a request names by a code, which another coupon may have since.
    by_end: HashMap<(String, String), usize>,
    by_request: HashMap<String, usize>,
    /// The own codes that nobody has, if the sale has such, and how many there are in all.
    pending: Option<(VecDeque<String>, u64)>,
    /// The users who may claim, if not all may.
    invited: Option<HashSet<String>>,
}

impl Model {
    fn counts(&self, coupon: &Kept) -> bool {
        let is_returned = matches!(coupon.ended, Some((false, _)));
        !is_returned || self.given_back_counts
    }

    fn counted(&self, limit: LimitName, user: &str, day: Millis) -> u64 {
        let limit = LIMITS.into_iter().find(|known| known.name == limit).expect("a limit");
        let is_of = |coupon: &&Kept| {
            self.counts(coupon)
                && (limit.scope == SALE || coupon.user == user)
                && (limit.window == Window::Ever || coupon.day == day)
        };
        self.coupons.iter().filter(is_of).count() as u64
    }

    fn left(&self, user: &str, day: Millis) -> ByLimit {
        let mut left = ByLimit::default();
        for limit in LIMITS {
            let own = self.pending.as_ref().map(|(_, all)| *all).filter(|_| limit.name == LimitName::Total);
            let most = self.limits.get(limit.name).into_iter().chain(own).min();
            left.set(limit.name, most.map(|most| most.saturating_sub(self.counted(limit.name, user, day))));
        }
        left
    }

    /// Asserts that an answer is right, and takes it over.
    fn claimed(&mut self, now: Millis, user: &str, request: &str, answer: &Outcome) {
        let day = self.zone.day_of(now).expect("a day").max(self.day);
        if let Some(coupon) = self.by_request.get(request).map(|place| &self.coupons[*place]) {
            let code = &coupon.code;
            let state = match coupon.ended {
                None => CouponState::Claimed,
                Some((true, _)) => CouponState::Redeemed,
                Some((false, _)) => CouponState::Returned,
            };
            assert_eq!(*answer, Outcome::Repeat { code: code.clone(), state });
            return;
        }
        if self.is_closed {
            assert!(matches!(answer, Outcome::Closed { .. }), "{answer:?}");
            return;
        }
        if self.invited.as_ref().is_some_and(|invited| !invited.contains(user)) {
            assert_eq!(*answer, Outcome::NotInvited);
            return;
        }
        let left = self.left(user, day);
        match LIMITS.into_iter().find(|limit| left.get(limit.name) == Some(0)) {
            Some(limit) => assert_eq!(*answer, Outcome::Refused { limit: limit.name, left }),
            None => {
                let Outcome::Won { code } = answer else { panic!("{answer:?} though {left:?} is left") };
                self.day = day;
                let kept = Kept { code: code.clone(), user: user.to_owned(), day, ended: None, voided: Vec::new() };
                if let Some((pending, _)) = &mut self.pending {
                    assert_eq!(pending.pop_front().as_ref(), Some(code));
                }
                let place = self.coupons.len();
                assert_eq!(self.by_code.insert(code.clone(), place), None, "somebody else has {code}");
                self.by_request.insert(request.to_owned(), place);
                self.coupons.push(kept);
            }
        }
    }

    /// The place of the coupon that a code and a request name.
    fn named(&self, code: &str, request: &str) -> Option<usize> {
        let before = self.by_end.get(&(code.to_owned(), request.to_owned()));
        before.or_else(|| self.by_code.get(code)).copied()
    }

    fn ended(&mut self, now: Millis, code: &str, redeems: bool, request: &str, answer: &End) {
        let Some(place) = self.named(code, request) else {
            assert_eq!(*answer, End::UnknownCode { code: read_code("code", code).expect("a code") });
            return;
        };
        let coupon = &mut self.coupons[place];
        if coupon.voided.iter().any(|by| by == request) {
            assert!(matches!(answer, End::AlreadyVoided(_)), "{answer:?}");
            return;
        }
        let Validity { valid_from, valid_until } = self.validity;
        if redeems && coupon.ended.is_none() {
            let code = code.to_owned();
            if let Some(valid_from) = valid_from.filter(|from| now < *from) {
                assert_eq!(*answer, End::NotValidYet { code, valid_from });
                return;
            }
            if let Some(valid_until) = valid_until.filter(|until| now >= *until) {
                assert_eq!(*answer, End::NoLongerValid { code, valid_until });
                return;
            }
        }
        let right = match (&coupon.ended, answer) {
            (None, End::Redeemed(reported)) => redeems && reported.user == coupon.user,
            (None, End::Returned(reported)) => !redeems && reported.user == coupon.user,
            (Some((was_redeemed, by)), End::Repeat(_)) => *was_redeemed == redeems && by == request,
            (Some((true, by)), End::AlreadyRedeemed(_)) => !redeems || by != request,
            (Some((false, by)), End::AlreadyReturned(_)) => redeems || by != request,
            _ => false,
        };
        assert!(right, "{answer:?} for {code}, {:?}", coupon.ended);
        let is_new = coupon.ended.is_none();
        coupon.ended.get_or_insert_with(|| (redeems, request.to_owned()));
        let requests: Vec<String> = coupon.voided.iter().cloned().chain([request.to_owned()]).collect();
        if let Some((pending, _)) = self.pending.as_mut().filter(|_| is_new && !redeems && !self.given_back_counts) {
            pending.push_back(code.to_owned());
            self.by_code.remove(code);
            self.by_end.extend(requests.into_iter().map(|request| ((code.to_owned(), request), place)));
        }
    }

    fn voided(&mut self, code: &str, request: &str, answer: &End) {
        let Some(place) = self.named(code, request) else {
            assert_eq!(*answer, End::UnknownCode { code: read_code("code", code).expect("a code") });
            return;
        };
        let coupon = &mut self.coupons[place];
        if coupon.voided.iter().any(|by| by == request) {
            assert!(matches!(answer, End::Repeat(_)), "{answer:?}");
        } else if coupon.ended == Some((true, request.to_owned())) {
            assert!(matches!(answer, End::Voided(reported) if reported.user == coupon.user), "{answer:?}");
            coupon.ended = None;
            coupon.voided.push(request.to_owned());
        } else {
            assert_eq!(*answer, End::UnknownRequest { code: read_code("code", code).expect("a code") });
        }
    }
}

fn some(random: &mut ChaCha8Rng, most: u64) -> u64 {
    if random.random_bool(0.4) { 0 } else { random.random_range(1..=most) }
}

/// Uploads a list in parts of any size; before the last one, nobody can claim.
async fn upload(sales: &Coupons, random: &mut ChaCha8Rng, list: List, entries: &[String]) {
    let mut first = 0;
    while first < entries.len() {
        let early = sales.claim("s", "u0".to_owned(), Some("early".to_owned())).await;
        assert_eq!(early.map_err(|error| error.code), Err(Code::SaleOpening));
        let last = random.random_range(first + 1..=entries.len());
        let part = Part { list, first: first as u64 + 1, entries: entries[first..last].to_vec() };
        assert!(!sales.upload("s", part.clone()).await.expect("uploaded").existed);
        assert!(sales.upload("s", part).await.expect("uploaded").existed);
        first = last;
    }
}

async fn play(seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let redis = TestRedis::start().await;
    let time = clock();
    let mut app = TestApp::at(&redis, &redis.url(), time.clone(), seed).await;
    let mut sales = coupons(&app);
    let mut writer = app.writer("one");
    let mut ledger = sqlite(redis.folder()).await;
    let zone = ["UTC", "Asia/Shanghai", "Europe/Berlin", "America/St_Johns"][random.random_range(0..4)];
    let own: Vec<String> = match random.random_bool(0.5) {
        true => (0..random.random_range(5..60))
            .map(|nth| format!("K{}{nth:03}", if nth % 2 == 0 { "-" } else { "" }))
            .collect(),
        false => Vec::new(),
    };
    let invited: Vec<String> = match random.random_bool(0.4) {
        true => (0..random.random_range(4..8)).map(|nth| format!("u{nth}")).collect(),
        false => Vec::new(),
    };
    let opened = Terms {
        lists: Lists::of(own.len() as u64, invited.len() as u64),
        time_zone: zone.to_owned(),
        given_back_counts: random.random_bool(0.3),
        validity: Validity {
            valid_from: random.random_bool(0.3).then_some(START + 5 * HOUR),
            valid_until: random.random_bool(0.3).then_some(START + 100 * HOUR),
        },
        ..terms(limits(some(&mut random, 60), some(&mut random, 12), some(&mut random, 3)))
    };
    sales.open(opened.clone()).await.expect("a sale");
    upload(&sales, &mut random, List::Codes, &own).await;
    upload(&sales, &mut random, List::Users, &invited).await;
    let mut model = Model {
        zone: Zone::named(zone).expect("a zone"),
        limits: opened.limits,
        given_back_counts: opened.given_back_counts,
        validity: opened.validity,
        is_closed: false,
        day: 0,
        coupons: Vec::new(),
        by_code: HashMap::new(),
        by_end: HashMap::new(),
        by_request: HashMap::new(),
        pending: (!own.is_empty()).then(|| (own.iter().cloned().collect(), own.len() as u64)),
        invited: (!invited.is_empty()).then(|| invited.iter().cloned().collect()),
    };
    let mut now = START;
    let mut codes: Vec<String> = Vec::new();
    // Outcome, code and request of each change with a reason, and that.
    let mut reasons: BTreeSet<[String; 4]> = BTreeSet::new();
    for step in 0..STEPS {
        match random.random_range(0..100) {
            0..54 => {
                let user = format!("u{}", random.random_range(0..8));
                // Of the same user, an id that may have been used.
                let request = format!("{user}-{}", random.random_range(0..40));
                let answer = sales.claim("s", user.clone(), Some(request.clone())).await.expect("an outcome");
                model.claimed(now, &user, &request, &answer);
                if let Outcome::Won { code } = answer {
                    codes.push(code);
                }
            }
            54..74 => {
                let code = match codes.get(random.random_range(0..codes.len() + 1)) {
                    Some(code) => code.clone(),
                    None => "0000-0000-0000".to_owned(),
                };
                let request = format!("e{}", random.random_range(0..3));
                let reason = if random.random() { format!("why {step}") } else { String::new() };
                match random.random_range(0..5) {
                    0..2 => {
                        let answer = sales.redeem("s", &code, Some(request.clone())).await.expect("an outcome");
                        model.ended(now, &code, true, &request, &answer);
                    }
                    2 => {
                        let answer = sales.give_back("s", &code, reason.clone(), Some(request.clone())).await;
                        let answer = answer.expect("an outcome");
                        model.ended(now, &code, false, &request, &answer);
                        if let End::Returned(coupon) = answer {
                            reasons.insert([outcome::RETURNED.to_owned(), coupon.code, request, reason]);
                        }
                    }
                    _ => {
                        let answer = sales.void("s", &code, reason.clone(), request.clone()).await;
                        let answer = answer.expect("an outcome");
                        model.voided(&code, &request, &answer);
                        if let End::Voided(coupon) = answer {
                            reasons.insert([outcome::VOIDED.to_owned(), coupon.code, request, reason]);
                        }
                    }
                }
            }
            74..80 => drop(writer.step(Duration::ZERO).await.expect("the ledger")),
            80..82 => {
                // The database refuses a batch, which is tried again.
                let refuse = "CREATE TRIGGER full BEFORE UPDATE ON sales BEGIN SELECT RAISE(ROLLBACK, 'lost'); END";
                ledger.execute(refuse).await.expect("a trigger");
                drop(writer.step(Duration::ZERO).await);
                ledger.execute("DROP TRIGGER full").await.expect("no trigger");
            }
            82..90 => {
                let by = [1, HOUR, 7 * HOUR, 24 * HOUR, 26 * HOUR, -HOUR, -3 * HOUR][random.random_range(0..7)];
                time.advance(by);
                now += by;
            }
            90..94 => {
                let mut new = limits(some(&mut random, 60), some(&mut random, 12), some(&mut random, 3));
                if random.random_bool(0.1) {
                    new.total = Some(0);
                }
                let unlimited: Vec<LimitName> =
                    LIMITS.into_iter().map(|limit| limit.name).filter(|name| new.get(*name).is_none()).collect();
                let answer = sales.set_limits("s", new, &unlimited, None).await.expect("an outcome");
                let expected = match (model.is_closed, new == model.limits) {
                    (true, _) => LimitsSet::Closed,
                    (false, true) => LimitsSet::Repeat { limits: new },
                    (false, false) => LimitsSet::Set { limits: new },
                };
                assert_eq!(answer, expected);
                if !model.is_closed {
                    model.limits = new;
                }
            }
            94..95 if step > STEPS / 2 => {
                sales.close("s").await.expect("closed");
                model.is_closed = true;
            }
            95..96 => {
                redis.raw().await.run::<String>("SCRIPT", "FLUSH").await;
            }
            96..97 => {
                // The server is restarted, and with it the writer: it remembers nothing.
                writer.give_up().await;
                app = TestApp::at(&redis, &redis.url(), time.clone(), seed + step as u64).await;
                sales = coupons(&app);
                writer = app.writer("one");
            }
            97..99 => {
                // Redis loses everything that the ledger has.
                writer.catch_up().await.expect("the ledger");
                redis
                    .raw()
                    .await
                    .run::<i64>("DEL", redis.raw().await.run::<Vec<String>>("KEYS", "{coupon:s}:*").await)
                    .await;
                let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
                assert_eq!((recovered.won, recovered.conflicts.len()), (model.coupons.len() as u64, 0), "seed {seed}");
            }
            _ => {
                let user = format!("u{}", random.random_range(0..8));
                let held = sales.user("s", user.clone()).await.expect("a user");
                let day = model.zone.day_of(now).expect("a day").max(model.day);
                assert_eq!(held.left, model.left(&user, day), "seed {seed}, step {step}");
                assert_eq!(held.coupons.len(), model.coupons.iter().filter(|kept| kept.user == user).count());
            }
        }
        if step % 50 == 0 {
            let audit = sales.audit("s").await.expect("an audit");
            assert_eq!(audit.verdict, Verdict::Holds, "seed {seed}, step {step}: {audit:?}");
        }
    }
    writer.catch_up().await.expect("the ledger");
    let audit = sales.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "seed {seed}: {audit:?}");
    let known = app.ledger.sale("coupon", "s").await.expect("the ledger").expect("a sale");
    assert_eq!(known.dead_letters, 0, "seed {seed}");
    assert!(codes.len() > 3, "seed {seed} plays");
    let search = Search { sale: Some("s".to_owned()), ..Search::default() };
    let rows = app.ledger.rows(&search, 10_000, None).await.expect("the rows");
    let recorded = rows.into_iter().filter_map(|row| Some([row.outcome, row.item?, row.request_id?, row.reason?]));
    reasons.retain(|[.., reason]| !reason.is_empty());
    assert_eq!(recorded.collect::<BTreeSet<_>>(), reasons, "seed {seed}");
}

#[tokio::test]
async fn every_answer_is_the_models() {
    for seed in 1..=12 {
        play(seed).await;
    }
}
