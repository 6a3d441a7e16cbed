//! The texts of notes.

use crate::i18n::FieldWords;

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        title = "Notes", "备注";
        none = "No notes yet.", "还没有备注。";
        field: FieldWords {
            label = "Note", "备注内容";
            hint = "Whoever opens this page can read it", "打开此页的人都能看到";
            error = "Enter 1 to 500 printable characters.", "请填写 1 至 500 个可见字符。";
        };
        add = "Add note", "添加备注";
        added = "Added.", "已添加。";
    }
}
