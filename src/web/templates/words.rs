//! The texts of templates.

use crate::i18n::FieldWords;

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        title = "Templates", "模板";
        none = "No templates yet.", "还没有模板。";
        /// The name of a button; takes the name of the template.
        fill: fn(&str) -> String = |name| format!("Fill in {name}"), |name| format!("填入“{name}”");
        filled: fn(&str) -> String = |name| format!("Filled in: {name}"), |name| format!("已填入：{name}");
        delete = "Delete", "删除";
        delete_question: fn(&str) -> String = |name| format!("Delete {name}?"), |name| format!("删除“{name}”？");
        delete_yes = "Yes, delete it", "是，删除";
        keep = "Keep it", "保留";
        name: FieldWords {
            label = "Template name", "模板名称";
            hint = "Saves what the form holds, but for the ID; one with this name is replaced", "保存表单内容（不含编号）；同名模板会被替换";
            error = "Enter 1 to 64 bytes of visible characters.", "请填写 1 至 64 字节的可见字符。";
        };
        save = "Save as template", "存为模板";
        saved = "Saved.", "已保存。";
    }
}
