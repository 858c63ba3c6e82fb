/// A figure of a share on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    Open,
    High,
    Low,
    Close,
    Volume,
    DividendYield,
    MarketValue,
    PriceToEarnings,
    PriceToSales,
    EarningsPerShare,
    Revenue,
    RevenueGrowth1y,
    RevenueGrowth3y,
    RevenueGrowth5y,
    EarningsGrowth3y,
    OperatingMargin,
    NetMargin,
    NetDebtToEbitda,
    ShareChange1y,
}

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Money,
    Percent,
    Ratio,
    Number,
}

/// The data that a figure is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Closes,
    /// Company reports and closes.
    Reports,
}

/// A row of [`FIELDS`]: the name in expressions, the display name, and an example value to compare with.
pub struct Described {
    pub field: Field,
    pub key: &'static str,
    pub name: &'static str,
    /// For column headers.
    pub short: &'static str,
    pub example: &'static str,
    kind: Kind,
    needs: Needs,
}

const fn closes(
    field: Field,
    key: &'static str,
    name: &'static str,
    short: &'static str,
    kind: Kind,
    example: &'static str,
) -> Described {
    Described { field, key, name, short, example, kind, needs: Needs::Closes }
}

const fn reports(
    field: Field,
    key: &'static str,
    name: &'static str,
    short: &'static str,
    kind: Kind,
    example: &'static str,
) -> Described {
    Described { field, key, name, short, example, kind, needs: Needs::Reports }
}

/// All fields, in display order.
pub const FIELDS: [Described; 19] = [
    reports(Field::MarketValue, "market_value", "Market value", "Value", Kind::Money, "1 bn"),
    reports(Field::PriceToEarnings, "price_to_earnings", "Price ÷ earnings", "P/E", Kind::Ratio, "18"),
    reports(Field::PriceToSales, "price_to_sales", "Price ÷ sales", "P/S", Kind::Ratio, "3"),
    reports(
        Field::EarningsPerShare,
        "earnings_per_share",
        "Earnings per share, 12 m",
        "EPS",
        Kind::Money,
        "1",
    ),
    reports(Field::Revenue, "revenue", "Revenue, 12 m", "Revenue", Kind::Money, "1 bn"),
    reports(
        Field::RevenueGrowth1y,
        "revenue_growth_1y",
        "Revenue growth, 1 y",
        "Growth, 1 y",
        Kind::Percent,
        "10 %",
    ),
    reports(
        Field::RevenueGrowth3y,
        "revenue_growth_3y",
        "Revenue growth, 3 y",
        "Growth, 3 y",
        Kind::Percent,
        "10 %",
    ),
    reports(
        Field::RevenueGrowth5y,
        "revenue_growth_5y",
        "Revenue growth, 5 y",
        "Growth, 5 y",
        Kind::Percent,
        "10 %",
    ),
    reports(
        Field::EarningsGrowth3y,
        "earnings_growth_3y",
        "Earnings growth, 3 y",
        "Profit, 3 y",
        Kind::Percent,
        "10 %",
    ),
    reports(
        Field::OperatingMargin,
        "operating_margin",
        "Operating margin",
        "Op. margin",
        Kind::Percent,
        "15 %",
    ),
    reports(Field::NetMargin, "net_margin", "Net margin", "Margin", Kind::Percent, "10 %"),
    reports(Field::NetDebtToEbitda, "net_debt_to_ebitda", "Net debt ÷ EBITDA", "Debt", Kind::Ratio, "2"),
    reports(
        Field::ShareChange1y,
        "share_change_1y",
        "Change of shares, 1 y",
        "Shares, 1 y",
        Kind::Percent,
        "0 %",
    ),
    closes(Field::DividendYield, "dividend_yield", "Dividend yield", "Yield", Kind::Percent, "3 %"),
    closes(Field::Close, "close", "Close", "Close", Kind::Money, "10"),
    closes(Field::Open, "open", "Open", "Open", Kind::Money, "10"),
    closes(Field::High, "high", "High", "High", Kind::Money, "10"),
    closes(Field::Low, "low", "Low", "Low", Kind::Money, "10"),
    closes(Field::Volume, "volume", "Daily volume", "Volume", Kind::Number, "50,000"),
];

impl Field {
    pub fn named(key: &str) -> Option<Self> {
        FIELDS.iter().find(|row| row.key == key).map(|row| row.field)
    }

    pub fn key(self) -> &'static str {
        self.row().map_or("", |row| row.key)
    }

    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    pub fn short(self) -> &'static str {
        self.row().map_or("", |row| row.short)
    }

    pub fn kind(self) -> Kind {
        self.row().map_or(Kind::Number, |row| row.kind)
    }

    /// Whether a price is needed to compute it.
    pub fn reads_price(self) -> bool {
        self.needs() == Needs::Closes
            || matches!(self, Self::MarketValue | Self::PriceToEarnings | Self::PriceToSales)
    }

    pub fn needs(self) -> Needs {
        self.row().map_or(Needs::Closes, |row| row.needs)
    }

    fn row(self) -> Option<&'static Described> {
        FIELDS.iter().find(|row| row.field == self)
    }
}
