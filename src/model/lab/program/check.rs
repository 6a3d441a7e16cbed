//! Checks what lines are together: blocks, names, and what each way through the program does with the lock.

use super::{Act, Condition, Fault, Operand, Problem, Statement, parse::Line};

/// The statements of these lines.
pub(super) fn statements(lines: Vec<(u32, Line)>) -> Result<Vec<Statement>, Fault> {
    let mut check = Check::default();
    let mut last = 1;
    for (line, read) in lines {
        let checked = match read {
            Line::Blank => continue,
            Line::Close => check.close(),
            Line::Open(act) => check.open(line, act),
            Line::If(condition, act) => check
                .open(line, Act::If { condition, then: 0 })
                .and_then(|()| check.add(line, act))
                .and_then(|()| check.close()),
            Line::Plain(act) => check.add(line, act),
        };
        checked.map_err(|problem| Fault { line, problem })?;
        last = line;
    }
    if let Some(open) = check.open.last() {
        return Err(Fault { line: check.statements[open.at].line, problem: Problem::NotClosed });
    }
    let problem = if check.statements.is_empty() { Problem::Empty } else { Problem::NoAnswer };
    if check.way.has_ended { Ok(check.statements) } else { Err(Fault { line: last, problem }) }
}

#[derive(Default)]
struct Check {
    statements: Vec<Statement>,
    /// The blocks around the next statement.
    open: Vec<Block>,
    way: Way,
    /// The names that have a value.
    names: Vec<String>,
}

struct Block {
    /// The place of the statement that opens it.
    at: usize,
    /// The way before it.
    before: Way,
}

/// What is true on the way to the next statement.
#[derive(Clone, Copy, Default)]
struct Way {
    has_ended: bool,
    has_lock: bool,
    /// Which keys are watched, by their place.
    watches: [bool; 2],
}

impl Check {
    fn is_in(&self, is_block: fn(&Act) -> bool) -> bool {
        self.open.iter().any(|block| is_block(&self.statements[block.at].act))
    }

    /// Checks what any statement may be at fault for.
    fn begin(&self, act: &Act) -> Result<(), Problem> {
        if self.way.has_ended {
            return Err(Problem::Unreachable);
        }
        if self.is_in(|act| matches!(act, Act::Exec(_)))
            && !matches!(act, Act::Write { .. } | Act::Add { into: None, .. })
        {
            return Err(Problem::InExec);
        }
        let runs_in_redis =
            matches!(act, Act::Read { .. } | Act::Add { .. } | Act::Write { .. } | Act::If { .. } | Act::Say(_));
        if self.is_in(|act| matches!(act, Act::Script(_))) && !runs_in_redis {
            return Err(Problem::InScript);
        }
        let used: &[&Operand] = match act {
            Act::If { condition: Condition { left, right, .. }, .. } => &[left, right],
            Act::Write { value, .. } => &[&value.of],
            _ => &[],
        };
        let unset = used.iter().find_map(|operand| match operand {
            Operand::Name(name) if !self.names.contains(name) => Some(name.clone()),
            _ => None,
        });
        unset.map_or(Ok(()), |name| Err(Problem::Unset(name)))
    }

