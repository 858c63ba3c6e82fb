use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Place;

#[test]
fn refuses_paths_out_of_the_folder() {
    let place = Place::new(&[("a.txt", "inside")]);
    fs::write(place.outside().join("secret.txt"), "outside").unwrap();
    let absolute = place.outside().join("secret.txt").display().to_string();
    let climbing = place.code().join("../secret.txt").display().to_string();
    for path in [
        "code/../secret.txt",
        "code/sub/../../secret.txt",
        "../secret.txt",
        "/etc/passwd",
        &absolute,
        &climbing,
    ] {
        let error = place.read(path).unwrap_err();
        assert!(error.contains("outside its folder") || error.contains("not in a folder"), "{path}: {error}");
    }
    assert_eq!(place.read("code/a.txt").unwrap(), "inside");
    assert_eq!(
        place.read(&place.code().canonicalize().unwrap().join("a.txt").display().to_string()).unwrap(),
        "inside"
    );
}

#[test]
fn follows_no_link_out_of_the_folder() {
    let place = Place::new(&[("a.txt", "inside")]);
    fs::create_dir(place.outside().join("keys")).unwrap();
    fs::write(place.outside().join("keys/id"), "PRIVATE KEY").unwrap();
    symlink(place.outside().join("keys"), place.code().join("keys")).unwrap();
    symlink(place.outside().join("keys/id"), place.code().join("id")).unwrap();
    symlink("../keys/id", place.code().join("relative")).unwrap();
    for path in ["code/keys/id", "code/id", "code/relative"] {
        assert!(place.read(path).unwrap_err().contains("outside its folder"), "{path}");
    }
    assert!(place.folders().find("code/keys").unwrap().list(10, &|| false).is_err());
    assert_eq!(place.found("PRIVATE"), [""; 0]);
    assert_eq!(place.glob("**/id"), [""; 0]);
}

#[test]
fn link_inside_the_folder_is_followed() {
    let place = Place::new(&[("a.txt", "inside")]);
    symlink("a.txt", place.code().join("b.txt")).unwrap();
    assert_eq!(place.read("code/b.txt").unwrap(), "inside");
}

#[test]
fn folder_swapped_for_a_link_reveals_nothing_outside() {
    let place = Place::new(&[("sub/key.txt", "harmless"), ("other/a.txt", "harmless")]);
    let outside = place.outside().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("key.txt"), "PRIVATE KEY").unwrap();
    fs::write(outside.join("only-outside.txt"), "PRIVATE KEY").unwrap();
    symlink(&outside, place.outside().join("link")).unwrap();
    let (sub, aside, link) =
        (place.code().join("sub"), place.outside().join("aside"), place.outside().join("link"));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let swapping = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::rename(&sub, &aside).unwrap();
                fs::rename(&link, &sub).unwrap();
                fs::rename(&sub, &link).unwrap();
                fs::rename(&aside, &sub).unwrap();
            }
        });
        // Until the reads have met both the folder and the link.
        let (mut read, mut refused) = (0, 0);
        for _ in 0..1_000_000 {
            if read > 10 && refused > 10 {
                break;
            }
            for found in place.found(".") {
                assert!(!found.contains("PRIVATE"), "{found}");
            }
            for found in place.glob("*") {
                assert!(!found.contains("only-outside"), "{found}");
            }
            match place.read("code/sub/key.txt") {
                Ok(text) => {
                    assert_eq!(text, "harmless");
                    read += 1;
                }
                Err(error) => refused += usize::from(error.contains("outside its folder")),
            }
        }
        done.store(true, Ordering::Relaxed);
        swapping.join().unwrap();
        assert!(read > 10 && refused > 10, "{read} {refused}");
    });
}
