use nova_skill::{Date, ToolError};

/// The day that an argument names.
///
/// # Errors
/// `InvalidArguments` where it is none.
pub(crate) fn day_argument(argument: &str, text: &str) -> Result<Date, ToolError> {
    let text = text.trim();
    let day: Option<Date> = text.parse().ok();
    day.filter(|day| day.to_string() == text).ok_or_else(|| ToolError::InvalidArguments {
        path: format!("/{argument}"),
        rule: format!("\"{text}\" is not a date YYYY-MM-DD"),
        allowed: Vec::new(),
    })
}
