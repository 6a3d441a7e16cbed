//! What a step means, in a sentence: not the command, but what it does to whom.

use crate::lab::{
    player::{
        event::{Event, event},
        pseudo::user_of,
        words::words,
    },
    words::words as lab_words,
};
use model::lab::{
    Told,
    trace::{Play, Step, Trace},
};

/// The sentences about a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caption {
    /// The letter of the participant.
    pub letter: char,
    pub text: String,
    /// Whether this is what does the harm, or makes it possible.
    pub is_harm: bool,
}

/// The caption of the step before the place `at`; `None` at the beginning.
pub fn caption(play: &Play, trace: &Trace, at: usize) -> Option<Caption> {
    let place = at.min(trace.steps.len()).checked_sub(1)?;
    let step = &trace.steps[place];
    let before = place.checked_sub(1).map_or(&trace.before, |earlier| &trace.steps[earlier].records);
    let event = event(step, before);
    let words = words();
    let mut text = (words.event)(step.letter, &event);
    if let (Event::Expires(_), Some(ms)) = (&event, lifetime_ms(&trace.steps[..place])) {
        text = (words.passes)(ms, &text);
    }
    let mut is_harm = matches!(event, Event::Overwrites { .. } | Event::DeletesLockOf(_) | Event::Expires(_));
    if let Some(told) = step.told {
        text.push_str(lab_words().between_sentences);
        text.push_str(&(words.is_told)(step.letter, told));
        if told == Told::Won && is_too_many(play, &trace.steps[..=place]) {
            is_harm = true;
            let winners = trace.steps[..=place].iter().filter(|step| step.told == Some(Told::Won)).count();
            text.push_str(lab_words().between_sentences);
            let user = user_of(&play.users, step.letter).unwrap_or_default();
            text.push_str(&if winners > play.stock as usize {
                (words.too_many)(winners, play.stock)
            } else {
                (words.for_the_second_time)(&(words.person)(user))
            });
        }
    }
    Some(Caption { letter: step.letter, text, is_harm })
}

/// The lifetime of the lock that was taken last.
fn lifetime_ms(steps: &[Step]) -> Option<u32> {
    let of = |command: &Vec<String>| command.iter().skip_while(|word| *word != "PX").nth(1)?.parse().ok();
    let is_taken = |step: &&Step| step.reply.as_deref().is_some_and(|reply| reply != "(nil)");
    steps.iter().rev().filter(is_taken).find_map(|step| step.call.commands.iter().find_map(of))
}

/// Whether more have been told that they won than there is, or one user twice.
fn is_too_many(play: &Play, steps: &[Step]) -> bool {
    let user = |step: &Step| user_of(&play.users, step.letter);
    let winners: Vec<Option<char>> = steps.iter().filter(|step| step.told == Some(Told::Won)).map(user).collect();
    let latest = winners.last().copied();
    winners.len() > play.stock as usize || winners.iter().filter(|user| Some(**user) == latest).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::player::event::tests::step;
    use model::lab::trace::Form;

    #[test]
    fn who_gets_one_too_many_is_harm() {
        let play = |stock, users: &str| Play {
            strategy: "script".to_owned(),
            stock,
            users: users.to_owned(),
            schedule: String::new(),
        };
        let won = |letter| Step { told: Some(Told::Won), ..step(letter, Form::Script, "EVALSHA x", "1") };
        assert!(!is_too_many(&play(1, "12"), &[won('1')]));
        assert!(is_too_many(&play(1, "12"), &[won('1'), won('2')]));
        assert!(is_too_many(&play(2, "11"), &[won('1'), won('2')]), "one user twice");
        assert!(!is_too_many(&play(2, "12"), &[won('1'), won('2')]));
    }
}
