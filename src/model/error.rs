//! The one error type that is sent to clients.
//!
//! A refusal (sold out, expired) is an outcome, not an error. An error says that a request was not carried out, or that
//! its outcome is unknown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server_fn::{
    Bytes, Encodes,
    codec::JsonEncoding,
    error::{FromServerFnError, ServerFnErrorErr},
};
use std::borrow::Cow;

/// The kind of an error, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ErrorCode")]
pub enum Code {
    /// The request cannot be understood or exceeds a documented limit; `field` names the field.
    BadRequest,
    /// The request came from a page of another site, or was for another host. Nothing was tried.
    Forbidden,
    /// No sale has this id.
    UnknownSale,
    /// The sale was archived: it was removed from Redis, and its history is in the ledger.
    SaleArchived,
    /// Redis has lost the sale, and the ledger still has it. Nothing can be tried until the sale is recovered.
    SaleLost,
    /// No order of the sale has this id.
    UnknownOrder,
    /// No crowd run has this id.
    UnknownRun,
    /// The id is taken by a sale that was opened on different terms.
    SaleExists,
    /// The sale is still being opened and does not accept attempts yet.
    SaleOpening,
    /// The sale cannot be archived yet: it is not closed, something is pending, or the ledger lags behind.
    NotArchivable,
    /// The request id was used by another user or for something else. Nothing was tried.
    RequestReused,
    /// A crowd is already running at this sale. Nothing was tried.
    CrowdRunning,
    /// A run of the lab is already in progress. Nothing was tried.
    LabRunning,
    /// The sales are on a cluster, and the lab has no Redis of its own. Nothing was tried.
    LabUnavailable,
    /// The server was started without `--faults`. Nothing was tried.
    FaultsDisabled,
    /// No incident of this server has this id.
    UnknownIncident,
    /// The same fault is already in progress. Nothing was tried.
    FaultActive,
    /// Too many attempts wait, Redis is full, or a recovery is in progress. Nothing was tried; the request may be sent
    /// again.
    Busy,
    /// Redis did not answer. The outcome is unknown; the same request id may be sent again.
    Unavailable,
    /// Redis refused the call: it is read-only, cannot write or forbids it. Nothing was tried.
    StoreRefused,
    /// The ledger did not answer. Sales continue without it.
    LedgerUnavailable,
    /// Redis has lost part of the sale. It accepts no attempts until it is recovered from the ledger.
    SaleSuspended,
    /// The network between browser and server failed, so the outcome is unknown. No server sends this code.
    #[schemars(skip)]
    Network,
    /// The browser cannot read the answer, so the outcome is unknown: it comes from a server of another version, or from a
    /// proxy in between. No server sends this code.
    #[schemars(skip)]
    Unreadable,
    /// A fault of the server.
    Internal,
}

impl Code {
    /// The HTTP status that carries this code.
    pub fn status(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Forbidden | Self::FaultsDisabled => 403,
            Self::UnknownSale | Self::UnknownOrder | Self::UnknownRun | Self::UnknownIncident => 404,
            Self::SaleExists
            | Self::SaleOpening
            | Self::NotArchivable
            | Self::RequestReused
            | Self::CrowdRunning
            | Self::LabRunning
            | Self::FaultActive => 409,
            Self::SaleArchived => 410,
            Self::Busy
            | Self::Unavailable
            | Self::StoreRefused
            | Self::LedgerUnavailable
            | Self::LabUnavailable
            | Self::SaleSuspended
            | Self::SaleLost
            | Self::Network
            | Self::Unreadable => 503,
            Self::Internal => 500,
        }
    }

    /// Whether the outcome is unknown: the request may have been carried out nevertheless.
    pub fn is_outcome_unknown(self) -> bool {
        matches!(self, Self::Unavailable | Self::Network | Self::Unreadable | Self::Internal)
    }

    /// Whether the sale is missing in Redis: it never existed, was archived or was lost.
    pub fn is_sale_gone(self) -> bool {
        matches!(self, Self::UnknownSale | Self::SaleArchived | Self::SaleLost)
    }
}

