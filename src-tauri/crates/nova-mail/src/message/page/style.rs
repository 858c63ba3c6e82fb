//! Which styles a message may set: colours, fonts, space and borders of its own elements. None moves an element
//! elsewhere, hides one, or loads anything.

/// Properties that are kept in `style` attributes.
pub(super) const PROPERTIES: [&str; 58] = [
    "background-color",
    "border",
    "border-bottom",
    "border-bottom-color",
    "border-bottom-left-radius",
    "border-bottom-right-radius",
    "border-bottom-style",
    "border-bottom-width",
    "border-collapse",
    "border-color",
    "border-left",
    "border-left-color",
    "border-left-style",
    "border-left-width",
    "border-radius",
    "border-right",
    "border-right-color",
    "border-right-style",
    "border-right-width",
    "border-spacing",
    "border-style",
    "border-top",
    "border-top-color",
    "border-top-left-radius",
    "border-top-right-radius",
    "border-top-style",
    "border-top-width",
    "border-width",
    "color",
    "direction",
    "font",
    "font-family",
    "font-size",
    "font-style",
    "font-variant",
    "font-weight",
    "height",
    "line-height",
    "list-style-type",
    "margin",
    "margin-bottom",
    "margin-left",
    "margin-right",
    "margin-top",
    "max-width",
    "min-width",
    "padding",
    "padding-bottom",
    "padding-left",
    "padding-right",
    "padding-top",
    "table-layout",
    "text-align",
    "text-decoration",
    "text-transform",
    "vertical-align",
    "white-space",
    "width",
];

/// The longest attribute that is read.
const MOST: usize = 4_000;

/// The allowed part of a `style` attribute.
pub(super) fn kept(style: &str) -> String {
    let mut kept = String::new();
    for declaration in style.get(..style.floor_char_boundary(MOST)).unwrap_or_default().split(';') {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        let (mut property, value) = (property.trim().to_ascii_lowercase(), value.trim());
        if property == "background" && !value.contains(char::is_whitespace) {
            // A plain colour; with an image it has more words or a URL.
            property = "background-color".into();
        }
        if PROPERTIES.contains(&property.as_str()) && is_plain(&property, value) {
            kept.push_str(&format!("{property}:{value};"));
        }
    }
    kept
}

/// Words, lengths and colours: no URL, no escape, no variable, no comment, and no negative length, which would move
/// an element over another.
fn is_plain(property: &str, value: &str) -> bool {
    let is_known = |c: char| c.is_alphanumeric() || c.is_whitespace() || "#%.,+-'\"()!/_".contains(c);
    let calls = value.match_indices('(').map(|(at, _)| &value[..at]);
    let mut colours = calls.map(|before| {
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        matches!(name.to_ascii_lowercase().as_str(), "rgb" | "rgba" | "hsl" | "hsla")
    });
    let is_length = !property.starts_with("font") && !property.ends_with("color");
    let negative = |word: &str| {
        word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
    };
    value.chars().all(is_known)
        && !value.contains("/*")
        && colours.all(|is_colour| is_colour)
        && !(is_length && value.split(|c: char| c.is_whitespace() || c == ',').any(negative))
}

/// Whether a style sets a text or background colour.
pub(super) fn sets_colours(kept: &str) -> bool {
    kept.split(';')
        .any(|declaration| declaration.starts_with("color:") || declaration.starts_with("background-color:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_sorted() {
        assert!(PROPERTIES.is_sorted());
    }

    #[test]
    fn text_styles_are_kept() {
        for style in [
            "color:#333;",
            "background-color:rgb(1, 2, 3);",
            "font-family:'Helvetica Neue', Arial;",
            "padding:0 10px !important;",
            "font:12px/1.5 Arial;",
            "width:100%;",
        ] {
            assert_eq!(kept(style), style);
        }
        assert_eq!(kept("BACKGROUND: #fff ; Color : red"), "background-color:#fff;color:red;");
    }

    #[test]
    fn everything_else_is_dropped() {
        for style in [
            "position: fixed; top: 0; z-index: 9",
            "background: url(https://e.example/x)",
            "background-color: url(https://e.example/x)",
            "color: \\75rl(x)",
            "color: red/* ; */",
            "width: expression(alert(1))",
            "width: calc(100vw + 100px)",
            "margin: -20px 0",
            "margin-top:-.5em",
            "background-image: image-set('https://e.example/x' 1x)",
            "color: var(--x)",
            "content: 'x'; opacity: 0; display: none; float: left; transform: scale(9)",
            "behavior: url(#x); -moz-binding: url(#x)",
            "@import 'https://e.example/x'",
            "color: red } body { color: blue",
        ] {
            assert_eq!(kept(style), "", "{style}");
        }
    }
}
