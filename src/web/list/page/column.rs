//! The columns of the table.

use model::list::Column;

/// Returns the class of a column's cells: narrow pages leave some columns out.
pub fn class_of(column: Column) -> &'static str {
    match column {
        Column::Sale => "sale",
        Column::Kind => "kind",
        Column::State => "state",
        Column::Left => "left figure",
        Column::Total => "items figure",
        Column::Given => "given figure",
        Column::OpenedAt => "opened",
    }
}
