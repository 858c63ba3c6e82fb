//! `web_fetch` and `web_search` over local servers.

use std::sync::Arc;

use nova_protocol::{ErrorCode, SourceView};
use nova_skill::{Value, json, serde_json};
use nova_testkit::{FixedCredentials, Reply, SkillInVault, WebRequest};

use super::{Aside, NoSnippets};

pub(super) fn core() -> SkillInVault {
    SkillInVault::new(nova_skill_core::skill(Arc::new(Aside::default()), Arc::new(NoSnippets)), "")
}

const HTML: &str = "text/html; charset=utf-8";

fn serving(content_type: &'static str, body: impl Into<Vec<u8>>) -> SkillInVault {
    let body = body.into();
    core().with_web(&["site.example"], move |_| bytes(content_type, &body))
}

fn bytes(content_type: &str, body: &[u8]) -> Reply {
    let head = format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\ncontent-type: {content_type}\r\n\r\n",
        body.len()
    );
    Reply::Bytes([head.as_bytes(), body].concat())
}

fn page(core: &SkillInVault) -> Value {
    core.value("web_fetch", json!({"url": "http://site.example/x"}))
}

fn refused(core: &SkillInVault) -> String {
    let error = core.error("web_fetch", json!({"url": "http://site.example/x"}));
    assert_eq!(error.code, ErrorCode::ToolFailed, "{error}");
    error.message
}

#[test]
fn page_is_a_source_with_its_title_and_date() {
    let core = serving(
        HTML,
        "<title>Price list 2026</title><meta itemprop=datePublished content=2026-11-02><p>The licence costs 1,480 euros.",
    );
    let outcome = core.call("web_fetch", json!({"url": "http://site.example/prices?year=2026#top"}));
    let page = outcome.result.unwrap();
    assert_eq!(
        page,
        json!({
            "url": "http://site.example/prices?year=2026", "title": "Price list 2026", "kind": "page",
            "date": "2026-11-02", "words": 5, "text": "The licence costs 1,480 euros.",
        })
    );
    assert_eq!(
        outcome.sources,
        [SourceView::Web {
            url: "http://site.example/prices?year=2026".into(),
            at: "2026-11-21T09:00:00Z".into(),
            title: Some("Price list 2026".into()),
            date: Some("2026-11-02".into()),
        }]
    );
    assert!(outcome.from_outside);
}

#[test]
fn long_page_is_read_in_parts_with_one_request() {
    let paragraphs: Vec<String> = (0..400).map(|at| format!("<p>{at} {}</p>", "word ".repeat(20))).collect();
    let core = serving(HTML, format!("<title>Long</title><article>{}</article>", paragraphs.concat()));
    let first = page(&core);
    let next = first["next_offset"].as_u64().unwrap();
    assert!(first["text"].as_str().unwrap().starts_with("0 word"));
    let mut parts = vec![first];
    let mut offset = Some(next);
    while let Some(from) = offset {
        let part = core.value("web_fetch", json!({"url": "http://site.example/x", "offset": from}));
        offset = part["next_offset"].as_u64();
        parts.push(part);
    }
    let text: Vec<&str> = parts.iter().map(|part| part["text"].as_str().unwrap().trim()).collect();
    let numbers: Vec<String> =
        text.join("\n\n").split("\n\n").map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(numbers, (0..400).map(|at| at.to_string()).collect::<Vec<_>>());
    assert_eq!(core.requests().len(), 1);
    let error = core.error("web_fetch", json!({"url": "http://site.example/x", "offset": 1_000_000}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
}

#[test]
fn feed_is_read_as_its_entries() {
    let rss = r#"<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Harbour news</title>
        <link>http://site.example/</link><description>All news</description>
        <item><title>Ferry &amp; fog</title><link>http://site.example/fog</link><pubDate>Mon, 02 Nov 2026 08:00:00 GMT</pubDate>
        <description>&lt;p&gt;The &lt;b&gt;first&lt;/b&gt; ferry waits.&lt;/p&gt;</description></item>
        <item><title>Two</title><link>http://site.example/two</link></item></channel></rss>"#;
    let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Harbour news</title><updated>2026-11-02T08:00:00Z</updated>
        <entry><title>Ferry &amp; fog</title><link href="http://site.example/fog"/><id>1</id><updated>2026-11-02T08:00:00Z</updated>
        <summary type="html">The &lt;b&gt;first&lt;/b&gt; ferry waits.</summary></entry></feed>"#;
    let json = r#"{"version":"https://jsonfeed.org/version/1.1","title":"Harbour news","items":[{"id":"1",
        "title":"Ferry & fog","url":"http://site.example/fog","date_published":"2026-11-02T08:00:00Z",
        "content_html":"The <b>first</b> ferry waits."}]}"#;
    for (content_type, feed) in
        [("application/rss+xml", rss), ("application/atom+xml", atom), ("application/feed+json", json)]
    {
        let read = page(&serving(content_type, feed));
        assert_eq!(
            (read["kind"].as_str(), read["title"].as_str()),
            (Some("feed"), Some("Harbour news")),
            "{read:#}"
        );
        assert_eq!(read["date"], "2026-11-02", "{content_type}");
        let text = read["text"].as_str().unwrap();
        let expected =
            "## [Ferry & fog](http://site.example/fog)\n\n2026-11-02\n\nThe **first** ferry waits.";
        assert!(text.starts_with(expected), "{text}");
    }
}

