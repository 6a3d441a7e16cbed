//! What attempts do, in a few lines that need no knowledge of Rust or of Redis. The names of records are the same as
//! in the pictures of the keys.
//!
//! A line stands for the calls whose text begins with one of its `calls`. `tests/lab/lesson.rs` plays every strategy
//! and mistake, and finds a line for each call and each answer.

use model::lab::{
    Told::{self, Already, Busy, Cancelled, Expired, SoldOut, Won},
    program::{Act, Program},
    trace::{Call, Form, Step, Trace, WORKER},
};

/// A line of pseudo-code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    /// The text; two spaces indent it once.
    text: &'static str,
    /// The beginnings of the calls that the line makes; none if it makes no call.
    calls: &'static [&'static str],
    /// The answers that end the attempt in this line.
    told: &'static [Told],
}

/// A line of code as it is shown: of pseudo-code, or of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownLine {
    /// The text; two spaces indent it once.
    pub text: String,
    /// The number of a line of a program, by which its calls are found.
    number: Option<u32>,
    /// As in [`Line`].
    calls: &'static [&'static str],
    told: Vec<Told>,
}

impl From<Line> for ShownLine {
    fn from(Line { text, calls, told }: Line) -> Self {
        Self { text: text.to_owned(), number: None, calls, told: told.to_vec() }
    }
}

impl ShownLine {
    fn of_program(program: &Program) -> Vec<Self> {
        let lines = (1..).zip(&program.lines).map(|(number, text)| Self {
            text: text.clone(),
            number: Some(number),
            calls: &[],
            told: program.told_in(number).into_iter().collect(),
        });
        lines.collect()
    }

    fn makes(&self, call: &Call) -> bool {
        match self.number {
            Some(number) => number == call.line,
            None => self.calls.iter().any(|begins| beginning(call).starts_with(begins)),
        }
    }
}

const fn call(text: &'static str, calls: &'static [&'static str]) -> Line {
    Line { text, calls, told: &[] }
}

const fn say(text: &'static str, told: &'static [Told]) -> Line {
    Line { text, calls: &[], told }
}

const fn plain(text: &'static str) -> Line {
    Line { text, calls: &[], told: &[] }
}

/// Who runs a piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Everybody,
    /// The user `user-1`.
    First,
    /// All other users.
    Others,
    Worker,
}

const READS: [Line; 2] = [call("left ← read stock", &["GET stock"]), call("mine ← read got[me]", &["HGET got"])];
const REFUSALS: [Line; 2] =
    [say("if mine: say “already yours”", &[Already]), say("if left = 0: say “sold out”", &[SoldOut])];
const WRITES: [Line; 2] = [call("write stock ← left − 1", &["SET stock"]), call("write got[me] ← 1", &["HSET got"])];
const TO_THE_END: Line = plain("if mine or left = 0: go to the end");
const TAKE_LOCK: Line = call("take the lock, or wait for it", &["SET lock"]);
const SAY_YOURS: Line = say("say “yours”", &[Won]);
const SAY_ANSWER: Line = say("say what came of it", &[Won, Already, SoldOut]);
const BUY: &[Line] = &[
    call("left ← take one from stock", &["DECR stock"]),
    plain("if left < 0:"),
    call("  put it back", &["INCR stock"]),
    say("  say “sold out”", &[SoldOut]),
    call("write got[me] ← 1", &["HSET got"]),
    SAY_YOURS,
];
const USER_LOCK: [Line; 7] = [
    call("left ← read stock", &["DECRBY stock"]),
    say("if left = 0: say “sold out”", &[SoldOut]),
    call("take my own lock", &["SET lock"]),
    say("if I hold it already: say “busy”", &[Busy]),
    call("left ← read stock", &["DECRBY stock"]),
    call("mine ← am I a winner?", &["SISMEMBER winners"]),
    plain("if mine or left < 0: go to the end"),
];
const RELEASE_OWN: Line = call("release my lock", &["EVALSHA release"]);

/// Code of these strategies or mistakes: who runs it, and its lines in parts.
type Code = (&'static [&'static str], Who, &'static [&'static [Line]]);

