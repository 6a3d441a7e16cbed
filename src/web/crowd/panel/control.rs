//! The control that starts and stops the crowd of a sale, from anywhere on the page.

use crate::{
    components::{FormErrors, FormMemory, keep_in_tab, use_form_memory},
    crowd::{
        api::{StartRequest, StopRequest},
        panel::{CrowdKindForm, Newest},
        preset::{Preset, Settings},
        words::words,
    },
    live::event_stream::Connection,
};
use futures::future::BoxFuture;
use leptos::{html, prelude::*};
use model::{crowd::Status, error::Result};

/// The crowd of one sale: its state, and the actions that start and stop one.
#[derive(Clone, Copy)]
pub struct CrowdControl {
    /// The latest crowd at the sale, from the live view; anybody may have started it.
    pub status: Signal<Option<Status>>,
    /// The state of the live view's connection.
    pub connection: Signal<Connection>,
    /// The specifics of the kind of sale.
    pub form: CrowdKindForm,
    /// The instant under the reader's pointer on a chart of the page, in epoch milliseconds.
    pub pointer: RwSignal<Option<f64>>,
    /// The errors of the latest start or stop.
    pub errors: FormErrors,
    /// The reason why nothing is left to get at the sale.
    pub ended: Signal<Option<&'static str>>,
    /// The index of the chosen preset among [`CrowdControl::presets`].
    pub chosen: RwSignal<usize>,
    /// The settings that were typed over those of the preset.
    pub typed: FormMemory,
    /// The number of items that are left; `None` if there is no limit.
    left: Signal<Option<u64>>,
    presets: StoredValue<Vec<Preset>>,
    /// The id of the sale.
    pub sale: StoredValue<String>,
    /// The newest users at the sale.
    pub newest: Signal<Newest>,
    start: ServerAction<StartRequest>,
    /// The sale has not opened yet.
    is_scheduled: Signal<bool>,
    start_fresh: Action<FreshStart, Result<String>>,
    stop: ServerAction<StopRequest>,
}

/// Opens another sale on the same terms, at once or in so many seconds, and returns its id.
pub type OpenFresh = Callback<Option<u64>, BoxFuture<'static, Result<String>>>;

/// A crowd at a fresh sale: its settings, its seed, and in how many seconds the sale opens.
type FreshStart = (Settings, Option<u64>, Option<u64>);

/// The sale of a crowd.
pub struct CrowdSale {
    /// The id.
    pub id: String,
    /// The number of items in all.
    pub total: u64,
    /// The number of items left; `None` without a limit.
    pub left: Signal<Option<u64>>,
    /// The reason why nobody can get anything any more.
    pub ended: Signal<Option<&'static str>>,
    /// The sale has not opened yet.
    pub is_scheduled: Signal<bool>,
    /// Opens another sale on the same terms.
    pub open_fresh: OpenFresh,
    /// The newest users, from the live view.
    pub newest: Signal<Newest>,
}

impl CrowdControl {
    /// Makes the control of the crowd at a sale.
    pub fn new(
        sale: CrowdSale,
        status: Signal<Option<Status>>,
        connection: Signal<Connection>,
        form: CrowdKindForm,
    ) -> Self {
        let CrowdSale { id: sale, total, left, ended, is_scheduled, open_fresh, newest } = sale;
        let start_fresh = Action::new(move |(settings, seed, opens_in_s): &FreshStart| {
            let (settings, seed, opens_in_s) = (settings.clone(), *seed, *opens_in_s);
            async move {
                let sale = open_fresh.run(opens_in_s).await?;
                settings.start(form.kind, sale.clone(), seed).await?;
                Ok(sale)
            }
        });
        let (start, stop) = (ServerAction::new(), ServerAction::new());
        let errors = FormErrors::default();
        errors.follow(start.into());
        errors.follow(start_fresh);
        errors.follow(stop.into());
        let presets = StoredValue::new((form.presets)(total));
        let typed = use_form_memory(format!("crowd-form:{}:{sale}", form.kind));
        let pointer = RwSignal::new(None);
        let (chosen, sale) = (RwSignal::new(0), StoredValue::new(sale));
        Self {
            status,
            connection,
            form,
            pointer,
            errors,
            ended,
            chosen,
            typed,
            left,
            presets,
            sale,
            newest,
            start,
            is_scheduled,
            start_fresh,
            stop,
        }
    }

    /// Returns a part of the status, or its default while there is no status.
    pub fn read<T: Default>(self, read: impl FnOnce(&Status) -> T) -> T {
        self.status.with(|status| status.as_ref().map(read).unwrap_or_default())
    }

