//! Claims a minute, as a chart and as a table. Of a crowd, which is over in seconds, the chart shows the claims a second
//! instead, and keeps them on the page that has seen it run.

use crate::{
    components::{
        Bars, ChartTable, Mean,
        axis::{Unit, instants, number, per},
        format::count,
        use_minutes,
    },
    coupon::{page::Sale, words::words},
    crowd::panel::{AnswerRate, CrowdControl},
    i18n,
};
use leptos::{either::Either, prelude::*};
use model::{
    Millis,
    coupon::{MINUTES, Minute},
};

const MINUTE: Millis = 60_000;

/// The last hour, or the latest crowd.
#[component]
pub fn Claims(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The crowd of the sale.
    crowd: CrowdControl,
) -> impl IntoView {
    let words = words();
    let minutes = Memo::new(move |_| sale.read(|sale| whole(&sale.minutes)));
    let seen = Memo::new(move |before: Option<&Option<String>>| {
        crowd.status.with(|crowd| {
            let crowd = crowd.as_ref()?;
            let was_seen = before.is_some_and(|before| before.as_ref() == Some(&crowd.run));
            (was_seen || !crowd.phase.is_over()).then(|| crowd.run.clone())
        })
    });
    let is_crowd = Memo::new(move |_| seen.with(Option::is_some));
    let chart = move || {
        if is_crowd.get() {
            Either::Left(view! { <AnswerRate crowd answer="won" title=words.by_crowd /> })
        } else {
            Either::Right(view! { <ClaimsPerMinute minutes /> })
        }
    };
    let head = move || {
        view! {
            <th scope="col">{i18n::words().time}</th>
            <th scope="col" class="figure">
                {words.claimed}
            </th>
        }
    };
    let clock = use_minutes();
    let row = move |minute: Minute| {
        view! {
            <tr>
                <td>{move || clock(minute.at)}</td>
                <td class="figure">{count(minute.claims)}</td>
            </tr>
        }
    };
    let rows =
        move || minutes.with(|minutes| minutes.iter().filter(|minute| minute.claims > 0).copied().collect::<Vec<_>>());
    view! {
        <figure class="claims">
            {chart}
            <ChartTable head rows key=|minute| (minute.at, minute.claims) row />
        </figure>
    }
}

/// A bar for each minute of the last hour.
#[component]
fn ClaimsPerMinute(
    /// All minutes of the hour, or none.
    minutes: Memo<Vec<Minute>>,
) -> impl IntoView {
    let words = words();
    let claims = Memo::new(move |_| {
        let mut claims: Vec<u64> = minutes.with(|minutes| minutes.iter().map(|minute| minute.claims).collect());
        claims.resize(MINUTES, 0);
        claims
    });
    let clock = use_minutes();
    let times = Signal::derive(move || {
        let Some(first) = minutes.with(|minutes| minutes.first().map(|first| first.at as f64)) else {
            return Vec::new();
        };
        let hour = (MINUTES as Millis * MINUTE) as f64;
        let label = |at: f64| ((at - first) / hour, clock(at as Millis));
        instants(first, first + hour).into_iter().map(label).collect()
    });
    let mean = Memo::new(move |_| minutes.with(|minutes| mean_of(minutes)));
    let key = move |mean| {
        let text = (words.mean)(format!("{}{}", number(mean), per(MINUTE as u64)));
        view! { <span class="key mean">{text}</span> }
    };
    view! {
        <figcaption>{words.per_minute} {move || mean.get().map(key)}</figcaption>
        <Bars
            values=claims
            unit=Unit::Per(MINUTE as u64)
            below=times
            mean=Signal::derive(move || mean.get().map(Mean::Figure))
            empty=words.no_claims
        />
    }
}

/// Claims a minute, from the first minute that has any.
fn mean_of(minutes: &[Minute]) -> Option<f64> {
    let first = minutes.iter().position(|minute| minute.claims > 0)?;
    let claims: Vec<u64> = minutes[first..].iter().map(|minute| minute.claims).collect();
    Some(claims.iter().sum::<u64>() as f64 / claims.len() as f64)
}

/// All minutes of the hour that ends with the newest, those without claims included.
fn whole(minutes: &[Minute]) -> Vec<Minute> {
    let Some(newest) = minutes.last() else { return Vec::new() };
    let first = newest.at - (MINUTES as Millis - 1) * MINUTE;
    let claims = |at: Millis| minutes.iter().find(|minute| minute.at == at).map_or(0, |minute| minute.claims);
    (0..MINUTES as Millis).map(|nth| first + nth * MINUTE).map(|at| Minute { at, claims: claims(at) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_has_all_of_its_minutes() {
        assert_eq!(whole(&[]), []);
        let hour = whole(&[Minute { at: 3 * MINUTE, claims: 7 }, Minute { at: 60 * MINUTE, claims: 1 }]);
        assert_eq!(
            (hour.len(), hour[0].at, hour[2], hour[59].claims),
            (60, MINUTE, Minute { at: 3 * MINUTE, claims: 7 }, 1)
        );
        assert_eq!(hour.iter().map(|minute| minute.claims).sum::<u64>(), 8);
    }

    #[test]
    fn the_mean_is_that_of_the_minutes_since_the_first_claim() {
        let minute = |nth, claims| Minute { at: nth * MINUTE, claims };
        assert_eq!(mean_of(&[minute(1, 0), minute(2, 6), minute(3, 0), minute(4, 3)]), Some(3.0));
        assert_eq!((mean_of(&[minute(1, 0)]), mean_of(&[])), (None, None));
    }
}
