//! HTML made to run, load, cover or deceive, as a window would draw it.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nova_mail::{HtmlPage, Message, Picture, PictureError};

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

fn of(raw: &str, loaded: &HashMap<String, Picture>) -> HtmlPage {
    Message::page(raw.as_bytes(), loaded).expect("a message").expect("a page")
}

fn page(html: &str) -> HtmlPage {
    of(&format!("From: a@b.example\nContent-Type: text/html; charset=utf-8\n\n{html}\n"), &HashMap::new())
}

#[track_caller]
fn check(html: &str, expected: &str) {
    assert_eq!(page(html).html.trim(), expected, "{html}");
}

/// Elements and attributes of the output, as a browser would read them.
fn allowed(html: &str) -> Result<(), String> {
    let elements = "a abbr b big blockquote br caption center cite code col colgroup dd del div dl dt em font h1 h2 h3 \
                    h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strike strong sub sup table tbody td \
                    tfoot th thead tr tt u ul var wbr";
    let attributes = "style align valign dir lang href rel src alt width height border cellpadding cellspacing \
                      colspan rowspan span color face size start type class";
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = rest[at + 1..].trim_start_matches('/');
        let end = rest.find('>').ok_or("an open tag")?;
        let (tag, after) = rest.split_at(end);
        let (name, mut written) = tag.split_once(' ').unwrap_or((tag, ""));
        if !elements.split_whitespace().any(|known| known == name) {
            return Err(format!("<{name}>"));
        }
        while let Some((attribute, value)) = written.split_once("=\"") {
            let (value, next) = value.split_once('"').ok_or("an open value")?;
            if !attributes.split_whitespace().any(|known| known == attribute.trim()) {
                return Err(format!("{attribute} of <{name}>"));
            }
            let value = value.to_lowercase();
            let fits = match attribute.trim() {
                "href" => value.starts_with("https://") || value.starts_with("http://"),
                "src" => value.starts_with("data:image/png;base64,"),
                "class" => value == "host",
                "style" => !["url", "position", "expression", "import", "\\", "fixed", "var("]
                    .iter()
                    .any(|word| value.contains(word)),
                _ => !value.contains("script"),
            };
            if !fits {
                return Err(format!("{attribute}=\"{value}\""));
            }
            written = next;
        }
        rest = after;
    }
    Ok(())
}