    /// Returns whether there has been a crowd at the sale.
    pub fn has_run(self) -> bool {
        self.status.with(Option::is_some)
    }

    /// Returns whether a crowd is at the sale.
    pub fn is_running(self) -> bool {
        self.read(|status| !status.phase.is_over())
    }

    /// Returns whether the sale is open, but a crowd that is started now would find nothing left.
    pub fn is_in_vain(self) -> bool {
        self.left.get() == Some(0) && self.ended.with(Option::is_none) && !self.is_running()
    }

    /// Returns whether a crowd that is started now gets a fresh sale: nothing is left at this one, or the crowd is to wait
    /// for a start.
    fn wants_fresh(self) -> bool {
        let waits = self.preset().opens_in_s.is_some() && !self.is_scheduled.get();
        self.is_in_vain() || (waits && !self.is_running())
    }

    /// Returns whether a crowd can be started now, unless one is running already.
    pub fn is_startable(self) -> bool {
        !self.connection.get().is_broken() && self.ended.with(Option::is_none)
    }

    /// Returns whether a running crowd can be stopped. That does not need Redis: the server that runs it stops it.
    pub fn is_stoppable(self) -> bool {
        !matches!(self.connection.get(), Connection::Silent | Connection::Lost)
    }

    /// Returns whether a start or a stop is on its way.
    pub fn is_pending(self) -> bool {
        self.start.pending().get() || self.start_fresh.pending().get() || self.stop.pending().get()
    }

    /// Returns whether a stop is on its way.
    pub fn is_stopping(self) -> Memo<bool> {
        self.stop.pending()
    }

    /// Returns the presets for this sale.
    pub fn presets(self) -> Vec<Preset> {
        self.presets.get_value()
    }

    /// Returns the chosen preset.
    pub fn preset(self) -> Preset {
        let chosen = self.chosen.get();
        self.presets.with_value(|presets| presets[chosen].clone())
    }

    /// Chooses a preset, whose settings replace the typed ones.
    pub fn choose(self, preset: usize) {
        self.typed.forget();
        self.errors.clear();
        self.chosen.set(preset);
    }

    /// Keeps the chosen preset, and the visibility of all settings, as long as the tab is open.
    pub fn keep_in_tab(self, settings: NodeRef<html::Details>, are_shown: Signal<bool>) {
        let key = self.sale.with_value(|sale| format!("crowd:{}:{sale}", self.form.kind));
        keep_in_tab(
            key,
            move || (self.chosen.get(), are_shown.get()),
            move |(preset, were_shown)| {
                if preset != self.chosen.get() && self.presets.with_value(|presets| preset < presets.len()) {
                    self.chosen.set(preset);
                }
                if let Some(settings) = settings.get().filter(|_| were_shown) {
                    settings.set_open(true);
                }
            },
        );
    }

    /// Returns the sale that was opened for the latest crowd, as nothing was left at this one.
    pub fn fresh_sale(self) -> Option<String> {
        self.start_fresh.value().get()?.ok()
    }

    /// Starts a crowd with these settings; without a seed, the server draws one. If nothing is left, opens a fresh sale
    /// on the same terms and starts the crowd there.
    pub fn start(self, settings: Settings, seed: Option<u64>) {
        if untrack(|| !self.is_startable() || self.is_running() || self.is_pending()) {
            return;
        }
        self.errors.clear();
        if untrack(|| self.wants_fresh()) {
            let opens_in_s = untrack(|| self.preset().opens_in_s);
            self.start_fresh.dispatch((settings, seed, opens_in_s));
        } else {
            self.start.dispatch(settings.request(self.form.kind, self.sale.get_value(), seed));
        }
    }

    /// Returns the label of the button that starts a crowd.
    pub fn start_label(self) -> &'static str {
        if self.wants_fresh() { words().let_loose_fresh } else { words().let_loose }
    }

    /// Starts a crowd with the settings in the form, or those of the preset if there is no form.
    pub fn start_as_set(self) {
        match self.typed.form.get_untracked() {
            Some(form) => _ = form.request_submit(),
            None => self.start(untrack(|| self.preset().settings), None),
        }
    }

    /// Starts a crowd as large and as fast as the latest, whose users want the same.
    pub fn start_again(self) {
        if let Some(config) = self.status.with_untracked(|status| status.as_ref().map(|status| status.config.clone())) {
            let seed = config.seed;
            self.start(config.into(), Some(seed));
        }
    }

    /// Stops the crowd.
    pub fn stop(self) {
        if untrack(|| self.is_stoppable() && self.is_running() && !self.is_stopping().get()) {
            self.errors.clear();
            self.stop.dispatch(StopRequest { run: untrack(|| self.read(|status| status.run.clone())) });
        }
    }
}
