//! URLs, text encoding, base64 and random numbers, for the globals of `js/web.mjs` and `js/globals.mjs`.

use base64::{Engine, engine::general_purpose::STANDARD};
use rquickjs::{Ctx, Exception, Function, Object, Result, TypedArray, function::Opt};
use url::{Url, form_urlencoded, quirks};

pub(super) fn install<'js>(ctx: &Ctx<'js>, host: &Object<'js>) -> Result<()> {
    let set = |name: &str, function: Result<Function<'js>>| host.set(name, function?);

    let parse_url = |url: String, base: Opt<Option<String>>| {
        let base = base.0.flatten();
        let base = base.as_deref().map(Url::parse).transpose().ok()?;
        let url = Url::options().base_url(base.as_ref()).parse(&url).ok()?;
        Some(parts(&url))
    };
    set("parseUrl", Function::new(ctx.clone(), parse_url))?;
    let change_url = |href: String, part: String, value: String| {
        let mut url = Url::parse(&href).ok()?;
        // As in browsers, an invalid part is ignored, unless it is the whole URL.
        let _ = match part.as_str() {
            "href" => {
                url = Url::parse(&value).ok()?;
                Ok(())
            }
            "protocol" => quirks::set_protocol(&mut url, &value),
            "username" => quirks::set_username(&mut url, &value),
            "password" => quirks::set_password(&mut url, &value),
            "host" => quirks::set_host(&mut url, &value),
            "hostname" => quirks::set_hostname(&mut url, &value),
            "port" => quirks::set_port(&mut url, &value),
            "pathname" => {
                quirks::set_pathname(&mut url, &value);
                Ok(())
            }
            "search" => {
                quirks::set_search(&mut url, &value);
                Ok(())
            }
            _ => {
                quirks::set_hash(&mut url, &value);
                Ok(())
            }
        };
        Some(parts(&url))
    };
    set("changeUrl", Function::new(ctx.clone(), change_url))?;
    let parse_query = |query: String| -> Vec<Vec<String>> {
        let pairs = form_urlencoded::parse(query.as_bytes());
        pairs.map(|(name, value)| vec![name.into_owned(), value.into_owned()]).collect()
    };
    set("parseQuery", Function::new(ctx.clone(), parse_query))?;
    let write_query = |pairs: Vec<Vec<String>>| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for pair in &pairs {
            if let [name, value] = pair.as_slice() {
                query.append_pair(name, value);
            }
        }
        query.finish()
    };
    set("writeQuery", Function::new(ctx.clone(), write_query))?;

    let encode = |ctx: Ctx<'js>, text: String| TypedArray::<u8>::new(ctx, text);
    set("encode", Function::new(ctx.clone(), encode))?;
    // `None` if the bytes, given as base64, are not UTF-8.
    let decode = |ctx: Ctx<'js>, base64: String, latin: bool| -> Result<Option<String>> {
        let bytes = bytes(&ctx, &base64)?;
        Ok(match latin {
            true => Some(bytes.into_iter().map(windows_1252).collect()),
            false => String::from_utf8(bytes).ok(),
        })
    };
    set("decode", Function::new(ctx.clone(), decode))?;
    let decode_lossy = |ctx: Ctx<'js>, base64: String| -> Result<String> {
        Ok(String::from_utf8_lossy(&bytes(&ctx, &base64)?).into_owned())
    };
    set("decodeLossy", Function::new(ctx.clone(), decode_lossy))?;
    let random = |ctx: Ctx<'js>, length: usize| {
        let mut bytes = vec![0; length.min(65_536)];
        match getrandom::fill(&mut bytes) {
            Ok(()) => TypedArray::<u8>::new(ctx, bytes),
            Err(error) => Err(Exception::throw_internal(&ctx, &error.to_string())),
        }
    };
    set("random", Function::new(ctx.clone(), random))
}

/// The components in the order of `PARTS` in web.mjs, then the origin.
fn parts(url: &Url) -> Vec<String> {
    [
        quirks::href(url),
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
        &quirks::origin(url),
    ]
    .map(str::to_owned)
    .into()
}

fn bytes(ctx: &Ctx<'_>, base64: &str) -> Result<Vec<u8>> {
    let decoded = STANDARD.decode(base64);
    decoded.map_err(|error| Exception::throw_type(ctx, &format!("not base64: {error}")))
}

/// The encoding that the web calls latin1, in which 0x80 to 0x9f are not control characters.
/// <https://encoding.spec.whatwg.org/index-windows-1252.txt>
fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}
