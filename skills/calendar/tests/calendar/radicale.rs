//! The skill with an account on Radicale, a third-party calendar server.

use nova_skill::{Value, json};
use nova_testkit::{FixedClock, FixedCredentials, SkillInVault, TempVault};

pub(crate) use nova_testkit::Radicale;

pub(crate) trait WithSkill {
    /// The skill with this server as the account "Mine".
    fn skill(&self) -> SkillInVault {
        self.skill_with(json!({}))
    }

    fn skill_with(&self, more: Value) -> SkillInVault;
}

impl WithSkill for Radicale {
    fn skill_with(&self, more: Value) -> SkillInVault {
        let mut entry = json!({
            "name": "Mine", "caldav": self.address(), "user": "noor", "password": "${credentials:calendar/mine}",
        });
        for (key, value) in more.as_object().unwrap() {
            entry[key] = value.clone();
        }
        let vault = TempVault::from("").with_clock(FixedClock::default().in_zone("Europe/Berlin"));
        let skill = SkillInVault::new(nova_skill_calendar::skill(), vault);
        let mut skill = skill.with_config(json!({"calendars": [entry]}));
        skill.credentials =
            std::sync::Arc::new(FixedCredentials::default().with("calendar/mine", Self::PASSWORD));
        skill
    }
}
