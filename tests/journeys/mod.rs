// Node is there wherever the page was built.
#[cfg(feature = "desktop")]
mod a_model_that_breaks;
#[cfg(unix)]
mod adding_a_native_skill;
mod adding_servers;
mod asked_by_a_server;
mod asking_a_question;
mod asking_about_today;
mod asking_the_vault;
mod asking_through_a_client;
#[cfg(target_os = "linux")]
mod at_a_terminal;
mod bad_input;
mod being_refused;
mod being_reminded;
mod binding_keys;
mod bounding_an_answer;
mod branching_a_chat;
mod changing_a_note;
mod changing_skills_during_a_chat;
mod changing_the_model;
mod checking_a_vault;
mod choosing_a_provider;
mod choosing_a_side;
mod choosing_a_skill;
mod choosing_a_vault;
mod command_line;
mod deciding_together;
#[cfg(target_os = "linux")]
mod deploying_a_release;
mod editing_outside;
mod ending_a_turn;
mod evading_rules;
mod exporting_a_chat;
mod fields_of_ones_own;
mod filling_a_form;
mod finding_a_chat;
mod folder_skills;
mod getting_a_model;
mod giving_tasks;
mod glancing;
mod keeping_a_budget;
mod keeping_credentials;
mod keeping_private;
mod keeping_requests_small;
mod keeping_routines;
mod keeping_tasks;
mod linking_notes;
mod loading_a_skill;
mod long_chats;
mod looking_at_a_file;
#[cfg(unix)]
mod losing_the_vault;
mod mcp_client;
mod meeting_people;
mod nova;
#[cfg(unix)]
mod odd_files;
mod owning_shares;
mod panels;
mod posing_as_nova;
mod promoting_a_tool;
mod protected_server;
#[cfg(target_os = "linux")]
mod reaching_hosts;
mod reading_a_skill;
mod reading_about_skills;
mod reading_documents;
mod reading_hostile_text;
mod reading_mail;
mod reading_the_manual;
mod reading_the_terminal;
mod reading_the_web;
mod recording;
mod records_as_people_keep_them;
mod routing_requests;
mod ruling;
mod ruling_sub_agents;
mod running_a_pipeline;
mod running_code;
#[cfg(target_os = "linux")]
mod running_commands;
mod running_on;
mod running_typescript;
mod sending_mail;
mod serving_on_a_port;
mod serving_outside_tools;
mod serving_skills;
mod setting_up_records;
mod setting_up_skills;
mod showing_images;
mod signing_in;
mod signing_in_for_a_server;
mod skills;
mod skills_from_elsewhere;
mod stopping;
mod taking_prompts_along;
#[cfg(target_os = "linux")]
mod unmounting;
mod using_a_vault_as_it_is;
mod using_credentials;
mod using_mcp_servers;
mod working_in_folders;
mod writing_a_tool;
mod writing_a_tool_for_notes;
mod writing_after_private_reads;
mod writing_on;
