//! Extraction from pages with typical web layouts. The expected titles, texts and links were written by hand
//! before the pages were first parsed.

use nova_skill::{Value, json};
use nova_testkit::{Reply, SkillInVault};

use super::web::core;

/// Expectations for the page in `pages/NAME.html`.
#[derive(Default)]
struct Expected {
    title: &'static str,
    author: Option<&'static str>,
    date: Option<&'static str>,
    site: Option<&'static str>,
    /// Contained in the text, in this order.
    says: &'static [&'static str],
    /// Not contained in the text.
    leaves_out: &'static [&'static str],
    /// Absolute addresses of the text's links.
    links: &'static [&'static str],
}

fn read(page: &'static str) -> Value {
    let reading = reading(page);
    reading.value("web_fetch", json!({"url": "http://site.example/docs/page.html"}))
}

fn reading(page: &'static str) -> SkillInVault {
    core().with_web(&["site.example"], move |_| {
        Reply::with(200, &[("content-type", "text/html; charset=utf-8")], page)
    })
}

macro_rules! check {
    ($name:literal, $expected:expr) => {{
        let expected: Expected = $expected;
        let page = read(include_str!(concat!("pages/", $name, ".html")));
        let about = |key: &str| page[key].as_str();
        assert_eq!(about("title"), Some(expected.title), "{page:#}");
        assert_eq!(about("author"), expected.author, "{page:#}");
        assert_eq!(about("date"), expected.date, "{page:#}");
        assert_eq!(about("site"), expected.site, "{page:#}");
        let text = page["text"].as_str().unwrap();
        let mut rest = text;
        for said in expected.says {
            let at =
                rest.find(said).unwrap_or_else(|| panic!("{said:?} is missing, or not in order:\n{text}"));
            rest = &rest[at + said.len()..];
        }
        for other in expected.leaves_out {
            assert!(!text.contains(other), "unexpected {other:?} in the page's text:\n{text}");
        }
        for link in expected.links {
            assert!(text.contains(&format!("]({link}")), "{link} is not linked:\n{text}");
        }
    }};
}

#[test]
fn an_article() {
    check!(
        "article",
        Expected {
            title: "Why the river froze twice",
            author: Some("Odile Farrow"),
            date: Some("2026-11-02"),
            site: Some("The Harbour Review"),
            says: &[
                "In the winter of 1963",
                "study of the estuary",
                "## What the gauges show",
                "the median January flow was 412 cubic metres",
                "> “We did not build a weir",
                "Skaters have started",
            ],
            leaves_out: &["Subscribe now", "Most read", "Ten sofas", "Privacy"],
            links: &["https://journal.example/quill-ice", "http://site.example/petitions/keep-the-ice"],
        }
    );
}

#[test]
fn documentation() {
    check!(
        "documentation",
        Expected {
            title: "Configuring retries — Ferrule 4.2 documentation",
            says: &[
                "answers 429 or 503",
                "```",
                "client = Client(retry=Retry(times=3, wait=0.5))",
                "```",
                "Parameters",
                "| `times` | 2 | How often a request is repeated. |",
                "| `jitter` | True |",
                "idempotency key",
            ],
            leaves_out: &["Installing Ferrule", "Built with Quarry"],
            links: &["http://site.example/errors.html#idempotency"],
            ..Expected::default()
        }
    );
}

#[test]
fn a_thread_of_a_forum() {
    check!(
        "forum",
        Expected {
            title: "Dishwasher shows E15 - HomeFix Forum",
            says: &[
                "stops after two minutes with E15",
                "petrol\\_anna",
                "E15 means that the float",
                "It was the seal!",
            ],
            leaves_out: &["Register"],
            links: &["https://parts.example/165813"],
            ..Expected::default()
        }
    );
}

#[test]
fn an_article_of_a_shop() {
    check!(
        "shop",
        Expected {
            title: "Kettle K12, 1.7 l, brushed steel",
            site: Some("Tinder & Pan"),
            says: &[
                "€59.90",
                "In stock, delivered by Friday",
                "boils a litre in two minutes",
                "2400 W",
                "3 years",
            ],
            leaves_out: &["Toaster T3", "Sign in"],
            links: &["http://site.example/service/guarantee"],
            ..Expected::default()
        }
    );
}

#[test]
fn the_free_part_of_a_paid_article() {
    check!(
        "paywall",
        Expected {
            title: "The quiet collapse of the ferry line",
            author: Some("Jonas Brandvik"),
            date: Some("2026-10-28"),
            says: &[
                "When the last boat of the evening left Solvane",
                "a loan of four million",
                "Continue reading with a subscription",
            ],
            ..Expected::default()
        }
    );
}

#[test]
fn shell_filled_by_scripts() {
    check!("spa", Expected { title: "Orbital Dashboard", leaves_out: &["pk_live"], ..Expected::default() });
    let note = read(include_str!("pages/spa.html"))["note"].as_str().unwrap().to_owned();
    assert_eq!(note, "The page may show its text by scripts, which are not run.");
}

#[test]
fn news_between_advertisements() {
    check!(
        "news",
        Expected {
            title: "Council votes for night trains",
            author: Some("Ilse Brandvik"),
            date: Some("2026-11-19"),
            site: Some("City Wire"),
            says: &[
                "41 votes to 22",
                "6.8 million euros",
                "expert opinion on noise",
                "fewer than 900 people"
            ],
            leaves_out: &[
                "win a car",
                "Lose weight",
                "Celebrity",
                "You will not believe",
                "evening briefing"
            ],
            links: &["https://city.example/noise/line-4.pdf"],
        }
    );
}

