//! Summarises an error of a store: one line that says what to do, and whether the error is
//! temporary.

use std::error::Error;
use std::io;

use object_store::client::HttpError;

/// Codes in answers with status 400 which mean that the request was damaged in transit.
const DAMAGED: [&str; 4] =
    ["RequestTimeout", "IncompleteBody", "BadDigest", "XAmzContentSHA256Mismatch"];
/// Maximum length of a quotation from a store's own words, so that it fits on a line.
const WORDS: usize = 160;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cause {
    /// The reason, in one line.
    pub why: String,
    /// Whether repeating the request is useless.
    pub is_final: bool,
}

impl Cause {
    pub fn of(error: &object_store::Error) -> Cause {
        // The library exposes an answer's details only in its text.
        let text = error.to_string();
        // Without keys, the library assumes a cloud machine and asks its metadata service for some.
        if let Some(advice) = keyless(&text) {
            lack_of_keys(&text, error, advice)
        } else if let Some(answer) = Answer::read(&text) {
            answer.cause()
        } else if let Some(error) = find::<HttpError>(error) {
            silence(&text, error)
        } else if let Some(error) = find::<io::Error>(error) {
            let has_timed_out = error.kind() == io::ErrorKind::TimedOut;
            Cause::of_system(error, &if has_timed_out { error.to_string() } else { text })
        } else {
            use object_store::Error;
            let is_final = matches!(
                error,
                Error::PermissionDenied { .. }
                    | Error::Unauthenticated { .. }
                    | Error::NotSupported { .. }
                    | Error::NotImplemented { .. }
                    | Error::InvalidPath { .. }
                    | Error::UnknownConfigurationKey { .. }
            );
            Cause { why: line(&text), is_final }
        }
    }

    /// An error of the system, described in these words.
    pub fn of_system(error: &io::Error, words: &str) -> Cause {
        let is_final = matches!(
            error.kind(),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
        );
        Cause { why: line(words), is_final }
    }
}

/// Whether this object does not exist, as opposed to the bucket or the whole store.
pub(super) fn is_absent(error: &object_store::Error) -> bool {
    matches!(error, object_store::Error::NotFound { .. })
        && Answer::read(&error.to_string()).is_none_or(|answer| answer.lacks_object())
}

/// An answer of a store.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    status: u16,
    code: String,
    message: String,
}

impl Answer {
    /// Extracts an answer from the text of an error; `None` if the store did not answer.
    fn read(text: &str) -> Option<Answer> {
        if text.contains("redirect without LOCATION") {
            return Some(Answer { status: 301, code: String::new(), message: String::new() });
        }
        let (_, answer) = text.split_once("status code: ")?;
        let status = answer.get(..3)?.parse().ok()?;
        let (_, body) = answer.split_once(": ").unwrap_or_default();
        let code = element(body, "Code").unwrap_or_default();
        let words = || if code.is_empty() { line(body) } else { String::new() };
        let message = element(body, "Message").unwrap_or_else(words);
        Some(Answer { status, code, message })
    }

    /// An answer without a body does not say what is missing.
    fn lacks_object(&self) -> bool {
        self.code == "NoSuchKey" || (self.code.is_empty() && self.message.is_empty())
    }

    fn lacks_bucket(&self) -> bool {
        self.status == 404 && self.code == "NoSuchBucket"
    }

    fn is_of_another_region(&self) -> bool {
        matches!(self.status, 301 | 307 | 308) || self.code == "AuthorizationHeaderMalformed"
    }

    fn cause(&self) -> Cause {
        let Answer { status, code, message } = self;
        let is_final = match status {
            // Too slow, conflicting with another request, or too frequent.
            408 | 409 | 412 | 425 | 429 => false,
            400 => !DAMAGED.contains(&code.as_str()),
            300..=499 | 501 => true,
            _ => false,
        };
        let words: Vec<&str> =
            [code.as_str(), message].into_iter().filter(|text| !text.is_empty()).collect();
        let mut why = format!("it answers {status}");
        if !words.is_empty() {
            why = format!("{why} ({})", words.join(": "));
        }
        if let Some(advice) = self.advice() {
            why = format!("{why}: {advice}");
        }
        Cause { why, is_final }
    }

    fn advice(&self) -> Option<&'static str> {
        if self.lacks_bucket() {
            return Some("create the bucket, or correct the address and the endpoint");
        }
        if self.is_of_another_region() {
            return Some("say the bucket's region, as in AWS_REGION=eu-central-1");
        }
        match (self.status, self.code.as_str()) {
            (403, "RequestTimeTooSkewed") => Some("set the clock of this machine"),
            (403, "AccessDenied" | "AccessForbidden") => {
                Some("check what the credentials in the environment may do")
            }
            (401 | 403, _) | (400, "ExpiredToken" | "InvalidToken") => {
                Some("check the credentials in the environment, and what they may do")
            }
            (404, _) => Some("correct the address and the endpoint"),
            (501, _) => Some("this store lacks what runs need; use another one"),
            _ => None,
        }
    }
}

/// Nobody answered.
fn silence(text: &str, error: &HttpError) -> Cause {
    let asked = ["http://", "https://"].iter().find_map(|scheme| {
        let (_, rest) = text.split_once(scheme)?;
        let host = rest.split(['/', ' ', '?']).next()?;
        Some(format!("{scheme}{host}"))
    });
    let reason = line(&deepest(error).to_string());
    let whom = asked.unwrap_or_else(|| "the store".to_owned());
    let is_final = reason.contains("certificate");
    Cause { why: format!("no answer from {whom} ({reason})"), is_final }
}

