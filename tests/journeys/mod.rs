// Node is there wherever the page was built.
#[cfg(feature = "desktop")]
mod a_model_that_breaks;
mod asking_a_question;
mod asking_the_vault;
#[cfg(target_os = "linux")]
mod at_a_terminal;
mod bad_input;
mod binding_keys;
mod bounding_an_answer;
mod branching_a_chat;
mod changing_a_note;
mod changing_skills_during_a_chat;
mod checking_a_vault;
mod choosing_a_provider;
mod choosing_a_side;
mod choosing_a_skill;
mod choosing_a_vault;
mod command_line;
mod deciding_together;
mod editing_outside;
mod ending_a_turn;
mod evading_rules;
mod exporting_a_chat;
mod finding_a_chat;
mod folder_skills;
mod getting_a_model;
mod glancing;
mod keeping_a_budget;
mod keeping_credentials;
mod keeping_private;
mod keeping_requests_small;
mod loading_a_skill;
mod long_chats;
#[cfg(unix)]
mod losing_the_vault;
mod nova;
#[cfg(unix)]
mod odd_files;
mod owning_shares;
mod panels;
mod posing_as_nova;
mod promoting_a_tool;
mod reading_a_skill;
mod reading_about_skills;
mod reading_hostile_text;
mod reading_the_manual;
mod reading_the_terminal;
mod recording;
mod routing_requests;
mod ruling;
mod running_a_pipeline;
mod running_on;
mod running_typescript;
mod setting_up_skills;
mod showing_images;
mod signing_in;
mod skills;
mod skills_from_elsewhere;
mod stopping;
#[cfg(target_os = "linux")]
mod unmounting;
mod using_a_vault_as_it_is;
mod using_credentials;
mod using_mcp_servers;
mod writing_a_tool;
mod writing_after_private_reads;
mod writing_on;
