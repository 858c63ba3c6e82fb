mod asking_a_question;
mod bad_input;
mod changing_a_note;
mod choosing_a_provider;
mod command_line;
mod editing_outside;
mod nova;
mod stopping;
