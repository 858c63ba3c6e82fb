use nova_skill::Skill;

/// The skills compiled into Nova: one line each.
pub(crate) fn built_in() -> Vec<Box<dyn Skill>> {
    vec![nova_skill_crm::skill(), nova_skill_vault::skill()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_built_in_skill_is_as_it_should_be_and_no_two_share_a_record_type() {
        for (skill, again) in built_in().into_iter().zip(built_in()) {
            let snapshot = nova_testkit::snapshot_of(vec![skill]);
            nova_testkit::assert_sound(again, &snapshot.skills()[0].id);
        }
        // Fails on a broken one, and a second skill with a type of the first is broken.
        nova_testkit::snapshot_of(built_in());
    }
}
