use nova_skill::Skill;

/// The skills compiled into Nova: one line each.
pub(crate) fn built_in() -> Vec<Box<dyn Skill>> {
    vec![nova_skill_vault::skill(), nova_skill_crm::skill()]
}
