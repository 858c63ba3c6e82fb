use nova_skill::figures::{minus, money, percent};
use nova_skill::{Decimal, ToolError, Value, json};

use crate::ledger::Limit;

/// A category's row for the month.
pub(super) struct Row<'a> {
    pub(super) category: String,
    pub(super) currency: String,
    pub(super) spent: Decimal,
    pub(super) upcoming: Decimal,
    /// The limit's amount and note.
    pub(super) limit: Option<(Decimal, &'a Limit)>,
    pub(super) last_month: Option<Decimal>,
    /// Over the earlier months.
    pub(super) average: Option<Decimal>,
    /// The number of its entries in the month up to today.
    pub(super) count: usize,
    pub(super) upcoming_count: usize,
}

impl Row<'_> {
    /// The row as JSON for the answer.
    pub(super) fn to_json(&self) -> Result<Value, ToolError> {
        let mut row = json!({
            "category": self.category,
            "currency": self.currency,
            "spent": self.spent,
            "count": self.count,
        });
        if self.upcoming_count > 0 {
            row["upcoming_spent"] = json!(self.upcoming);
            row["upcoming_count"] = json!(self.upcoming_count);
        }
        if let Some((amount, limit)) = self.limit {
            self.add_limit_json(amount, &mut row)?;
            row["path"] = json!(limit.path);
            for (key, value) in &limit.own {
                if row.get(key).is_none() {
                    row[key] = value.clone();
                }
            }
        }
        for (key, value) in [("last_month", self.last_month), ("average", self.average)] {
            if let Some(value) = value {
                row[key] = json!(value);
            }
        }
        Ok(row)
    }

    fn add_limit_json(&self, limit: Decimal, row: &mut Value) -> Result<(), ToolError> {
        let currency = &self.currency;
        let left = money(minus(limit, self.spent)?, currency);
        let with_upcoming = money(minus(left, self.upcoming)?, currency);
        row["limit"] = json!(limit);
        row["left_of_limit"] = json!(left);
        row["over_limit"] = json!(left.is_sign_negative());
        row["left_with_upcoming"] = json!(with_upcoming);
        row["over_limit_with_upcoming"] = json!(with_upcoming.is_sign_negative());
        let mut detail = match left.is_sign_negative() {
            true => format!("{} {currency} over the limit of {limit} {currency}", -left),
            false => format!("{left} {currency} left of {limit} {currency}"),
        };
        if !self.upcoming.is_zero() {
            detail.push_str(&format!(", {} {currency} upcoming", self.upcoming));
            if with_upcoming.is_sign_negative() && !left.is_sign_negative() {
                detail.push_str(&format!(", {} {currency} over with it", -with_upcoming));
            }
        }
        row["limit_detail"] = json!(detail);
        if let Some(used) = percent(self.spent, limit, 1) {
            row["used"] = json!(used.normalize());
        }
        Ok(())
    }
}
