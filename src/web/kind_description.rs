//! All kinds' parts of the API description.

use crate::KINDS;
use crate::{
    closing, explain,
    kind::KindDescription,
    life, list, notes,
    openapi::{Group, MakeSchema},
    templates,
};
use model::KindInfo;
use serde_json::{Map, Value};

/// The endpoints of all kinds, and the parts of each kind in other modules' descriptions.
pub struct SalesDescription {
    /// The endpoints of each kind, then those of sales of any kind.
    pub groups: Vec<Group>,
    /// The schema of each kind's snapshots, as in its live view.
    pub snapshots: Vec<(&'static KindInfo, MakeSchema)>,
    /// The fields of a crowd's request for the behavior of users, by kind.
    pub behavior: Vec<(&'static KindInfo, Map<String, Value>)>,
}

/// Collects the descriptions of all registered kinds.
pub fn description() -> SalesDescription {
    let (mut groups, mut snapshots, mut behavior, mut summaries) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for kind in KINDS {
        let KindDescription { group, snapshot, summary, behavior: fields } = (kind.description)();
        groups.push(group);
        snapshots.push((kind.info, snapshot));
        behavior.push((kind.info, fields));
        summaries.push((kind.info.id, summary));
    }
    let mut endpoints = vec![list::description::endpoint(summaries)];
    endpoints.extend(life::description::endpoints());
    endpoints.extend(closing::description::endpoints());
    endpoints.extend(notes::description::endpoints());
    endpoints.extend(templates::description::endpoints());
    endpoints.push(explain::description::endpoint());
    groups.push(Group {
        name: "Sales",
        description: "Sales of every kind: the list, pausing, rescheduling and describing one, closing one early, and \
                      archiving one that is over. A sale that is closed, past its end, or expired and refunded can be \
                      archived; it is removed from Redis, and its history stays in the ledger. Notes on a sale stay with \
                      it. Templates keep what the forms that open sales hold. An attempt is explained at a copy of the \
                      sale, command by command."
            .to_owned(),
        endpoints,
    });
    SalesDescription { groups, snapshots, behavior }
}
