fn main() {
    #[cfg(feature = "desktop")]
    desktop();
}

#[cfg(feature = "desktop")]
fn desktop() {
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    println!("cargo:rerun-if-changed=src-tauri/permissions");
    // It names the files of the page, which are embedded: others have come when it has changed.
    println!("cargo:rerun-if-changed=ui/dist/index.html");
    // Both commands are named as permissions, so that the page may call these two and no other.
    let manifest =
        tauri_build::AppManifest::new().permissions_path_pattern("./src-tauri/permissions/**/*.toml");
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*")
        .app_manifest(manifest);
    if let Err(error) = tauri_build::try_build(attributes) {
        panic!("tauri build step: {error:#}");
    }
}
