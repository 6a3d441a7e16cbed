//! Simplified Chinese.

use super::Words;

pub static ZH: Words = Words {
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