#[test]
fn an_encyclopedia() {
    check!(
        "wiki",
        Expected {
            title: "Brass rail - Openpedia",
            says: &[
                "foot rest that runs along the front",
                "foundry in",
                "History",
                "three screws per bracket",
                "120 kilograms per metre",
            ],
            leaves_out: &["Random article"],
            links: &["http://site.example/wiki/Harborline"],
            ..Expected::default()
        }
    );
}

#[test]
fn a_blog_with_comments() {
    check!(
        "blog",
        Expected {
            title: "Moving my backups off the old disk",
            author: Some("Mara Lindholt"),
            date: Some("2026-09-14"),
            says: &["started to click", "`-H`", "Two files differed"],
            leaves_out: &["First!", "spam.example", "Archives"],
            links: &["http://site.example/posts/2025/checksums"],
            ..Expected::default()
        }
    );
}

#[test]
fn a_recipe() {
    check!(
        "recipe",
        Expected {
            title: "Lentil soup with lemon - Plain Kitchen",
            author: Some("Tomasz Wirek"),
            date: Some("2026-01-08"),
            says: &[
                "Do not salt them",
                "- 250 g red lentils",
                "- 1 lemon",
                "1. Fry the onions",
                "3. Stir in"
            ],
            leaves_out: &["40,000 cooks"],
            links: &["http://site.example/flatbread"],
            ..Expected::default()
        }
    );
}

#[test]
fn a_job() {
    check!(
        "job",
        Expected {
            title: "Release engineer (f/m/d) at Quillon Labs",
            site: Some("JobPier"),
            says: &["You own the build", "on call one week in six", "What we offer", "Thirty days of leave"],
            leaves_out: &["Tram driver", "For employers"],
            ..Expected::default()
        }
    );
}

#[test]
fn document_laid_out_in_boxes() {
    check!(
        "report",
        Expected {
            title: "Annual report 2025.pdf",
            says: &[
                "revenue rose by 4 per cent",
                "9 million",
                "a dividend of 12 pence",
                "The price of steel"
            ],
            ..Expected::default()
        }
    );
}

#[test]
fn a_page_of_tables() {
    check!(
        "tables",
        Expected {
            title: "Ferry timetable winter 2026/27",
            says: &[
                "Valid from 1 November 2026",
                "| Boat | Departs | Arrives | Days |",
                "| 101 | 06:10 | 06:55 | Mon–Fri |",
                "| 107 | 18:20 | 19:05 | not Sat |",
                "| Adult | €8.40 | €14.00 |",
                "Dog \\| cat",
            ],
            links: &["http://site.example/docs/office.html"],
            ..Expected::default()
        }
    );
}

#[test]
fn right_to_left_text() {
    check!(
        "rtl",
        Expected {
            title: "افتتاح المكتبة الجديدة - أخبار المرفأ",
            date: Some("2026-05-20"),
            says: &["افتتحت البلدية يوم الأربعاء", "اثني عشر مليون يورو"],
            leaves_out: &["رياضة"],
            links: &["http://site.example/booking"],
            ..Expected::default()
        }
    );
}

#[test]
fn text_without_spaces() {
    check!(
        "cjk",
        Expected {
            title: "駅前の古い喫茶店が再開｜港町タイムズ",
            author: Some("佐藤 花子"),
            says: &["一九五八年に開店し", "四百八十円", "月曜は休み"],
            leaves_out: &["スポーツ"],
            links: &["http://site.example/shops/minato"],
            ..Expected::default()
        }
    );
}

#[test]
fn a_page_laid_out_in_tables() {
    check!(
        "oldtables",
        Expected {
            title: "Uncle Bert's Barometer Page",
            says: &["An aneroid barometer shows", "watchmaker's screwdriver", "the capsule leaks"],
            leaves_out: &["Guestbook"],
            links: &["http://capsules.example/list.htm"],
            ..Expected::default()
        }
    );
}

#[test]
fn frames_are_listed_with_their_addresses() {
    check!(
        "frameset",
        Expected {
            title: "Parish archive of Solvane",
            says: &["menu", "main"],
            links: &["http://site.example/docs/menu.html", "http://site.example/docs/registers/1780.html"],
            ..Expected::default()
        }
    );
}

#[test]
fn lazily_loaded_images() {
    check!(
        "lazy",
        Expected {
            title: "Five lighthouses in a day",
            says: &[
                "five lighthouses in thirty-one kilometres",
                "The first lighthouse at dawn",
                "leaves at 19:40",
                "The tower on the rock",
            ],
            leaves_out: &["data:image"],
            links: &["http://site.example/guides/coast.html", "http://site.example/photos/first-light.jpg"],
            ..Expected::default()
        }
    );
}

#[test]
fn a_page_behind_a_cookie_banner() {
    check!(
        "cookies",
        Expected {
            title: "Sprechzeiten der Gemeinde – Gemeinde Seewinkel",
            says: &["montags bis freitags", "04551 990"],
            leaves_out: &["842 Partner", "Alle akzeptieren", "Ignore all previous instructions", "Impressum"],
            links: &["http://site.example/termine"],
            ..Expected::default()
        }
    );
}

#[test]
fn print_version() {
    check!(
        "print",
        Expected {
            title: "Rules of the allotment association",
            says: &["§ 1 Plots", "Each member rents one plot", "§ 3 Fires", "five metres from the shed"],
            leaves_out: &["javascript:"],
            ..Expected::default()
        }
    );
}
