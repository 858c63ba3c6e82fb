//! Reads the file of a call, either chosen by the user or in the vault.

use std::borrow::Cow;

use nova_skill::figures::folded;
use nova_skill::{Progress, ToolContext, ToolError, VaultError, VaultPath};

use crate::table::Table;

/// How to read a file.
pub struct Read<'a> {
    /// A file that the user chose for the call, or else a path in the vault.
    pub path: &'a str,
    /// "csv" or `None`.
    pub format: Option<&'a str>,
    /// A label such as `utf-8`; detected if `None`.
    pub encoding: Option<&'a str>,
    /// One of [`DELIMITERS`](crate::DELIMITERS); detected if `None`.
    pub delimiter: Option<&'a str>,
    /// The maximum number of rows.
    pub most: usize,
    /// An example path for error messages, such as "Budget/statement.csv".
    pub example: &'a str,
}

impl Read<'_> {
    /// Reads the file. `prepare` may blank out lines that are not part of the table.
    ///
    /// # Errors
    /// If the file does not exist, is not CSV or has too many rows, and as for [`Table::read`].
    pub async fn table(
        &self,
        ctx: &dyn ToolContext,
        prepare: impl FnOnce(Cow<'_, [u8]>) -> Cow<'_, [u8]> + Send,
    ) -> Result<Table, ToolError> {
        self.refuse_other_formats()?;
        let said = self.path.trim();
        let given = ctx.given_file(said);
        let (name, bytes) = match &given {
            Some(file) => (file.name.as_str(), Cow::from(&file.bytes)),
            None => {
                let path = VaultPath::parse(said).map_err(|_| self.elsewhere())?;
                let bytes = ctx.vault().read_file(&path).await.map_err(|error| unread(&path, error))?;
                (said, Cow::from(bytes))
            }
        };
        let table = Table::read(name, &prepare(bytes), self.encoding, self.delimiter)?;
        let most = self.most;
        if table.rows.len() > most {
            return Err(ToolError::failed(
                format!("{name} has {} rows; at most {most} are imported at once.", table.rows.len()),
                "Split the file, for example by year, and import the parts one after the other.",
            ));
        }
        Ok(table)
    }

    fn refuse_other_formats(&self) -> Result<(), ToolError> {
        match self.format.map(folded).as_deref() {
            None | Some("" | "csv") => Ok(()),
            Some(other) => Err(ToolError::InvalidArguments {
                path: "/format".into(),
                rule: format!("\"{other}\" cannot be imported"),
                allowed: vec!["csv".into()],
            }),
        }
    }

    fn elsewhere(&self) -> ToolError {
        ToolError::failed(
            format!("\"{}\" is not in the vault.", self.path.trim()),
            format!("Copy the file into the vault, and give its path there, such as {}.", self.example),
        )
    }
}

/// The error for a file that cannot be read, with a remedy.
fn unread(path: &VaultPath, error: ToolError) -> ToolError {
    let is_missing = matches!(
        &error,
        ToolError::NotFound { .. }
            | ToolError::Vault(
                VaultError::NotFound { .. } | VaultError::NotANote { .. } | VaultError::Io { .. }
            )
    );
    if !is_missing {
        return error;
    }
    ToolError::failed(
        format!("There is no file \"{path}\" in the vault."),
        "Give the path of the CSV file itself with its ending, or copy the file into the vault first.",
    )
}

/// Reports at most 20 times per file, and never for a short one, which is read at once.
pub fn report_reading(ctx: &dyn ToolContext, done: usize, total: usize) {
    let step = (total / 20).max(200);
    if done > 0 && done.is_multiple_of(step) {
        let message = format!("Reading {} of {} lines", with_comma(done), with_comma(total));
        ctx.progress(Progress { fraction: None, message: Some(message) });
    }
}

/// Formats `4800` as `4,800`; below a million.
fn with_comma(count: usize) -> String {
    match (count / 1000, count % 1000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{thousands},{rest:03}"),
    }
}