/// A request that was not carried out, or whose outcome is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, JsonSchema)]
#[error("{message}")]
#[serde(from = "Wire", into = "Wire")]
pub struct Error {
    /// The kind of the error, for programs.
    pub code: Code,
    /// One English sentence that names the next step.
    pub message: String,
    /// The field of the request that is at fault, if there is one. A nested field has a path such as
    /// `layout.sections[0].rows`.
    pub field: Option<String>,
    /// The id under which an attempt may be sent again if its outcome is unknown.
    pub request_id: Option<String>,
    /// The fields at fault beside `field`.
    pub further: Vec<FieldError>,
}

/// A field of a request that is at fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldError {
    /// The field.
    pub field: String,
    /// One English sentence that names the next step.
    pub message: String,
}

/// The result of every operation that can fail with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error that concerns no particular field.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), field: None, request_id: None, further: Vec::new() }
    }

    /// An error that concerns a field.
    pub fn of_field(code: Code, field: &str, message: impl Into<String>) -> Self {
        Self { field: Some(field.to_owned()), ..Self::new(code, message) }
    }

    /// `internal`: a fault of the server. `why` goes to the log, as it is not meant for clients.
    pub fn internal(why: impl std::fmt::Display) -> Self {
        tracing::error!(%why, "a fault of the server");
        Self::new(Code::Internal, "Something went wrong in the server; its log says what.")
    }

    /// `bad_request`: `field` exceeds a documented limit.
    pub fn bad(field: &str, message: impl Into<String>) -> Self {
        Self::of_field(Code::BadRequest, field, message)
    }

    /// `bad_request`: the endpoint does not accept the body or a part of it. `why` is the message of serde.
    pub fn unexpected_json(why: &str) -> Self {
        let why = why.trim_end_matches('.');
        let message = format!("The request body is not the JSON that this endpoint expects: {why}.");
        Self { field: named_field(why), ..Self::new(Code::BadRequest, message) }
    }

    /// One error for each field at fault.
    pub fn each(mut self) -> impl Iterator<Item = Self> {
        let further = std::mem::take(&mut self.further);
        std::iter::once(self).chain(further.into_iter().map(|FieldError { field, message }| Self::bad(&field, message)))
    }

    /// The first of these errors, with the fields of the others.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn joined(errors: Vec<Self>) -> Self {
        let mut errors = errors.into_iter();
        let first = errors.next().expect("there is an error");
        let of_field = |Self { field, message, .. }: Self| Some(FieldError { field: field?, message });
        Self { further: errors.filter_map(of_field).collect(), ..first }
    }

    /// `bad_request`: no kind of sale has this id. The message lists the `known` ids.
    pub fn unknown_kind<'a>(kind: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        Self::bad("kind", format!("There is no kind of sale \"{kind}\"; the kinds are: {}.", known.join(", ")))
    }

    /// `sale_exists`: a sale that was opened on other terms has the id.
    pub fn sale_exists(sale: &str) -> Self {
        Self::of_field(
            Code::SaleExists,
            "id",
            format!("The id \"{sale}\" is taken by a sale on different terms; choose another."),
        )
    }

    /// `sale_opening`: the sale does not accept attempts yet.
    pub fn sale_opening(sale: &str) -> Self {
        Self::new(
            Code::SaleOpening,
            format!(
                "The sale \"{sale}\" is being prepared: not all of its packets or lists are uploaded yet. Try again once they are."
            ),
        )
    }

    /// `sale_suspended`: the sale must be recovered first.
    pub fn sale_suspended(sale: &str) -> Self {
        Self::new(
            Code::SaleSuspended,
            format!(
                "The sale \"{sale}\" is suspended: Redis has lost part of it, or part of it cannot be read. Nothing was \
                 tried; run `stampede recover {}`.",
                shell_word(sale)
            ),
        )
    }

    /// `sale_lost`: the sale must be recovered first.
    pub fn sale_lost(sale: &str) -> Self {
        Self::of_field(
            Code::SaleLost,
            "sale",
            format!(
                "Redis has lost the sale \"{sale}\", which the ledger still has. Nothing was tried; run `stampede \
                 recover {}`.",
                shell_word(sale)
            ),
        )
    }

    /// `sale_archived`: the sale is only in the ledger.
    pub fn sale_archived(sale: &str) -> Self {
        Self::of_field(
            Code::SaleArchived,
            "sale",
            format!("The sale \"{sale}\" was archived; its history is in the ledger."),
        )
    }

    /// `unknown_sale`: no sale has this id.
    pub fn unknown_sale(sale: &str) -> Self {
        Self::of_field(
            Code::UnknownSale,
            "sale",
            format!("There is no sale \"{sale}\". Open it first, or check the id."),
        )
    }
}