/// The code of each strategy and mistake, and of each who takes part in it.
const CODE: &[Code] = &[
    (&["read-check-write"], Who::Everybody, &[&READS, &REFUSALS, &WRITES, &[SAY_YOURS]]),
    (
        &["pipeline"],
        Who::Everybody,
        &[
            &[
                plain("send together:"),
                call("  left ← read stock", &["GET stock"]),
                call("  mine ← read got[me]", &["HGET got"]),
            ],
            &REFUSALS,
            &[
                plain("send together:"),
                call("  stock ← stock − 1", &["DECR stock"]),
                call("  got[me] ← got[me] + 1", &["HINCRBY got"]),
                SAY_YOURS,
            ],
        ],
    ),
    (
        &["lock-in-process", "lock-in-process-two-servers"],
        Who::Everybody,
        &[
            &[call("take this server's lock", &["lock"])],
            &READS,
            &[TO_THE_END],
            &WRITES,
            &[plain("release the lock"), SAY_ANSWER],
        ],
    ),
    (
        &["decr-incr"],
        Who::Everybody,
        &[&[
            call("left ← take one from stock", &["DECR stock"]),
            plain("if left < 0:"),
            call("  put it back", &["INCR stock"]),
            say("  say “sold out”", &[SoldOut]),
            call("first ← add me to winners", &["SADD winners"]),
            plain("if not first:"),
            call("  put it back", &["INCR stock"]),
            say("  say “already yours”", &[Already]),
            SAY_YOURS,
        ]],
    ),
    (
        &["watch-multi-exec"],
        Who::Everybody,
        &[
            &[call("watch stock and got", &["WATCH"])],
            &READS,
            &[
                call("if mine or left = 0: unwatch", &["UNWATCH"]),
                say("  and say so", &[Already, SoldOut]),
                plain("if both are still unchanged:"),
                call("  write both in one step", &["EXEC"]),
                plain("else: start again"),
                SAY_YOURS,
            ],
        ],
    ),
    (
        &["setnx-lock"],
        Who::Everybody,
        &[
            &[TAKE_LOCK],
            &READS,
            &[TO_THE_END],
            &WRITES,
            &[
                call("tell the winner (takes 5 ms)", &["work"]),
                call("release the lock if it is mine", &["EVALSHA release"]),
                SAY_ANSWER,
            ],
        ],
    ),
    (
        &["setnx-lock-no-owner-check"],
        Who::Everybody,
        &[
            &[TAKE_LOCK],
            &READS,
            &[TO_THE_END],
            &WRITES,
            &[call("tell the winner (takes 5 ms)", &["work"]), call("delete the lock", &["DEL lock"]), SAY_ANSWER],
        ],
    ),
    (
        &["setnx-lock-short-lifetime"],
        Who::Everybody,
        &[
            &[TAKE_LOCK],
            &READS,
            &[TO_THE_END, call("decide (takes 5 ms)", &["work"])],
            &WRITES,
            &[call("release the lock if it is mine", &["EVALSHA release"]), SAY_ANSWER],
        ],
    ),
    (
        &["user-lock"],
        Who::Everybody,
        &[&USER_LOCK, &[call("script: add me, stock − 1", &["EVALSHA grab"]), RELEASE_OWN, SAY_ANSWER]],
    ),
    (
        &["user-lock-guard-unread"],
        Who::Everybody,
        &[
            &USER_LOCK,
            &[
                call("script: if any is left, take it", &["EVALSHA grab"]),
                RELEASE_OWN,
                say("say “yours”, whatever it said", &[Won, Already, SoldOut]),
            ],
        ],
    ),
    (
        &["user-lock-guard"],
        Who::Everybody,
        &[
            &USER_LOCK,
            &[
                call("script: if any is left, take it", &["EVALSHA grab"]),
                RELEASE_OWN,
                say("say what the script said", &[Won, Already, SoldOut]),
            ],
        ],
    ),
    (
        &["select-for-update"],
        Who::Everybody,
        &[&[
            call("begin a transaction", &["BEGIN"]),
            call("left ← read the stock, lock its row", &["SELECT remaining"]),
            call("mine ← read my claim", &["SELECT got"]),
            call("if mine or left = 0: roll back", &["ROLLBACK"]),
            say("  and say so", &[Already, SoldOut]),
            call("stock ← stock − 1", &["UPDATE lab_stock"]),
            call("add my claim", &["INSERT INTO lab_claims"]),
            call("commit", &["COMMIT"]),
            SAY_YOURS,
        ]],
    ),
    (
        &["conditional-update"],
        Who::Everybody,
        &[&[
            call("begin a transaction", &["BEGIN"]),
            call("add my claim, if I have none", &["INSERT"]),
            call("if I had one: roll back", &["ROLLBACK"]),
            say("  and say so", &[Already]),
            call("stock − 1, if any is left", &["UPDATE lab_stock"]),
            call("if none was left: roll back", &["ROLLBACK"]),
            say("  and say so", &[SoldOut]),
            call("commit", &["COMMIT"]),
            SAY_YOURS,
        ]],
    ),
    (
        &["queue"],
        Who::Everybody,
        &[&[
            call("put myself into the queue", &["LPUSH queue"]),
            call("wait for my answer", &["BRPOP answer"]),
            say("say what it says", &[Won, Already, SoldOut]),
        ]],
    ),
    (
        &["queue"],
        Who::Worker,
        &[&[
            call("next ← take from the queue", &["BRPOP queue"]),
            READS[0],
            call("theirs ← read got[next]", &["HGET got"]),
            plain("if theirs or left = 0: refuse"),
            call("stock ← stock − 1", &["DECR stock"]),
            call("got[next] ← 1", &["HINCRBY got"]),
            call("answer next", &["LPUSH answer"]),
        ]],
    ),
    (
        &["script"],
        Who::Everybody,
        &[&[
            call("one script, one step:", &["EVALSHA lab/article_red_packet.lua"]),
            plain("  if I have a packet: stop"),
            plain("  packet ← take from pending"),
            plain("  if there was none: stop"),
            plain("  add it to consumed, with my name"),
            SAY_ANSWER,
        ]],
    ),
    (
        &["batched-script"],
        Who::Everybody,
        &[&[
            call("claim (leaves in a batch with others)", &["claim"]),
            plain("  one script decides the batch in turn"),
            SAY_ANSWER,
        ]],
    ),
    (
        &["cancel-replayed"],
        Who::First,
        &[&[
            call("order ← read got[me]", &["HGET got"]),
            say("if there is none: say “cancelled”", &[Cancelled]),
            call("stock ← stock + 1", &["INCR stock"]),
            call("delete got[me]", &["HDEL got"]),
            say("say “cancelled”", &[Cancelled]),
        ]],
    ),
    (&["cancel-replayed", "pay-against-expire"], Who::Others, &[BUY]),
    (
        &["pay-against-expire"],
        Who::First,
        &[&[
            call("state ← read orders[me]", &["HGET orders"]),
            say("if it is not held: say “expired”", &[Expired]),
            call("write orders[me] ← paid", &["HSET orders"]),
            call("write got[me] ← 1", &["HSET got"]),
            SAY_YOURS,
        ]],
    ),
    (
        &["pay-against-expire"],
        Who::Worker,
        &[&[
            call("user ← take from the queue", &["BRPOP queue"]),
            call("state ← read orders[user]", &["HGET orders"]),
            plain("if it is held:"),
            call("  write orders[user] ← expired", &["HSET orders"]),
            call("  stock ← stock + 1", &["INCR stock"]),
        ]],
    ),
    (
        &["rebuild-against-deduction"],
        Who::Everybody,
        &[&[
            call("cached ← read stock", &["GET stock"]),
            plain("if there is none:"),
            call("  remaining ← read the database", &["SELECT remaining"]),
            call("  write stock ← remaining", &["SET stock"]),
            call("left ← take one from stock", &["DECR stock"]),
            call("if left < 0: put it back", &["INCR stock"]),
            say("  and say “sold out”", &[SoldOut]),
            call("database: remaining − 1", &["UPDATE lab_stock"]),
            call("database: add my claim", &["INSERT INTO lab_claims"]),
            SAY_YOURS,
        ]],
    ),
    (
        &["deduct-before-dedupe"],
        Who::Everybody,
        &[&[
            call("left ← take one from stock", &["DECR stock"]),
            say("if left < 0: say “sold out”", &[SoldOut]),
            call("first ← add me to winners", &["SADD winners"]),
            say("if not first: say “already yours”", &[Already]),
            SAY_YOURS,
        ]],
    ),
];

