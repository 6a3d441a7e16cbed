//! The texts of the runs that are over.

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text.
    pub struct Words {
        /// How many are kept.
        kept: fn(String) -> String =
            |most| format!("The newest {most} are kept."),
            |most| format!("保留最近 {most} 次。");
        started = "Started", "开始时间";
        older = "Older runs", "更早的记录";
        compare = "Compare", "对比";
        chosen = "Chosen", "已选";
        choose_another = "Choose another run to compare it with.", "再选一次进行对比。";
        comparison = "Two runs side by side", "两次运行对比";
        first = "First", "第一次";
        second = "Second", "第二次";
        change = "Change", "变化";
        /// The curves of both, over each other.
        curves = "Attempts answered", "已答复的请求";
        end_comparison = "End comparison", "结束对比";
        not_kept = "This link names a run that is no longer kept.", "链接中的某次记录已不再保留。";
    }
}
