use nova_skill::json;

use crate::crm;

const VAULT: &str = r#"
//- C/Harborline.md
---
type: company
name: Harborline Logistics
domain: harborline.example
tags: [logistics]
---
//- C/Quillon Labs.md
---
type: company
---
//- P/Mara.md
---
type: contact
name: Mara
company: "[[Harborline]]"
---
//- P/Pia.md
---
type: contact
name: Pia
company: harborline logistics
---
//- D/One.md
---
type: deal
title: One
company: "[[Harborline]]"
stage: lead
value: 10.50
currency: EUR
---
//- D/Two.md
---
type: deal
title: Two
company: Harborline Logistics
stage: proposal
value: 4
currency: EUR
---
//- D/Old.md
---
type: deal
title: Old
company: "[[Harborline]]"
stage: won
value: 99
currency: EUR
---
"#;

#[test]
fn company_row_counts_people_and_open_deals() {
    let outcome = crm(VAULT).call("list_companies", json!({}));
    assert_eq!(
        outcome.result.unwrap(),
        json!({
            "companies": [
                {
                    "name": "Harborline Logistics", "domain": "harborline.example", "tags": ["logistics"], "people": 2,
                    "open_deals": 2, "open": [{"amount": "14.50", "currency": "EUR"}], "path": "C/Harborline.md",
                },
                {"name": "Quillon Labs", "people": 0, "open_deals": 0, "open": [], "path": "C/Quillon Labs.md"},
            ],
            "count": 2,
        })
    );
    assert_eq!(outcome.figures[0].at, "/companies/0/open/0/amount");
    assert_eq!(outcome.figures[0].sources.len(), 2);
}

#[test]
fn query_matches_names_domains_and_tags() {
    let count = |query: &str| crm(VAULT).value("list_companies", json!({"query": query}))["count"].clone();
    assert_eq!([count("LOGISTICS"), count("harborline.ex"), count("quillon"), count("dairy")], [1, 1, 1, 0]);
}
