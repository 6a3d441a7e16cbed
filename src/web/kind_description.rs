//! What all kinds of sale add to the description of the API.

use crate::KINDS;
use crate::{
    closing, explain,
    kind::KindDescription,
    list,
    openapi::{Group, MakeSchema},
};
use model::KindInfo;
use serde_json::{Map, Value};

/// The endpoints of all kinds, and what other rooms say of each kind in the descriptions of theirs.
pub struct SalesDescription {
    /// Those of each kind, then those of sales of any kind.
    pub groups: Vec<Group>,
    /// The schema of the snapshots of each kind, which its live view sends.
    pub snapshots: Vec<(&'static KindInfo, MakeSchema)>,
    /// The fields of a crowd's request that say how its users behave, by kind.
    pub behavior: Vec<(&'static KindInfo, Map<String, Value>)>,
}

/// Asks every kind of the registry.
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
    endpoints.extend(closing::description::endpoints());
    endpoints.push(explain::description::endpoint());
    groups.push(Group {
        name: "Sales",
        description: "Sales of every kind: the list, closing one early, and archiving one that is over. A sale that is \
                      closed, or expired and refunded, can be archived; it is removed from Redis, and its history stays \
                      in the ledger. An attempt is explained at a copy of the sale, command by command."
            .to_owned(),
        endpoints,
    });
    SalesDescription { groups, snapshots, behavior }
}
