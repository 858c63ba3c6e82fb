use nova_credentials::{Place, Template};
use serde_json::Value;

use super::{GivenSignIn, Text, text, texts};

/// Parses `oauth` of an entry; accepts `clientId` and the like as aliases.
pub(super) fn read(value: Option<&Value>, at: &impl Fn(&str) -> String) -> Result<GivenSignIn, String> {
    let entry = match value {
        // Other programs disable it with `false`.
        None | Some(Value::Null | Value::Bool(_)) => return Ok(GivenSignIn::default()),
        Some(Value::Object(entry)) => entry,
        Some(_) => return Err(format!("{} is not an object. Write {{\"client_id\": …}}.", at("oauth"))),
    };
    let at = |key: &str| at(&format!("oauth.{key}"));
    let either =
        |ours: &str, theirs: &str| if entry.contains_key(ours) { ours.to_owned() } else { theirs.to_owned() };
    let secret = text(entry, &either("client_secret", "clientSecret"), &at)?;
    let secret = secret.map(|written| match Template::parse(Place::Header, &written) {
        Ok(template) if template.references().next().is_some() => Ok(Text { written, template }),
        Ok(_) => Err(format!(
            "{} is plain text. Store it as a credential: ${{credentials:service/key}}.",
            at("client_secret")
        )),
        Err(error) => Err(format!("{}: {error} {}", at("client_secret"), error.hint())),
    });
    let port = match entry.get(&either("callback_port", "callbackPort")) {
        None | Some(Value::Null) => None,
        Some(value) => {
            let port = value.as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port >= 1024);
            Some(port.ok_or_else(|| {
                format!("{} is not a port from 1024 to 65535. Correct it.", at("callback_port"))
            })?)
        }
    };
    Ok(GivenSignIn {
        client_id: text(entry, &either("client_id", "clientId"), &at)?,
        client_secret: secret.transpose()?,
        scopes: texts(entry.get("scopes"), &at("scopes"))?,
        port,
    })
}
