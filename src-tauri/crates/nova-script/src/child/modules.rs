//! Importable modules: zod and `defineTool`, as bytecode compiled by build.rs.

use std::{cell::Cell, rc::Rc};

use rquickjs::{
    Ctx, Exception, Result,
    loader::{Bundle, ImportAttributes, Resolver},
};

use super::compile::{IMPORTS, no_such_module};

macro_rules! bytecode {
    ($file:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $file, ".bytecode")).as_slice()
    };
}

/// Bytecode is not validated, so only what was compiled into this program is loaded.
pub(super) const MODULES: Bundle = rquickjs::loader::bundle::Bundle(&[
    ("zod", bytecode!("zod")),
    ("nova:globals", bytecode!("nova-globals")),
    ("nova:web", bytecode!("nova-web")),
    ("nova:prelude", bytecode!("nova-prelude")),
    ("nova:tools", bytecode!("nova-tools")),
]);

/// Resolves module names.
pub(super) struct Names {
    /// Restricts resolution to the modules that a tool may import.
    pub(super) sealed: Rc<Cell<bool>>,
}

impl Resolver for Names {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        _: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        match name {
            "@nova/tools" | "@nexus/tools" => Ok("nova:tools".to_owned()),
            _ if IMPORTS.contains(&name) => Ok(name.to_owned()),
            _ if !self.sealed.get() => Ok(name.to_owned()),
            _ => Err(Exception::throw_type(ctx, &no_such_module(name))),
        }
    }
}
