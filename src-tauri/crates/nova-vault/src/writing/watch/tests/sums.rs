//! Random edits, verified by applying the reported changes.

use super::*;

/// Random edits; after each handful, the changes reported so far must lead from the original state to the
/// present one, each fitting the previous. Set `NOVA_FUZZ_SAVES` for more of them.
#[test]
fn changes_add_up_to_what_is_on_disk() {
    let edits: usize =
        std::env::var("NOVA_FUZZ_SAVES").ok().and_then(|number| number.parse().ok()).unwrap_or(600);
    let vault = Fixture::new("seed.md = seed");
    let mut reported = BTreeMap::from([("seed.md".to_owned(), "seed".to_owned())]);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for edit in 0..edits {
        random.edit(&vault.path(""), edit);
        if edit % 15 == 14 {
            vault.follow(&mut reported);
        }
    }
    vault.watch.flush();
    vault.changes.try_iter().for_each(|change| apply(&mut reported, change));
    assert_eq!(reported, read_notes(&vault.path("")));
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end
    }

    fn folder(&mut self) -> String {
        let depth = self.below(3);
        (0..depth).map(|_| ["A/", "B/", "C/"][self.below(3)]).collect()
    }

    fn note(&mut self) -> String {
        format!("{}{}.md", self.folder(), ["x", "y", "z"][self.below(3)])
    }

    /// Performs a random edit; impossible ones (moving a folder into itself, editing a missing note) are
    /// skipped.
    fn edit(&mut self, root: &Path, edit: usize) {
        let (one, other) = (root.join(self.note()), root.join(self.note()));
        let (here, there) = (root.join(self.folder()), root.join(self.folder()));
        let text = format!("edit {edit}");
        let parent = |path: &Path| fs::create_dir_all(path.parent().expect("a parent"));
        match self.below(10) {
            0..=2 => drop(parent(&one).and_then(|()| fs::write(&one, text))),
            3..=4 => {
                let temporary = one.with_extension("tmp");
                drop(parent(&one).and_then(|()| fs::write(&temporary, text)));
                drop(fs::rename(&temporary, &one));
            }
            5..=6 => drop(parent(&other).and_then(|()| fs::rename(&one, &other))),
            7 => drop(fs::remove_file(&one)),
            8 if here != root => drop(fs::rename(&here, &there)),
            9 if here != root && self.below(3) == 0 => drop(fs::remove_dir_all(&here)),
            _ => drop(parent(&one).and_then(|()| fs::write(&one, "the same"))),
        }
    }
}

#[test]
fn changes_found_together_are_reported_together() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (sink, batches) = channel();
    let watch = Watch::start_in_batches(
        dir.path().to_owned(),
        Options { folder_limit: 0, poll_every: NEVER, ..Options::default() },
        move |changes| sink.send(changes.len()).unwrap_or_default(),
        |_| {},
    )
    .expect("start the watch");
    for n in 0..1000 {
        fs::write(dir.path().join(format!("{n}.md")), "x").expect("write");
    }
    watch.flush();
    let batches: Vec<usize> = batches.try_iter().collect();
    assert_eq!(batches.iter().sum::<usize>(), 1000);
    assert_eq!(batches.len(), 4, "{batches:?}");
    watch.flush();
}