#[test]
fn nothing_runs_loads_or_leaves_its_place() {
    for html in [
        "<script>alert(1)</script>",
        "<SCRIPT SRC=https://e.example/x.js></SCRIPT>",
        "<scr<script>ipt>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<img/src='x'/onerror='alert(1)'>",
        "<body onload=alert(1) background=https://e.example/b.png>",
        "<div onclick=alert(1) onmouseover=\"alert(1)\">x</div>",
        "<a href=javascript:alert(1)>x</a>",
        "<a href='java&#9;script:alert(1)'>x</a>",
        "<a href=' &#1;javascript:alert(1)'>x</a>",
        "<a href='data:text/html;base64,PHNjcmlwdD4='>x</a>",
        "<a href='vbscript:x'>x</a><a href='file:///etc/passwd'>x</a><a href='tauri://localhost/'>x</a>",
        "<a href='//e.example/x'>x</a><a href='/x'>x</a><a href='#x' name=x id=root>x</a>",
        "<a href='https://e.example/' target=_top ping=https://e.example/p download>x</a>",
        "<style>@import 'https://e.example/x.css'; * { position: fixed }</style>",
        "<link rel=stylesheet href=https://e.example/x.css>",
        "<link rel=dns-prefetch href=//e.example><link rel=preload href=https://e.example/x as=image>",
        "<div style='background:url(https://e.example/x)'>x</div>",
        "<div style='background:u\\72l(https://e.example/x)'>x</div>",
        "<div style='position:fixed;inset:0;z-index:99999;background:#fff'>x</div>",
        "<div style='position:absolute;top:-100px;margin-top:-900px'>x</div>",
        "<p style='width:expression(alert(1));behavior:url(#x)'>x</p>",
        "<p style='color:red;}body{background:url(//e.example)'>x</p>",
        "<p style=\"list-style-image:url('https://e.example/x');content:url(x);cursor:url(x)\">x</p>",
        "<meta http-equiv=refresh content='0;url=https://e.example/'>",
        "<meta http-equiv=Content-Security-Policy content='default-src *'>",
        "<base href=https://e.example/ target=_parent>",
        "<form action=https://e.example/ method=post><input name=password type=password><button>Go</button></form>",
        "<button formaction=javascript:alert(1)>x</button><input type=image src=https://e.example/x>",
        "<iframe src=https://e.example/></iframe><iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<frameset><frame src=https://e.example/></frameset>",
        "<object data=https://e.example/x.swf></object><embed src=https://e.example/x><applet code=x></applet>",
        "<svg onload=alert(1)><script>alert(1)</script></svg>",
        "<svg><image href=https://e.example/x /><use href='data:image/svg+xml,x#x' /></svg>",
        "<svg><animate attributeName=href values=javascript:alert(1) /><a><text>x</text></a></svg>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
        "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
        "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
        "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
        "<noembed><img title='</noembed><img src=x onerror=alert(1)>'></noembed>",
        "<textarea><p title='</textarea><img src=x onerror=alert(1)>'></textarea>",
        "<title><p title='</title><img src=x onerror=alert(1)>'></title>",
        "<xmp><p title='</xmp><img src=x onerror=alert(1)>'></xmp><plaintext><img src=x onerror=alert(1)>",
        "<select><template><style><!--</style><a rel=\"--><img src=x onerror=alert(1)>\"></template></select>",
        "<!--><img src=x onerror=alert(1)>--><!-- --!><img src=x onerror=alert(1)> -->",
        "<!--[if mso]><script>alert(1)</script><![endif]--><![CDATA[<script>alert(1)</script>]]>",
        "<?xml version='1.0'?><?php echo 1 ?><!ENTITY x SYSTEM 'https://e.example/'>",
        "<video src=https://e.example/ poster=https://e.example/p autoplay></video><audio src=https://e.example/>",
        "<picture><source srcset=https://e.example/x><img srcset='https://e.example/x 2x' src=x></picture>",
        "<table background=https://e.example/x><td background=https://e.example/x>x</td></table>",
        "<img src='https://e.example/x' lowsrc=https://e.example/y dynsrc=https://e.example/z>",
        "<img src='data:image/svg+xml;base64,PHN2Zy8+'><img src='data:text/html,<script>x</script>'>",
        "<img src='data:image/png;base64,bm90IGFuIGltYWdl'><img src='blob:https://e.example/x'>",
        "<img usemap=#m src=x><map name=m><area href=javascript:alert(1)></map>",
        "<marquee onstart=alert(1)>x</marquee><details ontoggle=alert(1) open>x</details><dialog open>x</dialog>",
        "<p class=host id=app data-testid=approval-once contenteditable tabindex=1 autofocus accesskey=x>x</p>",
        "<span class=host>bank.example</span><span class='x host'>x</span>",
        "<a href='https://e.example/\"><img src=x onerror=alert(1)>'>x</a>",
        "<p title='\"><script>alert(1)</script>' lang='\"><script>' align='\" onclick=\"x'>x</p>",
        "<font color='red;x:url(x)' face='\"><script>alert(1)</script>'>x</font>",
        "<custom-element is=x><slot name=x></slot></custom-element><portal src=https://e.example/>",
        "<\0script>alert(1)</\0script><img\0src=x onerror=alert(1)>",
        "<img src=\"x` `<script>alert(1)</script>\"` `>",
        "<a href=\"https://e.example\" href=\"javascript:alert(1)\">x</a>",
    ] {
        let page = page(html);
        assert_eq!(allowed(&page.html), Ok(()), "{html}\n{}", page.html);
        assert!(!page.html.contains("alert(1)") || !page.html.contains("<script"), "{html}\n{}", page.html);
        let again = self::page(&page.html);
        assert_eq!(allowed(&again.html), Ok(()), "drawn again: {html}");
    }
}

#[test]
fn form_keeps_its_text() {
    check(
        "<form action=https://e.example/>Your name <input value=x><button>Send</button></form>",
        "Your name Send",
    );
}

#[test]
fn ordinary_formatting_is_kept() {
    check(
        "<body style='background:#eee;margin:0'><h1 style='color: #123; position: fixed'>Hi</h1><p align=center>One<br>two",
        "<div style=\"background-color:#eee;margin:0\"><h1 style=\"color:#123\">Hi</h1><p align=\"center\">One<br>two\n</p></div>",
    );
    let table = "<table width=\"600\" cellpadding=\"0\"><tbody><tr><td style=\"padding:4px\">1</td></tr></tbody></table>";
    check(table, table);
    assert!(page("<p style='color:#333'>x").colours && !page("<p style='padding:1px'>x").colours);
}

#[test]
fn cells_and_items_end_where_the_next_one_begins() {
    check("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>");
    let cells = "<tr><td><p>1<td><p>2<tr><td>3";
    let many = page(&format!("<table>{}</table>", cells.repeat(400)));
    assert!(!many.cut, "rows do not count as nested");
    assert_eq!(many.html.matches("<td>").count(), 1_200);
}