    fn open(&mut self, line: u32, act: Act) -> Result<(), Problem> {
        self.begin(&act)?;
        if matches!(act, Act::Exec(_)) && self.way.has_lock {
            return Err(Problem::ExecWhileLocked);
        }
        self.open.push(Block { at: self.statements.len(), before: self.way });
        self.statements.push(Statement { line, act });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Problem> {
        let Block { at, before } = self.open.pop().ok_or(Problem::NotOpen)?;
        let inside = self.statements.len() - at - 1;
        if inside == 0 {
            return Err(Problem::EmptyBlock);
        }
        match &mut self.statements[at].act {
            Act::If { then, .. } => {
                *then = inside;
                if self.way.has_ended {
                    self.way = before;
                } else if self.way.has_lock != before.has_lock {
                    return Err(Problem::MaybeLocked);
                }
                for (watches, before) in self.way.watches.iter_mut().zip(before.watches) {
                    *watches |= before;
                }
            }
            Act::Exec(length) => {
                *length = inside;
                self.way.watches = [false; 2];
            }
            Act::Script(length) => *length = inside,
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, line: u32, act: Act) -> Result<(), Problem> {
        self.begin(&act)?;
        let is_in_exec = self.is_in(|act| matches!(act, Act::Exec(_)));
        let way = &mut self.way;
        match &act {
            Act::Read { into, .. } => self.names.push(into.clone()),
            Act::Add { key, .. } | Act::Write { key, .. } => {
                if way.watches[*key as usize] && !is_in_exec {
                    return Err(Problem::OwnChange);
                }
                if let Act::Add { into: Some(into), .. } = &act {
                    self.names.push(into.clone());
                }
            }
            Act::Say(_) if way.has_lock => return Err(Problem::AnswerWhileLocked),
            Act::Say(_) => way.has_ended = true,
            Act::Lock { .. } if way.has_lock => return Err(Problem::LockedTwice),
            Act::Lock { .. } => way.has_lock = true,
            Act::Unlock { .. } if !way.has_lock => return Err(Problem::NotLocked),
            Act::Unlock { .. } => way.has_lock = false,
            Act::Watch(keys) => keys.iter().for_each(|key| way.watches[*key as usize] = true),
            Act::Work { .. } | Act::If { .. } | Act::Exec(_) | Act::Script(_) => {}
        }
        self.statements.push(Statement { line, act });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::lab::program::{Act, Fault, Problem, Program};

    #[test]
    fn a_block_knows_its_statements() {
        let text = "watch stock\nleft = read stock\nif left < 1 {\n  work 1ms\n  say sold out\n}\nexec {\n  decr stock\n}\n\
                    script {\n  mine = incr got\n  if mine > 1: say already yours\n}\nsay yours";
        let program = Program::parse(text).expect("a program");
        let lengths: Vec<(u32, usize)> = program
            .statements
            .iter()
            .filter_map(|statement| match statement.act {
                Act::If { then: length, .. } | Act::Exec(length) | Act::Script(length) => {
                    Some((statement.line, length))
                }
                _ => None,
            })
            .collect();
        assert_eq!(lengths, [(3, 2), (7, 1), (10, 3), (12, 1)]);
    }

    #[test]
    fn what_lines_are_together_is_checked() {
        for (line, problem, text) in [
            (1, Problem::Empty, "\n \n"),
            (1, Problem::NoAnswer, "incr stock"),
            (2, Problem::NoAnswer, "left = read stock\nif left: say yours\n\n"),
            (2, Problem::Unreachable, "say yours\nincr stock"),
            (4, Problem::Unreachable, "script {\nsay yours\n}\nsay busy"),
            (1, Problem::Unset("left".to_owned()), "write stock left - 1\nsay yours"),
            (1, Problem::Unset("mine".to_owned()), "if mine: say busy\nsay yours"),
            (1, Problem::NotClosed, "script {\nsay yours"),
            (2, Problem::NotOpen, "say yours\n}"),
            (2, Problem::EmptyBlock, "exec {\n}\nsay yours"),
            (2, Problem::InExec, "exec {\nleft = decr stock\n}\nsay yours"),
            (2, Problem::InExec, "exec {\nscript {\nincr stock\n}\n}\nsay yours"),
            (2, Problem::InScript, "script {\nlock\n}\nsay yours"),
            (2, Problem::InScript, "script {\nexec {\nincr stock\n}\n}\nsay yours"),
            (2, Problem::AnswerWhileLocked, "lock\nsay yours"),
            (3, Problem::AnswerWhileLocked, "lock\nscript {\nsay yours\n}"),
            (2, Problem::LockedTwice, "lock\nlock 2ms\nunlock\nsay yours"),
            (1, Problem::NotLocked, "unlock unchecked\nsay yours"),
            (3, Problem::MaybeLocked, "lock\nleft = read stock\nif left: unlock\nsay yours"),
            (2, Problem::ExecWhileLocked, "lock\nexec {\nincr stock\n}\nunlock\nsay yours"),
            (2, Problem::OwnChange, "watch got\nincr got\nsay yours"),
            (3, Problem::OwnChange, "watch stock\nscript {\nwrite stock 1\n}\nsay yours"),
        ] {
            assert_eq!(Program::parse(text), Err(vec![Fault { line, problem }]), "{text}");
        }
        for fine in [
            "lock\nleft = read stock\nif left < 1 {\nunlock\nsay sold out\n}\nunlock\nsay yours",
            "watch stock\nexec {\ndecr stock\n}\nincr stock\nsay yours",
            "watch stock\nincr got\nsay yours",
            "left = read stock\nif left {\nlock\nunlock unchecked\n}\nsay yours",
        ] {
            assert!(Program::parse(fine).is_ok(), "{fine}");
        }
    }
}
