//! The texts around the description; the description itself is in English.

use crate::i18n::by_lang;

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&EN, &ZH)
}

/// The catalogue.
pub struct Words {
    /// In the navigation, too.
    pub title: &'static str,
    pub intro: &'static str,
    pub document: &'static str,
    pub contents: &'static str,
    pub request: &'static str,
    pub field: &'static str,
    pub kind: &'static str,
    pub limits: &'static str,
    pub meaning: &'static str,
    pub optional: &'static str,
    pub no_fields: &'static str,
    pub answer: &'static str,
    pub example: &'static str,
    pub errors: &'static str,
    pub status: &'static str,
    pub code: &'static str,
    pub what_to_do: &'static str,
    pub given_by: &'static str,
    pub by_every_endpoint: &'static str,
    pub server_limits: &'static str,
    pub types: &'static str,
    pub types_intro: &'static str,
    pub fields_of: &'static str,
}

static EN: Words = Words {
    title: "API",
    intro: "Every endpoint of this server, with its fields, limits, errors and examples.",
    document: "OpenAPI 3.1 document",
    contents: "Endpoints",
    request: "Request",
    field: "Field",
    kind: "Type",
    limits: "Limits",
    meaning: "Meaning",
    optional: "optional",
    no_fields: "No fields.",
    answer: "Answer",
    example: "Example",
    errors: "Errors",
    status: "Status",
    code: "Code",
    what_to_do: "What to do",
    given_by: "Given by",
    by_every_endpoint: "every endpoint",
    server_limits: "Limits of the server",
    types: "Types",
    types_intro: "The types of answers.",
    fields_of: "With the fields of",
};

static ZH: Words = Words {
    title: "API",
    intro: "本服务器的全部接口：字段、限制、错误与示例。说明文字为英文。",
    document: "OpenAPI 3.1 文档",
    contents: "接口",
    request: "请求",
    field: "字段",
    kind: "类型",
    limits: "限制",
    meaning: "说明",
    optional: "可选",
    no_fields: "无字段。",
    answer: "响应",
    example: "示例",
    errors: "错误",
    status: "状态码",
    code: "错误码",
    what_to_do: "处理办法",
    given_by: "出现于",
    by_every_endpoint: "所有接口",
    server_limits: "服务器限制",
    types: "类型",
    types_intro: "响应中使用的类型。",
    fields_of: "并包含以下类型的字段：",
};
