//! The one way a tool runs: find it, check its arguments and what it requires, apply the rules, ask
//! where they say so, run it against a draft of the vault, write the draft as part of a change set,
//! and report what happened.
//!
//! Model turns, forms, `nova tool call` and whatever comes later all go through [`run_call`]; no
//! other crate can call a tool. What a tool reaches beyond its notes, hosts and secrets, is bound to
//! what it declares and the user allows. This crate never talks to a model, never stores a session and never
//! shows anything: it emits events and asks through traits.

mod answer;
mod arguments;
mod call;
mod context;
mod credentials;
mod decide;
mod detach;
mod draft_vault;
mod figures;
mod given;
mod grants;
mod hosts;
mod in_order;
mod only_here;
mod questions;
mod reach;
mod refused;
mod run;
mod secrets;
mod so_far;
mod trusted;
mod view;
mod watch;

pub use answer::{Answer, ApprovalRequest, Approver, NoApprover};
pub use call::{Arguments, Call, CallEvents, CallScope, CalledTool, Outcome};
pub use credentials::{NoCredentials, consumer};
pub use decide::{Because, Content, Facts, Ruling, Verdict, decide};
pub use detach::{DetachedCall, Settled, detachable, run_or_detach};
pub use draft_vault::{SeenNote, SeenNotes};
pub use grants::{Grantee, Grants, KeepRule};
pub use in_order::{Place, places};
pub use run::run_call;
pub use so_far::{TurnSoFar, is_foreign};
pub use trusted::{Approval, Approved, Standing, ToolContent, ToolFace, content_of};
pub use view::{change_kind_view, diff_view, effect_view, error_from_tool, error_from_vault, principal_view};
pub use watch::{CallWatch, SoFar};