/// The lines of a participant: `user` is the digit of its user, and `None` for the worker.
pub fn lines(strategy: &str, user: Option<char>) -> Vec<ShownLine> {
    if let Some(Ok(program)) = Program::of_id(strategy) {
        return ShownLine::of_program(&program);
    }
    let runs = |who: Who| match (who, user) {
        (Who::Everybody | Who::Others, None) => false,
        (Who::Everybody, Some(_)) => true,
        (Who::First, user) => user == Some('1'),
        (Who::Others, Some(user)) => user != '1',
        (Who::Worker, user) => user.is_none(),
    };
    let code = CODE.iter().find(|(ids, who, _)| ids.contains(&strategy) && runs(*who));
    let code = code.map(|(_, _, parts)| parts.concat()).unwrap_or_default();
    code.into_iter().map(ShownLine::from).collect()
}

/// The text of a call that lines are compared with.
fn beginning(call: &Call) -> String {
    match call.form {
        Form::Transaction => "EXEC".to_owned(),
        _ => call.commands.first().map(|command| command.join(" ")).unwrap_or_default(),
    }
}

/// The line that makes a call, after the line `from`, or else from the beginning, as in a loop.
fn line_of(lines: &[ShownLine], from: Option<usize>, call: &Call) -> Option<usize> {
    let makes_it = |line: &ShownLine| line.makes(call);
    let after = from.map_or(0, |line| line + 1);
    // A call that waits is made again.
    let again = from.filter(|line| lines.get(*line).is_some_and(makes_it) && !lines[after..].iter().any(makes_it));
    let next = lines.iter().enumerate().skip(after).find(|(_, line)| makes_it(line)).map(|(line, _)| line);
    next.or(again).or_else(|| lines.iter().position(makes_it))
}

