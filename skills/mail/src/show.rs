use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use nova_mail::{HtmlPage, Picture, RemotePicture};
use nova_skill::{
    Description, Effect, HttpRequest, JsonSchema, NativeTool, Output, Tool, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, native, schemars,
};
use serde::Deserialize;
use url::Url;

use crate::accounts::{hosts, message, unavailable};
use crate::bodies;
use crate::opened::{Opened, told};
use crate::read::{add_links, answer};

/// Shows a message as `mail.read` does, with its HTML as a page.
pub(crate) struct Show;

/// The same, with remote pictures.
struct ShowWithPictures;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Which {
    /// The id of the message.
    id: String,
    /// Hosts from which its pictures are loaded, this once.
    pictures_from: Option<BTreeSet<String>>,
}

/// How many pictures are loaded at once.
const AT_ONCE: usize = 4;
/// The time limit of one picture.
const PATIENCE: Duration = Duration::from_secs(15);
/// The most bytes of all loaded pictures.
const LOADED: usize = 8 << 20;

#[async_trait]
impl NativeTool for Show {
    type Args = Which;
    const ID: &'static str = "show";
    const EFFECT: Effect = Effect::Read;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];

    fn description(&self) -> Description {
        Description::purpose("Shows one mail in the window.")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    fn for_call(&self, args: &Value, _config: &Value) -> Option<Arc<dyn Tool>> {
        (!wanted(args).is_empty()).then(|| native(ShowWithPictures))
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        show(which, ctx).await
    }
}

#[async_trait]
impl NativeTool for ShowWithPictures {
    type Args = Which;
    const ID: &'static str = Show::ID;
    const EFFECT: Effect = Effect::External;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = Show::OPTIONAL_CREDENTIALS;

    fn description(&self) -> Description {
        Description::purpose("Shows one mail in the window with its pictures of the web.")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args).into_iter().chain(wanted(args)).collect())
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    fn question(&self, args: &Value, _config: &Value) -> Option<String> {
        Some(format!("Load pictures from {}, this once?", wanted(args).join(", ")))
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        show(which, ctx).await
    }
}

fn wanted(args: &Value) -> Vec<String> {
    let named = args["pictures_from"].as_array().into_iter().flatten();
    named.filter_map(Value::as_str).map(str::to_owned).collect()
}

async fn show(which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
    let (account, id) = message(ctx.config(), &which.id, None)?;
    let mut opened = Opened::new(ctx.as_ref(), account.clone()).await?;
    let fetched = bodies::fetch(&mut opened, &id).await.map_err(|error| told(&account, &error));
    opened.close().await;
    let fetched = fetched?;
    let receiver: Vec<&str> = account.checked_by.as_deref().into_iter().collect();
    let unread = |error: nova_mail::MessageError| told(&account, &error.into());
    let message = fetched.read(&receiver).map_err(unread)?;
    let mut answer = answer(ctx.as_ref(), which.id, &message);
    add_links(&mut answer, &message);
    let Some(mut page) = fetched.page(&HashMap::new()).map_err(unread)? else {
        return Ok(Output::new(answer.into()).untrusted().into());
    };
    let wanted = which.pictures_from.unwrap_or_default();
    let mut failed = Vec::new();
    if !wanted.is_empty() {
        let pictures: Vec<_> = page.remote.iter().filter(|picture| wanted.contains(&picture.host)).collect();
        let loaded;
        (loaded, failed) = load(ctx.as_ref(), &pictures).await?;
        page = fetched.page(&loaded).map_err(unread)?.unwrap_or(page);
    }
    answer.insert("page".into(), shown(&page, &failed));
    Ok(Output::new(answer.into()).untrusted().into())
}

fn shown(page: &HtmlPage, failed: &[String]) -> Value {
    let hosts: BTreeSet<&str> = page.remote.iter().map(|picture| picture.host.as_str()).collect();
    json!({
        "html": page.html,
        "colours": page.colours,
        "cut": page.cut,
        "pictures_not_loaded": page.remote.len(),
        "hosts": hosts,
        "failed": failed,
    })
}

/// The pictures by their URL, and why others were not loaded.
///
/// # Errors
/// If the call is cancelled.
async fn load(
    ctx: &dyn ToolContext,
    pictures: &[&RemotePicture],
) -> Result<(HashMap<String, Picture>, Vec<String>), ToolError> {
    let loading: Vec<_> = pictures.iter().map(|picture| picture_of(ctx, picture)).collect();
    let mut results = stream::iter(loading).buffered(AT_ONCE).zip(stream::iter(pictures));
    let (mut loaded, mut failed, mut bytes) = (HashMap::new(), BTreeMap::new(), 0);
    while let Some((result, picture)) = results.next().await {
        match result {
            Ok(read) => {
                bytes += read.size();
                loaded.insert(picture.url.clone(), read);
            }
            Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
            Err(error) => {
                failed.insert(picture.host.clone(), error.to_string());
            }
        }
        if bytes > LOADED {
            failed.insert(picture.host.clone(), format!("the pictures have more than {} MB", LOADED >> 20));
            break;
        }
    }
    Ok((loaded, failed.into_iter().map(|(host, why)| format!("{host}: {why}")).collect()))
}

async fn picture_of(ctx: &dyn ToolContext, picture: &RemotePicture) -> Result<Picture, ToolError> {
    let refused = |why: String| ToolError::failed(why, "The mail is shown without it.");
    let url = Url::parse(&picture.url).map_err(|error| refused(error.to_string()))?;
    let request = HttpRequest {
        method: "GET".into(),
        url,
        headers: [("accept".to_owned(), "image/png, image/jpeg, image/gif, image/webp".to_owned())].into(),
        body: None,
        timeout: Some(PATIENCE),
    };
    let response = ctx.http().send(request).await?;
    if response.status != 200 {
        return Err(refused(format!("it answered {}", response.status)));
    }
    Picture::read(response.body).map_err(|error| refused(error.to_string()))
}
