//! Finds the line of a key in a JSON file.

/// The line, from 1, of `path`, such as `skills.crm.config.records.contact.match[0]`, in a JSON text; of the
/// deepest existing part if the rest is missing. Keys may contain dots.
pub(crate) fn line_of(text: &str, path: &str) -> u32 {
    let mut reader = Reader { text, at: 0 };
    let mut found = 0;
    reader.find(path, &mut found);
    let lines = text.get(..found).unwrap_or_default().matches('\n').count();
    u32::try_from(lines + 1).unwrap_or(u32::MAX)
}

struct Reader<'a> {
    text: &'a str,
    /// Byte offset.
    at: usize,
}

impl<'a> Reader<'a> {
    /// Parses a value and sets `found` to the offset of the deepest part of the path.
    fn find(&mut self, path: &str, found: &mut usize) {
        match self.next() {
            Some('{') => self.find_in_object(path, found),
            Some('[') => self.find_in_list(path, found),
            _ => {}
        }
    }

    fn find_in_object(&mut self, path: &str, found: &mut usize) {
        self.at += 1;
        while let Some('"') = self.next() {
            let place = self.at;
            let key = self.string();
            if self.next() == Some(':') {
                self.at += 1;
            }
            let below = path.strip_prefix(key).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
            if let Some(below) = below {
                *found = place;
                return self.find(below.strip_prefix('.').unwrap_or(below), found);
            }
            self.skip();
            if self.next() == Some(',') {
                self.at += 1;
            }
        }
    }

    fn find_in_list(&mut self, path: &str, found: &mut usize) {
        let Some((index, below)) = path.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
            return;
        };
        let Ok(index) = index.parse::<usize>() else { return };
        self.at += 1;
        for _ in 0..index {
            self.skip();
            if self.next() != Some(',') {
                return;
            }
            self.at += 1;
        }
        if self.next().is_some_and(|next| next != ']') {
            *found = self.at;
            self.find(below.strip_prefix('.').unwrap_or(below), found);
        }
    }

    /// The next non-space character.
    fn next(&mut self) -> Option<char> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.len() - rest.trim_start().len();
        self.text.get(self.at..)?.chars().next()
    }

    /// The raw contents of a string.
    fn string(&mut self) -> &'a str {
        let from = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut at = from;
        while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'"') {
            at += if *byte == b'\\' { 2 } else { 1 };
        }
        self.at = at + 1;
        self.text.get(from..at).unwrap_or_default()
    }

    /// Skips a whole value.
    fn skip(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.next() {
                None => return,
                Some('"') => {
                    self.string();
                }
                Some('{' | '[') => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                Some('}' | ']') => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                Some(',' | ':') => {
                    self.at += 1;
                    continue;
                }
                Some(_) => {
                    let rest = self.text.get(self.at..).unwrap_or_default();
                    self.at += rest.find([',', '}', ']', '\n', ' ']).unwrap_or(rest.len());
                }
            }
            if depth == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::line_of;

    const TEXT: &str = r#"{
  "vault": "/notes \"of {mine\"",
  "skills": {
    "mail": { "config": { "a": [1, {"b": []}, "x"] } },
    "crm": {
      "config": { "records": { "contact": { "match": [
        { "tag": "person" },
        { "where": "stage is lead" }
      ], "names": {
        "e.mail": 1
      } } } }
    }
  }
}"#;

    fn check(path: &str, line: u32) {
        assert_eq!(line_of(TEXT, path), line, "{path}");
    }

    #[test]
    fn finds_keys_and_items() {
        check("vault", 2);
        check("skills.crm", 5);
        check("skills.crm.config.records.contact.match[0]", 7);
        check("skills.crm.config.records.contact.match[1].where", 8);
        check("skills.crm.config.records.contact.names.e.mail", 10);
    }

    #[test]
    fn missing_part_gives_the_line_of_its_parent() {
        check("skills.crm.config.records.contact.match[7]", 6);
        check("skills.crm.config.records.deal", 6);
        check("servers", 1);
    }

    #[test]
    fn truncated_text_terminates() {
        for end in 0..TEXT.len() {
            if let Some(text) = TEXT.get(..end) {
                line_of(text, "skills.crm.config.records.contact.match[1]");
            }
        }
    }
}