/// The service that provides cloud machines with keys has provided none. If it says that there are
/// none, this is final; if it is busy or does not answer, it may have some the next time.
fn lack_of_keys(text: &str, error: &object_store::Error, advice: &str) -> Cause {
    let answer = Answer::read(text);
    let is_final = answer.as_ref().is_some_and(|answer| matches!(answer.status, 401 | 403 | 404));
    let reason = match answer {
        Some(Answer { status, .. }) => Some(format!("the cloud's own machine answers {status}")),
        None => find::<HttpError>(error).map(|error| silence(text, error).why),
    };
    let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
    Cause { why: format!("no credentials{reason}: {advice}"), is_final }
}

/// What is missing if the library asks a cloud's metadata service for keys.
fn keyless(text: &str) -> Option<&'static str> {
    if text.contains("/latest/api/token") || text.contains("/latest/meta-data/") {
        Some(
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, which are not read from the files in ~/.aws",
        )
    } else if text.contains("/computeMetadata/") {
        Some("set GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_SERVICE_ACCOUNT to the file of a key")
    } else {
        None
    }
}

/// The text of an XML element.
fn element(body: &str, name: &str) -> Option<String> {
    let (_, rest) = body.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    Some(line(text))
}

/// A text as a single line of limited length.
fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

fn deepest(error: &dyn Error) -> &dyn Error {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error
}

/// The first error of a kind among an error and its sources.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut error = Some(error);
    while let Some(found) = error {
        if let Some(found) = found.downcast_ref() {
            return Some(found);
        }
        error = found.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: &str, body: &str) -> Cause {
        let text = format!(
            "Generic S3 error: Error performing PUT http://host/b/k in 3ms - Server returned non-2xx status code: {status}: {body}"
        );
        Answer::read(&text).unwrap().cause()
    }

    #[test]
    fn answers_are_told_in_a_line_with_what_to_do() {
        let body = "<?xml version=\"1.0\"?>\n<Error>\n <Code>NoSuchBucket</Code>\n <Message>The specified\nbucket does not exist</Message></Error>";
        let Cause { why, is_final } = answered("404 Not Found", body);
        assert!(is_final);
        assert_eq!(
            why,
            "it answers 404 (NoSuchBucket: The specified bucket does not exist): create the bucket, or correct the address and the endpoint"
        );
        let plain = answered("502 Bad Gateway", &"<html> upstream ".repeat(100));
        assert!(!plain.is_final && plain.why.starts_with("it answers 502 (<html> upstream"));
        assert!(plain.why.len() < 200, "{}", plain.why);
        assert_eq!(answered("503 Service Unavailable", "").why, "it answers 503");
    }

    #[test]
    fn an_answer_that_is_no_stores_does_not_mean_that_an_object_is_absent() {
        let not_found = |body: &str| object_store::Error::NotFound {
            path: "run.toml".to_owned(),
            source: format!("Server returned non-2xx status code: 404 Not Found: {body}").into(),
        };
        for absent in ["", "<Error><Code>NoSuchKey</Code><Message>no</Message></Error>"] {
            assert!(is_absent(&not_found(absent)), "{absent}");
        }
        for other in ["<Error><Code>NoSuchBucket</Code></Error>", "<html>not here</html>"] {
            assert!(!is_absent(&not_found(other)), "{other}");
        }
    }

    #[test]
    fn who_has_no_keys_is_told_which_to_set() {
        for (url, variable) in [
            ("http://169.254.169.254/latest/api/token", "AWS_ACCESS_KEY_ID"),
            ("http://metadata.google.internal/computeMetadata/v1/x", "GOOGLE_SERVICE_ACCOUNT"),
        ] {
            for (what, says_so) in [
                ("HTTP error: error sending request", false),
                ("Server returned non-2xx status code: 503 Service Unavailable: ", false),
                ("Server returned non-2xx status code: 429 Too Many Requests: ", false),
                ("Server returned non-2xx status code: 404 Not Found: ", true),
                ("Server returned non-2xx status code: 403 Forbidden: ", true),
                ("Server returned non-2xx status code: 401 Unauthorized: ", true),
            ] {
                let text = format!("Error performing PUT {url} in 1s - {what}");
                let error = object_store::Error::Generic { store: "S3", source: text.into() };
                let Cause { why, is_final } = Cause::of(&error);
                assert_eq!(is_final, says_so, "{what}");
                assert!(why.starts_with("no credentials") && why.contains(variable), "{why}");
            }
        }
    }

    #[test]
    fn only_what_may_pass_is_worth_repeating() {
        let code = |code: &str| format!("<Error><Code>{code}</Code></Error>");
        for (status, code) in [
            ("400 Bad Request", code("RequestTimeout")),
            ("408 Request Timeout", String::new()),
            ("409 Conflict", code("ConditionalRequestConflict")),
            ("429 Too Many Requests", String::new()),
            ("500 Internal Server Error", code("InternalError")),
            ("503 Service Unavailable", code("SlowDown")),
        ] {
            assert!(!answered(status, &code).is_final, "{status} {code}");
        }
        for (status, code, advice) in [
            ("301 Moved Permanently", code("PermanentRedirect"), "AWS_REGION"),
            ("400 Bad Request", code("AuthorizationHeaderMalformed"), "AWS_REGION"),
            ("400 Bad Request", code("ExpiredToken"), "credentials"),
            ("403 Forbidden", code("InvalidAccessKeyId"), "credentials"),
            ("403 Forbidden", code("RequestTimeTooSkewed"), "clock"),
            ("403 Forbidden", code("AccessDenied"), "may do"),
            ("404 Not Found", String::new(), "address"),
            ("501 Not Implemented", code("NotImplemented"), "another"),
        ] {
            let Cause { why, is_final } = answered(status, &code);
            assert!(is_final && why.contains(advice), "{why}");
        }
    }
}
