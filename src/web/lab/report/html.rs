//! A run as a self-contained page: styles and charts are included, no script is needed, and it prints well.

use crate::{
    components::{Definition, utc},
    i18n::lang,
    lab::{
        results::{ResultCharts, ResultTable, settings_line},
        words::words,
    },
};
use leptos::prelude::*;
use model::lab::run::Run;

/// The pages' styles of colours, tables and charts, and those of reports alone.
const STYLE: &str = concat!(
    "@layer tokens, parts;\n",
    include_str!("../../../../style/tokens.css"),
    include_str!("../../../../style/tables.css"),
    include_str!("../../../../style/lab.css"),
    include_str!("../../crowd/runs/report.css")
);
/// Nothing is loaded, and no script runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page, in the language of the context.
pub fn write(run: Run) -> String {
    let words = words();
    let (figures, settings) = (Signal::stored(run.strategies), Signal::stored(run.settings));
    view! {
        <!DOCTYPE html>
        <html lang=lang().tag()>
            <head>
                <meta charset="utf-8" />
                <meta http-equiv="Content-Security-Policy" content=POLICY />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <title>{words.title}</title>
                <style inner_html=STYLE></style>
            </head>
            <body>
                <main>
                    <header>
                        <h1>{words.title}</h1>
                        <p>{settings.with(settings_line)}</p>
                        <dl class="terms">
                            <Definition term=words.started>{utc(run.started_at)}</Definition>
                            <Definition term=(words.phase)(run.phase)>
                                <code>{run.run}</code>
                            </Definition>
                        </dl>
                        {run.reason.map(|reason| view! { <p>{reason}</p> })}
                    </header>
                    <section>
                        <h2>{words.results}</h2>
                        <ResultTable figures settings />
                    </section>
                    <ResultCharts figures />
                </main>
            </body>
        </html>
    }
    .to_html()
}