#[test]
fn plain_text_and_json_are_unchanged() {
    let read = page(&serving("text/plain", "# not a title\n<b>not bold</b>\n"));
    assert_eq!(
        (read["kind"].as_str(), &read["text"]),
        (Some("text"), &json!("# not a title\n<b>not bold</b>"))
    );
    let read = page(&serving("application/json", r#"{"a": [1, 2]}"#));
    assert_eq!(read["text"], r#"{"a": [1, 2]}"#);
}

#[test]
fn pdf_is_read_as_text() {
    let read = page(&serving("application/pdf", pdf("The licence costs 1,480 euros.")));
    assert_eq!(read["kind"], "PDF");
    assert_eq!(read["text"], "[page 1 of 1]\nThe licence costs 1,480 euros.");
}

/// A PDF of one page with one line.
fn pdf(line: &str) -> Vec<u8> {
    let stream = format!("BT /F1 12 Tf 72 720 Td ({line}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", at + 1));
    }
    let start = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for place in places {
        file.push_str(&format!("{place:010} 00000 n \n"));
    }
    file.push_str(&format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    ));
    file.into_bytes()
}

#[test]
fn other_files_are_reported_with_kind_and_size() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0".as_slice();
    assert_eq!(
        refused(&serving("image/png", png)),
        "x is image/png, 640 × 480 pixels, of 29 bytes and cannot be shown as text."
    );
    assert_eq!(
        refused(&serving("application/octet-stream", [0_u8; 100])),
        "x is a binary file of 100 bytes and cannot be shown as text."
    );
    assert_eq!(
        refused(&serving("application/pdf", "%PDF-1.4 broken")).split(':').next(),
        Some("x could not be read as PDF")
    );
}

#[test]
fn wrong_charset_is_detected() {
    let latin: Vec<u8> = "<title>T</title><p>Die Tür ist grün und schön.".chars().map(|c| c as u8).collect();
    for declared in ["text/html; charset=utf-8", "text/html", "text/html; charset=iso-8859-1"] {
        assert_eq!(
            page(&serving(declared, latin.clone()))["text"],
            "Die Tür ist grün und schön.",
            "{declared}"
        );
    }
}

#[test]
fn http_errors_are_explained() {
    for (status, expected) in [
        (404, "site.example has no such page (status 404)."),
        (402, "site.example requires a sign-in or a payment (status 402)."),
        (403, "site.example refuses to show the page (status 403)."),
        (429, "site.example receives too many requests (status 429)."),
        (503, "site.example has a server error (status 503)."),
    ] {
        let core = core().with_web(&["site.example"], move |_| Reply::with(status, &[], "<p>Not here"));
        assert_eq!(refused(&core), expected);
    }
    assert_eq!(refused(&serving(HTML, " \n ")), "site.example sent an empty page.");
}

