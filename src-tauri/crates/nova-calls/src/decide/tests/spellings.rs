//! No spelling of a name or an argument evades a rule, by seed.

use super::*;

/// A small generator: the same seed, the same sequence.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % sides as u64).unwrap_or_default()
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.roll(of.len())]
    }

    fn id(&mut self, longest: usize) -> String {
        let letters: Vec<char> = "abcxyzABCXYZ019_-éßƒİ".chars().collect();
        let length = 1 + self.roll(longest);
        (0..length).map(|_| *self.pick(&letters)).collect()
    }

    /// A spelling of the same name that a person, a model or a hostile server could use.
    fn respelled(&mut self, name: &str) -> String {
        let mut out = String::new();
        for c in name.chars() {
            let wide = u32::from(c).checked_add(0xfee0).and_then(char::from_u32);
            match (c, self.roll(6)) {
                ('_', 0 | 1) => out.push('-'),
                ('-', 0 | 1) => out.push('_'),
                ('_', 2) => out.push('＿'),
                (c, 0) if c.is_ascii_lowercase() => out.push(c.to_ascii_uppercase()),
                (c, 0) if c.is_ascii_uppercase() => out.push(c.to_ascii_lowercase()),
                (c, 1) if c.is_ascii_alphanumeric() => out.extend(wide),
                ('é', 1) => out.push_str("e\u{301}"),
                (c, 2) => out.extend([c, *self.pick(&['\u{200b}', '\u{ad}', '\u{2060}', '\u{fe0f}'])]),
                (c, _) => out.push(c),
            }
        }
        out
    }
}

const SEEDS: u64 = 10_000;

#[test]
fn no_spelling_of_a_name_evades_a_deny() {
    for seed in 0..SEEDS {
        let mut dice = Dice(seed);
        let (skill, tool) = (dice.id(8), dice.id(60));
        let separator = *dice.pick(&["__", ".", "--", "_-", "．", "＿＿"]);
        let pattern = match dice.roll(4) {
            0 => dice.respelled(&tool),
            1 => nova_registry::wire_name(&skill, &tool),
            2 => format!("{}{separator}*", dice.respelled(&skill)),
            _ => format!("{}{separator}{}", dice.respelled(&skill), dice.respelled(&tool)),
        };
        let (called_skill, called_tool) = match pattern == nova_registry::wire_name(&skill, &tool) {
            // The registry assigns the wire name, and only this tool has it.
            true => (skill.clone(), tool.clone()),
            false => (dice.respelled(&skill), dice.respelled(&tool)),
        };
        let yaml = json!({"permissions": {"deny": [pattern], "allow": ["*"]}}).to_string();
        let shape = CallShape { skill: &called_skill, tool: &called_tool, ..call(Effect::Read) };
        assert_eq!(
            verdict(&yaml, &Facts { call: shape, ..facts(Effect::Read) }),
            "deny",
            "seed {seed}: {pattern:?} and {called_skill:?} {called_tool:?}"
        );
    }
}

#[test]
fn deny_matches_a_name_iff_it_matches_the_canonical_form() {
    for seed in 0..SEEDS {
        let mut dice = Dice(seed);
        let (skill, tool) = (dice.id(3), dice.id(3));
        let mut pattern = format!("{}__{}", dice.id(3), dice.id(3));
        if dice.roll(2) == 0 {
            // Otherwise hardly any pair would match.
            pattern = format!(
                "{}*__{}*",
                skill.chars().take(1).collect::<String>(),
                tool.chars().take(1).collect::<String>()
            );
        }
        let yaml = json!({"permissions": {"deny": [pattern]}}).to_string();
        let said = |skill: &str, tool: &str| {
            let shape = CallShape { skill, tool, ..call(Effect::Read) };
            verdict(&yaml, &Facts { call: shape, ..facts(Effect::Read) })
        };
        let canonical = (nova_registry::canonical(&skill), nova_registry::canonical(&tool));
        let respelled = (dice.respelled(&skill), dice.respelled(&tool));
        let expected = said(&canonical.0, &canonical.1);
        assert_eq!(said(&skill, &tool), expected, "seed {seed}: {pattern:?} and {skill:?} {tool:?}");
        assert_eq!(said(&respelled.0, &respelled.1), expected, "seed {seed}: {pattern:?} and {respelled:?}");
    }
}

#[test]
fn no_spelling_of_an_argument_evades_a_deny() {
    let yaml = "permissions: {deny: ['mail__send(to=*@evil.example)', 'vault__read_note(path=Diary/*)'], allow: ['*']}";
    for seed in 0..SEEDS {
        let mut dice = Dice(seed);
        let (tool, key, value) = if dice.roll(2) == 0 {
            (("mail", "send"), "to", "eve@evil.example".to_owned())
        } else {
            let ways = [
                "Diary/May.md",
                "./Diary/May.md",
                "Work/../Diary/May.md",
                "Diary//May.md",
                "/Diary/May.md",
                "Work/./../Diary/May",
                "Diary\\May.md",
            ];
            (("vault", "read_note"), "path", (*dice.pick(&ways)).to_owned())
        };
        let mut value = dice.respelled_value(&value);
        if key == "to" {
            value = match dice.roll(4) {
                0 => format!("jane@acme.com, {value}"),
                1 => format!("{value}; jane@acme.com"),
                2 => format!("Eve <{value}>"),
                _ => value,
            };
        }
        let mut value = Value::String(value);
        if dice.roll(3) == 0 {
            value = json!(["something else", value]);
        }
        if dice.roll(3) == 0 {
            value = json!({"address": value});
        }
        let mut args = json!({ dice.respelled(key): value });
        for _ in 0..dice.roll(4) {
            args = match dice.roll(2) {
                0 => json!({"request": args, "more": 1}),
                _ => json!({"requests": [{"other": true}, args]}),
            };
        }
        let shape = CallShape { skill: tool.0, tool: tool.1, effect: Effect::Read, args: &args };
        let said = verdict(yaml, &Facts { call: shape, ..facts(Effect::Read) });
        assert_eq!(said, "deny", "seed {seed}: {args}");
    }
}

impl Dice {
    /// As [`Dice::respelled`], for a value, in which `_` and `-` are distinct.
    fn respelled_value(&mut self, value: &str) -> String {
        let mut out = String::new();
        for c in value.chars() {
            match (c, self.roll(8)) {
                (c, 0) if c.is_ascii_lowercase() => out.push(c.to_ascii_uppercase()),
                (c, 1) if c.is_ascii_graphic() => {
                    out.extend(u32::from(c).checked_add(0xfee0).and_then(char::from_u32));
                }
                (c, 2) => out.extend([c, '\u{200b}']),
                (c, 3) if c.is_ascii() => out.push_str(&format!("%{:02x}", u32::from(c))),
                (c, _) => out.push(c),
            }
        }
        out
    }
}
