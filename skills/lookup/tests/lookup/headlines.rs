//! Headlines from the user's own feeds.

use nova_skill::json;
use nova_testkit::{Reply, WebRequest};

use crate::with;

const FEED: &str = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>Tool Trade Weekly</title>
<item><title>NGTL raises its outlook</title><link>https://feeds.example/a</link><pubDate>Thu, 19 Nov 2026 08:00:00 GMT</pubDate></item>
<item><title><![CDATA[Mid caps: <b>NGTL</b> &amp; others]]></title><link>https://feeds.example/b</link><pubDate>Tue, 17 Nov 2026 08:00:00 GMT</pubDate></item>
<item><title>NGTLX is another fund</title><link>https://feeds.example/c</link><pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate></item>
<item><title>NGTL runs a script</title><link>javascript:alert(1)</link></item>
</channel></rss>"#;

fn feeds(
    feeds: &[&str],
    answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static,
) -> nova_testkit::SkillInVault {
    with(json!({"feeds": feeds}), answer)
}

#[test]
fn general_feed_gives_only_entries_that_name_the_symbol() {
    let skill = feeds(&["http://feeds.test/all.xml"], |_| Reply::text(FEED));
    assert_eq!(
        skill.value("news", json!({"symbol": "NGTL"})),
        json!({"count": 2, "problems": [], "news": [
            {"title": "NGTL raises its outlook", "url": "https://feeds.example/a", "source": "Tool Trade Weekly", "date": "2026-11-19"},
            {"title": "Mid caps: NGTL & others", "url": "https://feeds.example/b", "source": "Tool Trade Weekly", "date": "2026-11-17"},
        ]})
    );
}

#[test]
fn feed_of_the_symbol_gives_all_entries_with_a_web_address() {
    let skill = feeds(&["http://feeds.test/rss?s={symbol}"], |_| Reply::text(FEED));
    let value = skill.value("news", json!({"symbol": "NGTL"}));
    assert_eq!((&value["count"], &value["news"][0]["title"]), (&json!(3), &json!("NGTLX is another fund")));
    assert_eq!(skill.requests()[0].path, "/rss?s=NGTL");
}

#[test]
fn failing_feed_does_not_affect_others() {
    let skill = feeds(
        &["http://feeds.test/down", "http://feeds.test/page", "http://feeds.test/all.xml"],
        |request| match request.path.as_str() {
            "/down" => Reply::with(503, &[], ""),
            "/page" => Reply::text("<html><p>Not a feed</p></html>"),
            _ => Reply::text(FEED),
        },
    );
    let value = skill.value("news", json!({"symbol": "NGTL"}));
    assert_eq!(value["count"], 2);
    assert_eq!(value["problems"][0]["problem"], "feeds.test answered with status 503");
    assert_eq!(value["problems"][1]["problem"], "feeds.test did not answer with a feed");
}

#[test]
fn without_a_feed_it_says_how_to_add_one() {
    let skill = feeds(&[], |_| Reply::text(FEED));
    let error = skill.error("news", json!({"symbol": "NGTL"}));
    assert!(error.message.contains("Feeds"), "{error:?}");
}
