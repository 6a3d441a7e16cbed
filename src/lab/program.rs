//! Runs a program that a reader has written, statement by statement, through the same wire as every strategy. A
//! `script` is one call of a fixed script, which gets its statements as arguments.

use crate::{
    strategies::{Storage, Strategy, prelude::*},
    wire::Wire,
};
use anyhow::Context;
use model::lab::program::{ANSWERS, Act, Condition, Key, Operand, Sum};
use redis::Value;
use std::{collections::BTreeMap, time::Instant};
use store::script::script;

/// Every program is this strategy. Nothing is known of what goes wrong with it.
pub static PROGRAM: Strategy = Strategy {
    id: "program",
    source: "",
    file: "src/lab/program.rs",
    code: "",
    storage: Storage::Counts,
    servers: 1,
    attempts: 2,
    failures: &[],
    turns: None,
    safe: [None; 4],
    begin: None,
    claim: |wire, sale, user| Box::pin(claim(wire, sale, user)),
    work: None,
};

/// Runs a block of statements in one step.
pub static SCRIPT: Script = script!(alone "lab/program.lua");

static RELEASE: Script = Script::new(
    "release",
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end",
);

async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let program = wire.program()?;
    let statements = &program.statements;
    let began = Instant::now();
    let (mut at, mut names, mut token, mut watches) = (0, Names::default(), String::new(), false);
    let told = loop {
        let statement = statements.get(at).context("The program ended without an answer.")?;
        at += 1;
        wire.go_to(statement.line);
        match &statement.act {
            Act::Read { key, into } => {
                let (verb, args) = command(&statement.act, sale, user, &names)?;
                let number: Option<i64> = wire.call(verb, args).await?;
                names.note(wire, *key, into, number);
            }
            Act::Add { key, into, .. } => {
                let (verb, args) = command(&statement.act, sale, user, &names)?;
                let number: i64 = wire.call(verb, args).await?;
                if let Some(into) = into {
                    names.note(wire, *key, into, Some(number));
                }
            }
            Act::Write { .. } => {
                let (verb, args) = command(&statement.act, sale, user, &names)?;
                wire.run(verb, args).await?;
            }
            Act::If { condition: Condition { left, test, right }, then } => {
                if !test.holds(names.value(left), names.value(right)) {
                    at += then;
                }
            }
            Act::Say(told) => break *told,
            Act::Lock { lifetime_ms } => {
                token = wire.token();
                wire.local("token", &token);
                let mut args = vec![sale.lock.clone(), token.clone(), "NX".to_owned()];
                if let Some(ms) = lifetime_ms {
                    args.extend(["PX".to_owned(), ms.to_string()]);
                }
                while !wire.call::<bool>("SET", &args).await? {
                    if wire.is_late(began) {
                        return Ok(Told::Busy);
                    }
                    wire.back_off().await;
                }
            }
            Act::Unlock { is_checked: true } => wire.script::<()>(&RELEASE, &[&sale.lock], &[&token]).await?,
            Act::Unlock { is_checked: false } => wire.run("DEL", &sale.lock).await?,
            Act::Work { ms } => wire.work(Duration::from_millis((*ms).into())).await?,
            Act::Watch(keys) => {
                let keys = keys.iter().map(|key| if *key == Key::Stock { &sale.stock } else { &sale.got });
                wire.run("WATCH", keys.collect::<Vec<&String>>()).await?;
                watches = true;
            }
            Act::Exec(length) => {
                let commands = statements[at..at + length].iter().map(|statement| {
                    let (verb, args) = command(&statement.act, sale, user, &names)?;
                    Ok(command_of(verb, args))
                });
                let commands: Vec<Cmd> = commands.collect::<Result<_>>()?;
                let written: Option<Value> = wire.transaction(commands).await?;
                watches = false;
                if written.is_some() {
                    at += length;
                } else if wire.is_late(began) {
                    return Ok(Told::Busy);
                } else {
                    wire.retry();
                    (at, names) = (0, Names::default());
                }
            }
            Act::Script(length) => {
                let block = statements[at..at + length].iter().map(|statement| argument(&statement.act));
                let known = names.0.iter().map(|(name, number)| format!("set {name} {number}"));
                let args: Vec<String> =
                    [Ok(user.to_owned())].into_iter().chain(known.map(Ok)).chain(block).collect::<Result<_>>()?;
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                let reply: Vec<String> = wire.script(&SCRIPT, &[&sale.stock, &sale.got], &args).await?;
                let (answer, noted) = reply.split_first().context("The script has no reply.")?;
                for pair in noted.chunks_exact(2) {
                    names.note_read(wire, &pair[0], pair[1].parse().ok());
                }
                at += length;
                if let Some((_, told)) = ANSWERS.iter().find(|(known, _)| word(known) == *answer) {
                    break *told;
                }
            }
        }
    };
    // The next attempt on this connection must not find anything watched.
    if watches {
        wire.run("UNWATCH", NOTHING).await?;
    }
    Ok(told)
}