#[test]
fn invalid_address_is_refused_before_any_question() {
    let core = core();
    for url in ["quillon.example", "file:///etc/passwd", "https://", "javascript:alert(1)", ""] {
        let error = core.error("web_fetch", json!({"url": url}));
        assert_eq!(error.code, ErrorCode::InvalidArguments, "{url}");
    }
}

#[test]
fn html_bombs_are_bounded() {
    let deep = "<div>".repeat(100_000);
    assert_eq!(
        refused(&serving(HTML, deep)),
        "The page cannot be read: its elements are nested more than 500 deep."
    );
    let too_many = "The page cannot be read: it has more than 200000 elements.";
    assert_eq!(refused(&serving(HTML, "<i></i>".repeat(1_400_000))), too_many);
    // Each paragraph's text reopens all formatting elements.
    let formats: String = (0..400).map(|at| format!("<b a={at}>")).collect();
    assert_eq!(refused(&serving(HTML, format!("<p>{formats}{}", "</p><p>x".repeat(3000)))), too_many);
    // An endless tag, and a table that is moved out of itself repeatedly.
    page(&serving(HTML, format!("<p>Text.</p><a {}", "x=y ".repeat(500_000))));
    let tables = format!("<p>Text.</p>{}", "<table><b>".repeat(400));
    // Any answer will do, as long as there is one.
    let _ = serving(HTML, tables).call("web_fetch", json!({"url": "http://site.example/x"}));
}

#[test]
fn feeds_with_entities_and_endless_feeds_are_bounded() {
    let laughs = r#"<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><rss version="2.0"><channel><title>&c;&c;&c;</title></channel></rss>"#;
    let core = serving("application/rss+xml", laughs);
    let outcome = core.call("web_fetch", json!({"url": "http://site.example/x"}));
    assert!(outcome.result.is_ok_and(|page| page.to_string().len() < 2000));
    let deep = format!("<rss version=\"2.0\"><channel>{}", "<a>".repeat(200_000));
    serving("application/rss+xml", deep).call("web_fetch", json!({"url": "http://site.example/x"}));
    let many = format!(
        "<rss version=\"2.0\"><channel><title>Many</title>{}</channel></rss>",
        "<item><title>x</title></item>".repeat(5000)
    );
    let read = page(&serving("application/rss+xml", many));
    assert_eq!(read["note"], "Only the first 200 entries are shown.");
}

/// Searches through a source whose configured server gives this response.
fn searching(
    source: &str,
    answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static,
) -> (SkillInVault, String) {
    let core = core().with_web(&["search.example"], answer);
    let address = core.web_address();
    let config = json!({"search_source": source, "search_addresses": {source: address}});
    (core.with_config(config), address)
}

fn answered(body: Value) -> impl Fn(&WebRequest) -> Reply + Send + Sync + 'static {
    move |_| Reply::with(200, &[("content-type", "application/json")], &body.to_string())
}

#[test]
fn searches_a_local_searxng() {
    let (core, _) = searching(
        "searxng",
        answered(json!({"query": "heat pumps", "number_of_results": 0, "results": [
            {"url": "https://a.example/pumps", "title": "Heat <b>pumps</b> &amp; you", "content": "They  pay off.",
             "publishedDate": "2026-10-01T00:00:00", "engine": "x", "score": 1.0},
            {"url": "javascript:alert(1)", "title": "Bad", "content": ""},
            {"url": "https://b.example/", "title": "B", "content": "x", "publishedDate": null},
        ], "answers": [], "unresponsive_engines": []})),
    );
    let outcome = core.call("web_search", json!({"query": "heat pumps"}));
    assert_eq!(
        outcome.result.unwrap(),
        json!({"searched": "SearXNG", "results": [
            {"title": "Heat pumps & you", "url": "https://a.example/pumps", "snippet": "They pay off.", "date": "2026-10-01"},
            {"title": "B", "url": "https://b.example/", "snippet": "x"},
        ]})
    );
    assert!(outcome.from_outside);
    assert_eq!(core.requests()[0].path, "/search?q=heat+pumps&format=json");
}

