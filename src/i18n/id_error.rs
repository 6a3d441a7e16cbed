//! What a form says of an invalid id, whatever it is the id of.

/// The sentence in a language. A literal, so that `concat!` can add to it.
macro_rules! id_error {
    (en) => {
        "Use 1 to 64 printable characters, at most 21 if Chinese."
    };
    (zh) => {
        "请填写 1 至 64 个可见字符，汉字最多 21 个。"
    };
}

pub(crate) use id_error;