/// The values of names.
#[derive(Default)]
struct Names(BTreeMap<String, i64>);

impl Names {
    /// A name without a value, which a branch would have given it, counts as 0.
    fn value(&self, operand: &Operand) -> i64 {
        match operand {
            Operand::Number(number) => *number,
            Operand::Name(name) => self.0.get(name).copied().unwrap_or_default(),
        }
    }

    fn sum(&self, Sum { of, plus }: &Sum) -> i64 {
        self.value(of) + plus
    }

    /// Notes what a key had, which is 0 if it had nothing.
    fn note(&mut self, wire: &mut Wire, key: Key, name: &str, number: Option<i64>) {
        if let (Key::Stock, Some(left)) = (key, number) {
            wire.saw(left);
        }
        self.note_read(wire, name, number);
    }

    fn note_read(&mut self, wire: &mut Wire, name: &str, number: Option<i64>) {
        wire.local(name, number);
        self.0.insert(name.to_owned(), number.unwrap_or_default());
    }
}

/// The command of a statement that reads or changes a key.
fn command(act: &Act, sale: &Sale, user: &str, names: &Names) -> Result<(&'static str, Vec<String>)> {
    let (stock, got) = (sale.stock.clone(), sale.got.clone());
    let user = user.to_owned();
    Ok(match act {
        Act::Read { key: Key::Stock, .. } => ("GET", vec![stock]),
        Act::Read { key: Key::Got, .. } => ("HGET", vec![got, user]),
        Act::Add { key: Key::Stock, by, .. } => (if *by < 0 { "DECR" } else { "INCR" }, vec![stock]),
        Act::Add { key: Key::Got, by, .. } => ("HINCRBY", vec![got, user, by.to_string()]),
        Act::Write { key: Key::Stock, value } => ("SET", vec![stock, names.sum(value).to_string()]),
        Act::Write { key: Key::Got, value } => ("HSET", vec![got, user, names.sum(value).to_string()]),
        other => anyhow::bail!("{other:?} is no command."),
    })
}

/// A statement as an argument of [`SCRIPT`], whose header lists the forms.
fn argument(act: &Act) -> Result<String> {
    Ok(match act {
        Act::Read { key, into } => format!("read {key} {into}"),
        Act::Add { key, by, into } => format!("add {key} {by} {}", into.as_deref().unwrap_or("-")),
        Act::Write { key, value: Sum { of, plus } } => format!("write {key} {of} {plus}"),
        Act::If { condition: Condition { left, test, right }, then } => format!("if {left} {test} {right} {then}"),
        Act::Say(told) => {
            let answer = ANSWERS.iter().find(|(_, known)| known == told).map(|(answer, _)| word(answer));
            format!("say {}", answer.context("There is no such answer.")?)
        }
        other => anyhow::bail!("{other:?} cannot be in a script."),
    })
}

/// An answer as one word.
fn word(answer: &str) -> String {
    answer.replace(' ', "_")
}