#[test]
fn searxng_without_json_says_how_to_enable_it() {
    let (core, _) = searching("searxng", |_| Reply::with(403, &[], "<h1>Forbidden</h1>"));
    let error = core.error("web_search", json!({"query": "x"}));
    assert_eq!(error.message, "SearXNG does not answer programs (status 403).");
    assert_eq!(error.hint, "Add json to search.formats in its settings.yml and restart it.");
    let (core, _) = searching("searxng", |_| Reply::with(200, &[("content-type", HTML)], "<p>Results"));
    let error = core.error("web_search", json!({"query": "x"}));
    assert_eq!(error.message, "SearXNG did not answer with search results (status 200).");
}

fn with_key(mut core: SkillInVault, name: &str) -> SkillInVault {
    core.credentials = Arc::new(FixedCredentials::default().with(name, "key-of-the-user"));
    core
}

#[test]
fn searches_with_brave() {
    let (core, _) = searching(
        "brave",
        answered(
            json!({"type": "search", "query": {"original": "heat pumps"}, "web": {"type": "search", "results": [
                {"title": "Heat pumps", "url": "https://a.example/pumps", "description": "They pay off.",
                 "page_age": "2026-10-01T12:00:00", "age": "October 1, 2026"},
            ]}}),
        ),
    );
    let core = with_key(core, "core/BRAVE_API_KEY");
    let found = core.value("web_search", json!({"query": "heat pumps"}));
    assert_eq!(
        found["results"],
        json!([
            {"title": "Heat pumps", "url": "https://a.example/pumps", "snippet": "They pay off.", "date": "2026-10-01"},
        ])
    );
    let request = &core.requests()[0];
    assert_eq!(request.path, "/res/v1/web/search?q=heat+pumps&count=10&text_decorations=false");
    assert_eq!(request.headers["x-subscription-token"], "key-of-the-user");
}

#[test]
fn searches_with_tavily() {
    let (core, _) = searching(
        "tavily",
        answered(json!({"query": "heat pumps", "answer": null, "images": [], "results": [
            {"title": "Heat pumps", "url": "https://a.example/pumps", "content": "They pay off.", "score": 0.9,
             "published_date": "Thu, 01 Oct 2026 07:00:00 GMT"},
        ], "response_time": 1.2})),
    );
    let core = with_key(core, "core/TAVILY_API_KEY");
    let found = core.value("web_search", json!({"query": "heat pumps"}));
    assert_eq!(found["results"][0]["date"], "2026-10-01", "{found}");
    let request = &core.requests()[0];
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/search"));
    assert_eq!(request.headers["authorization"], "Bearer key-of-the-user");
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body, json!({"query": "heat pumps", "max_results": 10}));
}

#[test]
fn refused_key_or_exhausted_plan_is_explained() {
    for (source, name, status, expected) in [
        ("brave", "core/BRAVE_API_KEY", 422, "Brave refuses the key (status 422)."),
        ("tavily", "core/TAVILY_API_KEY", 401, "Tavily refuses the key (status 401)."),
        ("tavily", "core/TAVILY_API_KEY", 432, "Tavily has no searches left on this plan (status 432)."),
        ("brave", "core/BRAVE_API_KEY", 429, "Brave receives too many requests (status 429)."),
    ] {
        let (core, _) = searching(source, move |_| Reply::with(status, &[], "{}"));
        let error = with_key(core, name).error("web_search", json!({"query": "x"}));
        assert_eq!(error.message, expected);
    }
}

#[test]
fn source_without_its_key_asks_for_it() {
    let (core, _) = searching("brave", answered(json!({})));
    let error = core.error("web_search", json!({"query": "x"}));
    assert_eq!(error.code, ErrorCode::CredentialNeeded);
    assert_eq!(core.requests(), []);
}

#[test]
fn without_a_source_the_search_is_unavailable_with_the_remedy() {
    let error = core().error("web_search", json!({"query": "x"}));
    assert_eq!(
        error.message,
        "Web search is not set up. Choose SearXNG, Brave or Tavily in Settings, Skills, Core."
    );
    let core = core().with_config(json!({"search_source": "searxng"}));
    let error = core.error("web_search", json!({"query": "x"}));
    assert_eq!(error.message, "SearXNG has no address. Set it in Settings, Skills, Core: search_addresses.");
}
