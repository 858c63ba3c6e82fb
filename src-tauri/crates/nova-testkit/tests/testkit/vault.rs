use nova_testkit::TempVault;
use nova_vault::{Author, ChangeSetKind, VaultPath};

#[test]
fn string_becomes_exact_files() {
    let vault = TempVault::from("\n//- A.md\n---\ntype: x\n---\n\n//- B/C d.md\nno line break at the end");
    assert_eq!(vault.files(), ["A.md", "B/C d.md"]);
    assert_eq!(vault.read("A.md"), "---\ntype: x\n---\n\n");
    assert_eq!(vault.read("B/C d.md"), "no line break at the end");
    assert!(TempVault::from("").files().is_empty());
}

#[test]
#[should_panic(expected = "starts with a line `//- path`")]
fn text_before_the_first_file_is_an_error() {
    let _ = TempVault::from("lost\n//- A.md\n");
}

#[test]
fn real_vault_reads_and_writes_it() {
    let vault = TempVault::from("//- A.md\n---\ntype: x\n---\n");
    let (first, second) = (vault.open(), vault.open());
    let path = VaultPath::parse("A.md").unwrap();
    let mut ids = Vec::new();
    for opened in [&first, &second] {
        let mut draft = opened.draft();
        draft.append(&path, "more", None).unwrap();
        let set = opened.change_set(ChangeSetKind::Cli, "test".into());
        set.apply(draft, &Author::new("user")).unwrap();
        ids.push(set.id().to_owned());
    }
    assert_eq!(ids, ["set1", "set2"], "vaults on one folder share a journal and its ids");
    assert!(vault.read("A.md").ends_with("more\nmore\n"), "{:?}", vault.read("A.md"));
    assert_eq!(vault.files(), ["A.md"]);
}

#[test]
fn folder_is_copied_with_all_its_files() {
    let first = TempVault::from("//- A/B/c.md\ntext\n//- .obsidian/app.json\n{}\n");
    let copy = TempVault::copy_of(&first.root());
    assert_eq!(copy.files(), [".obsidian/app.json", "A/B/c.md"]);
    copy.write("A/B/c.md", "other");
    assert_eq!(first.read("A/B/c.md"), "text\n");
    copy.remove("A/B/c.md");
    assert!(!copy.exists("A/B/c.md") && first.exists("A/B/c.md"), "the copy is independent");
}