/// An id as a word of a shell command, quoted if the shell would otherwise misread it.
pub fn shell_word(id: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:/@%+".contains(&byte);
    if !id.is_empty() && !id.starts_with('-') && id.bytes().all(is_plain) {
        return id.into();
    }
    // After `--`, a command takes no word for an option.
    let dashes = if id.starts_with('-') { "-- " } else { "" };
    format!("{dashes}'{}'", id.replace('\'', r"'\''")).into()
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Wire {
    error: Body,
    /// Every field at fault, that of `error` first; left out unless there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldError>,
}

/// The body of an error.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ErrorBody")]
struct Body {
    /// The kind of the error, for programs.
    code: Code,
    /// One English sentence that names the next step.
    message: String,
    /// The field of the request that is at fault, if there is one.
    field: Option<String>,
    /// The id of an attempt of which nobody knows what came; left out of other errors. Sent again under it, the attempt is
    /// made once, and gets its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
}

impl From<Wire> for Error {
    fn from(Wire { error: Body { code, message, field, request_id }, errors }: Wire) -> Self {
        Self { code, message, field, request_id, further: errors.into_iter().skip(1).collect() }
    }
}

impl From<Error> for Wire {
    fn from(Error { code, message, field, request_id, further }: Error) -> Self {
        let first = field.clone().filter(|_| !further.is_empty());
        let first = first.map(|field| FieldError { field, message: message.clone() });
        let errors = first.into_iter().chain(further).collect();
        Self { error: Body { code, message, field, request_id }, errors }
    }
}

impl FromServerFnError for Error {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        use ServerFnErrorErr as E;
        match error {
            E::Deserialization(why) if cfg!(target_family = "wasm") => Self::new(
                Code::Unreadable,
                format!("The answer cannot be read ({why}). The outcome is unknown; try again."),
            ),
            // The body was not the JSON that this endpoint expects; `why` is serde's message.
            E::Deserialization(why) | E::Args(why) | E::MissingArg(why) => Self::unexpected_json(&why),
            E::Request(why) => Self::new(
                Code::Network,
                format!("The server could not be reached ({why}). The outcome is unknown; try again."),
            ),
            other => Self::internal(other),
        }
    }

    fn ser(&self) -> Bytes {
        JsonEncoding::encode(self).expect("an error has nothing that JSON cannot hold")
    }
}

/// The field that a serde message names in backticks: "missing field `sale` at line 1".
fn named_field(why: &str) -> Option<String> {
    let (_, rest) = why.split_once("field `")?;
    rest.split_once('`').map(|(name, _)| name.to_owned())
}

/// The error as a response of the JSON API.
#[cfg(not(target_family = "wasm"))]
impl axum_core::response::IntoResponse for Error {
    fn into_response(self) -> axum_core::response::Response {
        let status = http::StatusCode::from_u16(self.code.status()).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
        (status, [(http::header::CONTENT_TYPE, <JsonEncoding as server_fn::ContentType>::CONTENT_TYPE)], self.ser())
            .into_response()
    }
}
