use url::Url;

use super::xml::{Element, Space, XmlError, parse};
use super::{DavError, Response};

/// A multi-status response (RFC 4918, 13).
#[derive(Debug)]
pub(super) struct Multistatus {
    /// The URL after redirects, against which hrefs are resolved.
    pub(super) url: Url,
    pub(super) answers: Vec<Answer>,
    pub(super) token: Option<String>,
}

/// The part about one resource.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) href: String,
    /// The status of the resource itself.
    pub(super) status: Option<u16>,
    /// Its properties with status 200.
    props: Vec<Element>,
}

impl Answer {
    pub(super) fn prop(&self, space: Space, name: &str) -> Option<&Element> {
        self.props.iter().flat_map(|props| &props.children).find(|prop| prop.is(space, name))
    }

    pub(super) fn text(&self, space: Space, name: &str) -> Option<String> {
        self.prop(space, name)?.said().map(str::to_owned)
    }
}

impl Multistatus {
    /// # Errors
    /// For any status but 207, and for a malformed body.
    pub(super) fn read<E>(response: Response) -> Result<Self, DavError<E>> {
        match response.status {
            207 => {}
            // A login page or a description of the server.
            200..300 => return Err(DavError::NoCalendar),
            status => return Err(DavError::of_status(status)),
        }
        let root = parse(&response.body).map_err(DavError::Answer)?;
        if !root.is(Space::Dav, "multistatus") {
            let page = root.name.eq_ignore_ascii_case("html");
            let name = root.name.chars().take(40).collect();
            return Err(DavError::Answer(if page { XmlError::WebPage } else { XmlError::Unexpected(name) }));
        }
        let token = root.child(Space::Dav, "sync-token").and_then(Element::said).map(str::to_owned);
        let answers =
            root.children.into_iter().filter(|child| child.is(Space::Dav, "response")).filter_map(answer);
        Ok(Self { url: response.url, answers: answers.collect(), token })
    }
}

fn answer(response: Element) -> Option<Answer> {
    let href = response.href()?.to_owned();
    let status = response.child(Space::Dav, "status").and_then(status_of);
    let mut props = Vec::new();
    for propstat in response.children.into_iter().filter(|child| child.is(Space::Dav, "propstat")) {
        let status = propstat.child(Space::Dav, "status").and_then(status_of).unwrap_or(200);
        if (200..300).contains(&status) {
            props.extend(propstat.children.into_iter().filter(|child| child.is(Space::Dav, "prop")));
        }
    }
    Some(Answer { href, status, props })
}

/// `HTTP/1.1 404 Not Found`
fn status_of(line: &Element) -> Option<u16> {
    line.text.split_whitespace().nth(1)?.parse().ok()
}
