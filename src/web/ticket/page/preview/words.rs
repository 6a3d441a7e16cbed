//! The texts of the preview of a layout.

use crate::components::format::counted;

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
    pub struct Words {
        title = "Layout preview", "布局预览";
        intro =
            "Paste the layout of a hall, or choose a file. It is drawn here, and its mistakes are listed. Nothing is \
             sent or opened.",
            "粘贴场馆布局，或选择文件。布局会在此绘出，并列出其中的错误。不会发送或创建任何内容。";
        layout = "Layout (JSON or CSV)", "布局（JSON 或 CSV）";
        layout_hint =
            "JSON as for /api/ticket/open, or CSV with one line for each row or seat.",
            "JSON 与 /api/ticket/open 相同；CSV 每排或每座一行。";
        file = "Or choose a file", "或选择文件";
        example = "Insert an example", "填入示例";
        without_script = "The preview needs JavaScript.", "预览需要 JavaScript。";
        empty = "No layout yet.", "尚无布局。";
        /// How many.
        mistakes: fn(u64) -> String =
            |number| counted(number, "mistake", "mistakes"),
            |number| format!("{number} 处错误");
        no_mistakes = "No mistakes.", "没有错误。";
        mistakes_title = "Mistakes", "错误";
        /// How many are not shown.
        more_mistakes: fn(String) -> String =
            |number| format!("And {number} more."),
            |number| format!("另有 {number} 处错误。");
        line: fn(String) -> String =
            |line| format!("Line {line}"),
            |line| format!("第 {line} 行");
        totals = "Seats by category", "各票价区座位数";
        category = "Category", "票价区";
        all = "Seats", "座位";
        for_sale = "For sale", "可售";
        sum = "All", "合计";
        open = "Open a sale with this layout", "用此布局创建活动";
    }
}