#[test]
fn a_link_is_followed_by_its_host() {
    let link = |html: &str| page(html).html.replace(" rel=\"noopener noreferrer\"", "").trim().to_owned();
    assert_eq!(
        link("<a href='https://evil.example/x'>www.bank.example</a>"),
        "<a href=\"https://evil.example/x\">www.bank.example</a><span class=\"host\"> evil.example</span>"
    );
    assert_eq!(
        link("<a href='https://bank.example/'>bank.example</a>"),
        "<a href=\"https://bank.example/\">bank.example</a>"
    );
    for (html, host) in [
        ("<a href='https://bank.example@evil.example/'>Pay</a>", "evil.example"),
        ("<a href='https://bаnk.example/'>bank.example</a>", "xn--bnk-6cd.example"),
        ("<a href='https://evil.example/'><img alt='bank.example'>evil.example</a>", "evil.example"),
        (
            "<a href='https://evil.example/'><span style='color:#fff;font-size:2px'>evil.example </span>Pay</a>",
            "evil.example",
        ),
        ("<a href='https://evil.example/'>Pay", "evil.example"),
        ("<a href='https://evil.example/'>Pay<a href='https://b.example/'>b.example</a>", "evil.example"),
        ("<a href='https://evil.example/'>\u{202e}elpmaxe.knab</a>", "evil.example"),
    ] {
        let shown = link(html);
        assert!(shown.contains(&format!("<span class=\"host\"> {host}</span>")), "{html}: {shown}");
        assert!(!shown.contains('\u{202e}'), "{shown}");
    }
}

fn with_pictures(html: &str, parts: &[(&str, &str, &str)]) -> String {
    let parts: String = parts
        .iter()
        .map(|(id, kind, data)| {
            format!("--x\nContent-Type: {kind}\nContent-ID: <{id}>\nContent-Disposition: inline\nContent-Transfer-Encoding: base64\n\n{data}\n")
        })
        .collect();
    format!(
        "From: a@b.example\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n\
         --x\nContent-Type: text/html; charset=utf-8\nContent-ID: <page>\n\n{html}\n{parts}--x--\n"
    )
}

#[test]
fn attached_picture_is_drawn_by_its_bytes() {
    let parts = [
        ("a@b", "image/png", PNG),
        ("wrong", "image/svg+xml", PNG),
        ("svg", "image/png", "PHN2ZyBvbmxvYWQ9YWxlcnQoMSkvPg=="),
        ("html", "image/png", "PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="),
    ];
    let drawn = |html: &str| of(&with_pictures(html, &parts), &HashMap::new());
    let png = format!("<img src=\"data:image/png;base64,{PNG}\">");
    for html in ["<img src=cid:a@b>", "<img src='CID:a%40b'>", "<img src=cid:wrong>"] {
        assert_eq!(drawn(html).html.trim(), png, "{html}");
    }
    for html in [
        "<img src=cid:svg>",
        "<img src=cid:html>",
        "<img src=cid:page>",
        "<img src=cid:none>",
        "<img src='cid:'>",
    ] {
        assert_eq!(drawn(html).html.trim(), "<img>", "{html}");
    }
    assert_eq!(drawn("<img src=cid:a@b>").remote, []);
}

/// Each use is a copy in the page.
#[test]
fn repeated_picture_is_bounded() {
    let big = format!("{}{}", &PNG[..PNG.len() - 4], "A".repeat(1_400_000));
    let html = "<img src=cid:big>".repeat(1_000);
    let page = of(&with_pictures(&html, &[("big", "image/png", &big)]), &HashMap::new());
    assert!(page.html.len() < 20 << 20, "{} bytes", page.html.len());
    assert!(page.html.matches("src=").count() >= 5);
}

#[test]
fn remote_pictures_are_listed_and_drawn_once_loaded() {
    let mail = "Content-Type: text/html\n\n<img src='https://a.example/1?x=1&amp;y=2'><img src=http://B.example/2>\
                <img src='https://a.example/1?x=1&y=2'><img src=https://t.example/p width=1 height=1>\
                <img src=cid:x><img src=/3><img src='ftp://a.example/4'>\n";
    let page = of(mail, &HashMap::new());
    let remote: Vec<_> = page.remote.iter().map(|one| (one.host.as_str(), one.url.as_str())).collect();
    assert_eq!(
        remote,
        [("a.example", "https://a.example/1?x=1&y=2"), ("b.example", "http://B.example/2")],
        "without the tracking pixel"
    );
    assert!(!page.html.contains("example"), "{}", page.html);
    let loaded =
        HashMap::from([("https://a.example/1?x=1&y=2".to_owned(), picture(PNG).expect("a picture"))]);
    let page = of(mail, &loaded);
    assert_eq!(page.html.matches(PNG).count(), 2);
    assert_eq!(page.remote.len(), 1);
}