/// The line that tells this answer, from the line `from` on.
fn line_of_answer(lines: &[ShownLine], from: Option<usize>, told: Told) -> Option<usize> {
    lines.iter().enumerate().skip(from.unwrap_or(0)).find(|(_, line)| line.told.contains(&told)).map(|(line, _)| line)
}

/// Where a participant is: the line of its next call, or of its answer; `None` if it has no lines.
pub fn counter(trace: &Trace, at: usize, letter: char, lines: &[ShownLine]) -> Option<usize> {
    let own = trace.steps.iter().take(at).filter(|step| step.letter == letter);
    let last = own.fold(None, |last, step| after_step(lines, last, step));
    let now = trace.at(at);
    let participant = now.participants.iter().find(|one| one.letter == letter)?;
    match (participant.told, &participant.next) {
        (Some(told), _) => line_of_answer(lines, last, told),
        // The call that waits is the next one, too.
        (None, Some(next)) => line_of(lines, last, next),
        (None, None) => None,
    }
}

/// The line that the step before the place `at` has run, if the step was this participant's.
pub fn just_run(trace: &Trace, at: usize, letter: char, lines: &[ShownLine]) -> Option<usize> {
    let place = at.min(trace.steps.len()).checked_sub(1).filter(|place| trace.steps[*place].letter == letter)?;
    let own = trace.steps[..place].iter().filter(|step| step.letter == letter);
    let before = own.fold(None, |last, step| after_step(lines, last, step));
    line_of(lines, before, &trace.steps[place].call)
}

fn after_step(lines: &[ShownLine], last: Option<usize>, step: &Step) -> Option<usize> {
    // A call without a reply will be made again: nothing has moved on.
    if step.reply.is_none() { last } else { line_of(lines, last, &step.call) }
}

/// The digit of a participant's user in the users of a play; `None` for the worker.
pub fn user_of(users: &str, letter: char) -> Option<char> {
    if letter == WORKER {
        return None;
    }
    let place = letter.to_digit(10)?.checked_sub(1)?;
    users.chars().nth(place as usize)
}

/// Whether somebody who takes part in this strategy is at work at times, so that time can pass.
pub fn has_work(strategy: &str) -> bool {
    if let Some(Ok(program)) = Program::of_id(strategy) {
        return program.statements.iter().any(|statement| matches!(statement.act, Act::Work { .. }));
    }
    let own = CODE.iter().filter(|(ids, _, _)| ids.contains(&strategy)).flat_map(|(_, _, parts)| parts.iter().copied());
    own.flatten().any(|line| line.calls.contains(&"work"))
}

/// The records that the calls of a strategy name, whether they exist yet or not. Those of one user are left out, as
/// their names are longer.
pub fn records(strategy: &str) -> Vec<&'static str> {
    let own = CODE.iter().filter(|(ids, _, _)| ids.contains(&strategy)).flat_map(|(_, _, parts)| parts.iter().copied());
    let named = own.flatten().flat_map(|line| line.calls).filter_map(|call| call.split_once(' ')).map(|(_, name)| name);
    let has_user_locks = strategy.starts_with("user-lock");
    let is_whole = |name: &&str| match *name {
        "lock" => !has_user_locks,
        "stock" | "got" | "winners" | "orders" | "queue" => true,
        _ => false,
    };
    named.filter(is_whole).collect()
}

/// The name that a variable of the source has in pseudo-code; `None` if it has none.
pub fn variable(name: &str) -> Option<&str> {
    match name {
        "got" | "has_one" => Some("mine"),
        "is_first" => Some("first"),
        "left" | "order" | "state" | "cached" | "remaining" | "user" => Some(name),
        _ => None,
    }
}
