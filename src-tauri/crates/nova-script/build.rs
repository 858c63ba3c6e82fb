//! Compiles the modules of `js/` to QuickJS bytecode, so that a process need not parse zod.

use std::{env, error::Error, fs, path::Path};

use rquickjs::{
    Context, Ctx, Module, Runtime, WriteOptions, WriteOptionsEndianness,
    loader::{ImportAttributes, Loader, Resolver},
};

/// Named as by the resolver in `src/child/modules.rs`.
const MODULES: [(&str, &str); 5] = [
    ("zod", "zod.mjs"),
    ("nova:globals", "globals.mjs"),
    ("nova:web", "web.mjs"),
    ("nova:prelude", "prelude.mjs"),
    ("nova:tools", "tools.mjs"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=js");
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR")?;
    let big = env::var("CARGO_CFG_TARGET_ENDIAN")? == "big";
    let runtime = Runtime::new()?;
    runtime.set_loader(Sources, Sources);
    let context = Context::full(&runtime)?;
    context.with(|ctx| -> Result<(), Box<dyn Error>> {
        for (name, file) in MODULES {
            let module =
                declare(&ctx, name).map_err(|error| format!("js/{file}: {error} {:?}", ctx.catch()))?;
            let bytecode = module.write(WriteOptions {
                endianness: if big { WriteOptionsEndianness::Big } else { WriteOptionsEndianness::Little },
                strip_source: true,
                ..WriteOptions::default()
            })?;
            let file = name.replace(':', "-");
            fs::write(Path::new(&out).join(format!("{file}.bytecode")), bytecode)?;
        }
        Ok(())
    })
}

fn declare<'js>(ctx: &Ctx<'js>, name: &str) -> rquickjs::Result<Module<'js>> {
    let file = MODULES.iter().find(|(known, _)| *known == name);
    let (name, file) = file.ok_or_else(|| rquickjs::Error::new_loading(name))?;
    Module::declare(ctx.clone(), *name, fs::read(Path::new("js").join(file))?)
}

struct Sources;

impl Resolver for Sources {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        _: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        Ok(name.to_owned())
    }
}

impl Loader for Sources {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js>> {
        declare(ctx, name)
    }
}
