fn main() {
    #[cfg(feature = "desktop")]
    desktop();
}

#[cfg(feature = "desktop")]
fn desktop() {
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*");
    if let Err(error) = tauri_build::try_build(attributes) {
        panic!("tauri build step: {error:#}");
    }
}
