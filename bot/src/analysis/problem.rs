//! Errors in a query.

use serde_json::{Value, json};

/// An error, with the field and the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub message: String,
    pub field: Option<String>,
    pub id: Option<String>,
}

impl Problem {
    pub fn error(&self) -> Value {
        self.object("error")
    }

    pub fn warning(&self) -> Value {
        self.object("warning")
    }

    fn object(&self, kind: &str) -> Value {
        let mut object = json!({ kind: self.message });
        if let Some(field) = &self.field {
            object["field"] = json!(field);
        }
        if let Some(id) = &self.id {
            object["id"] = json!(id);
        }
        object
    }
}
