//! What takes part in a play or a run: a strategy of the lab, a mistake, or a program that a reader has written.

use crate::{
    program::PROGRAM,
    strategies::{STRATEGIES, Strategy, strategy},
};
use model::{
    error::{Error, Result},
    lab::program::Program,
};
use std::sync::Arc;

/// What takes part in a play or a run.
#[derive(Clone)]
pub struct Contender {
    /// The id by which it was asked for.
    pub id: String,
    /// The strategy or the mistake; that of programs for a program.
    pub strategy: &'static Strategy,
    /// The program, for the strategy that runs one.
    pub program: Option<Arc<Program>>,
}

impl From<&'static Strategy> for Contender {
    fn from(strategy: &'static Strategy) -> Self {
        Self { id: strategy.id.to_owned(), strategy, program: None }
    }
}

impl Contender {
    /// The strategy with this id, or the program in it. `None` if it is neither.
    ///
    /// # Errors
    /// `bad_request` with the first fault of the program, naming the field of the request.
    pub fn named(id: &str, field: &str) -> Result<Option<Self>> {
        let Some(program) = Program::of_id(id) else { return Ok(strategy(id).map(Self::from)) };
        let program = program.map_err(|faults| {
            let why = faults.first().map(|fault| format!("The program has a fault. {fault}"));
            Error::bad(field, why.unwrap_or_default())
        })?;
        Ok(Some(Self { id: id.to_owned(), strategy: &PROGRAM, program: Some(Arc::new(program)) }))
    }
}

/// The strategies with these ids, in this order; one of them may be a program. All strategies if there are no ids.
///
/// # Errors
/// `bad_request`, with all ids, if one of these is unknown; also if one is named twice, because its two figures would
/// be indistinguishable.
pub fn chosen(ids: &[String]) -> Result<Vec<Contender>> {
    if ids.is_empty() {
        return Ok(STRATEGIES.iter().map(Contender::from).collect());
    }
    let mut chosen: Vec<Contender> = Vec::new();
    for id in ids {
        let named = Contender::named(id, "strategies")?.ok_or_else(|| {
            let names: Vec<&str> = STRATEGIES.iter().map(|strategy| strategy.id).collect();
            Error::bad("strategies", format!("There is no strategy `{id}`; there are {}.", names.join(", ")))
        })?;
        let id = named.strategy.id;
        if chosen.iter().any(|other| other.strategy.id == id) {
            return Err(Error::bad("strategies", format!("The strategy `{id}` is named twice; name each one once.")));
        }
        chosen.push(named);
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn a_strategy_is_chosen_once() {
        let ids = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        assert_eq!(chosen(&ids(&["queue", "script"])).expect("two strategies").len(), 2);
        let refused = chosen(&ids(&["script", "queue", "script"])).err().expect("a refusal");
        assert_eq!(refused.field.as_deref(), Some("strategies"));
        assert!(refused.message.contains("`script` is named twice"), "{refused}");
    }

    #[test]
    fn one_program_can_be_chosen_if_it_has_no_fault() {
        let ids = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        let chosen_ones = chosen(&ids(&["program:say_yours", "script"])).expect("both");
        assert_eq!(chosen_ones[0].id, "program:say_yours");
        assert!(chosen_ones[0].program.is_some() && chosen_ones[1].program.is_none());
        for (wrong, why) in [
            (&["program:say_hello"][..], "The program has a fault. Line 1: Say `yours`"),
            (&["program:"], "Line 1: Write at least one step."),
            (&["program:say_yours", "program:say_busy"], "`program` is named twice"),
            (&["program"], "There is no strategy `program`"),
        ] {
            let refused = chosen(&ids(wrong)).err().expect("a refusal");
            assert_eq!(refused.field.as_deref(), Some("strategies"));
            assert!(refused.message.contains(why), "{refused}");
        }
    }
}