fn picture(base64: &str) -> Result<Picture, PictureError> {
    Picture::read(STANDARD.decode(base64).expect("base64"))
}

#[test]
fn other_files_and_huge_pictures_are_rejected() {
    let svg = Picture::read(b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec());
    assert_eq!(svg, Err(PictureError::Unknown));
    assert_eq!(Picture::read(b"%PDF-1.4".to_vec()), Err(PictureError::Unknown));
    assert_eq!(Picture::read(Vec::new()), Err(PictureError::Unknown));
    // Its header claims 60,000 × 60,000 pixels.
    let bomb = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60\x08\x02\0\0\0".to_vec();
    assert_eq!(Picture::read(bomb), Err(PictureError::TooManyPixels));
    assert_eq!(Picture::read(vec![0; Picture::MOST_BYTES + 1]), Err(PictureError::TooLarge));
}

#[test]
fn bombs_are_drawn_within_limits() {
    let numbered = |count: usize, one: fn(usize) -> String| (0..count).map(one).collect::<String>();
    for (what, html) in [
        ("10,000 nested", format!("{}Hello{}", "<div>".repeat(10_000), "</div>".repeat(10_000))),
        ("50,000 open", format!("{}Hello", "<b><p>".repeat(50_000))),
        ("unlike formats", format!("{}Hello", numbered(20_000, |n| format!("<p><font color=c{n}>")))),
        (
            "misnested",
            format!("{}Hello", numbered(20_000, |n| format!("<b lang=l{n}><table><td></b></table><p>"))),
        ),
        ("tables", format!("{}Hello", "<table><tr><td>".repeat(10_000))),
        ("links", format!("{}Hello", "<a href='https://x.example'>a".repeat(40_000))),
        ("lists", format!("{}Hello", "<ul><li>".repeat(20_000))),
        ("5 MB", format!("Hello<p>{}", "lorem ipsum ".repeat(450_000))),
        ("5 MB of tags", format!("Hello{}", "<i>a</i>".repeat(700_000))),
        ("one attribute", format!("<p style='{}'>Hello", "color:red;".repeat(300_000))),
        ("entities", format!("Hello{}", "&lt;".repeat(500_000))),
    ] {
        let page = page(&html);
        assert!(page.html.contains("Hello"), "{what}");
        assert!(page.html.len() < 20 << 20, "{what}: {} bytes", page.html.len());
    }
    let deep = page(&format!("{}<script>no</script><p hidden>no</p>Hello", "<div>".repeat(10_000)));
    assert!(deep.html.contains("Hello") && !deep.html.contains("no"), "hidden content stays hidden");
    // A tag with so many attributes ends the page, for a person and for a model.
    let attributes = format!("Hello<p {}>", numbered(500_000, |n| format!("a{n} ")));
    assert!(page(&attributes).cut && page(&attributes.replace(' ', "/")).cut);
    let noise: Vec<u8> = (0..2_u32 << 20).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let picture = format!("<img src='data:image/png;base64,{}'>Hello", STANDARD.encode(noise));
    assert!(!page(&picture).cut, "its data has slashes, too");
    let mail = format!("Content-Type: text/html\n\n{attributes}");
    assert_eq!(Message::read(mail.as_bytes(), &[]).map(|message| message.text), Ok("Hello".into()));
    assert!(page(&"<i>a</i>".repeat(700_000)).cut && !page("<p>Hello").cut);
}

#[test]
fn a_mail_without_html_has_no_page() {
    let plain = "From: a@b.example\nContent-Type: text/plain\n\n<p>no page</p>\n";
    assert_eq!(Message::page(plain.as_bytes(), &HashMap::new()), Ok(None));
    let attached = "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nHi\n--x\n\
                    Content-Type: text/html\nContent-Disposition: attachment; filename=a.html\n\n<p>file</p>\n--x--\n";
    assert_eq!(Message::page(attached.as_bytes(), &HashMap::new()), Ok(None));
}

/// As mailing lists append their footer.
#[test]
fn a_text_beside_the_html_is_drawn_as_text() {
    let mail = "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html\n\n<p>Hi</p>\n--x\n\
                Content-Type: text/plain\n\n<b>list</b>\nfooter\n--x--\n";
    let html = of(mail, &HashMap::new()).html.replace('\n', "");
    assert_eq!(html, "<p>Hi</p><div>&lt;b&gt;list&lt;/b&gt;<br>footer</div>");
}
