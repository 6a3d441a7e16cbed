//! The texts around the description; the description itself is in English.

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        /// In the navigation, too.
        title = "API", "API";
        intro =
            "Every endpoint of this server, with its fields, limits, errors and examples.",
            "本服务器的全部接口：字段、限制、错误与示例。说明文字为英文。";
        document = "OpenAPI 3.1 document", "OpenAPI 3.1 文档";
        contents = "Endpoints", "接口";
        filter = "Words of the path or of the meaning", "按路径或英文说明筛选";
        found: fn(usize) -> String =
            |count| if count == 1 { "1 endpoint".to_owned() } else { format!("{count} endpoints") },
            |count| format!("{count} 个接口");
        request = "Request", "请求";
        field = "Field", "字段";
        kind = "Type", "类型";
        limits = "Limits", "限制";
        meaning = "Meaning", "说明";
        optional = "optional", "可选";
        no_fields = "No fields.", "无字段。";
        answer = "Answer", "响应";
        example = "Example", "示例";
        errors = "Errors", "错误";
        status = "Status", "状态码";
        code = "Code", "错误码";
        what_to_do = "What to do", "处理办法";
        given_by = "Given by", "出现于";
        by_every_endpoint = "every endpoint", "所有接口";
        server_limits = "Limits of the server", "服务器限制";
        types = "Types", "类型";
        types_intro = "The types of answers.", "响应中使用的类型。";
        fields_of = "With the fields of", "并包含以下类型的字段：";
    }
}
