use super::saturday;
use crate::obsidian::{TemplateValues, fill_template};

#[track_caller]
fn check(template: &str, expected: &str) {
    let values = TemplateValues {
        title: "2026-11-21",
        at: &saturday(),
        date_format: "DD.MM.YYYY",
        time_format: "HH:mm",
    };
    assert_eq!(fill_template(template, &values), expected, "{template:?}");
}

#[test]
fn fills_in_documented_variables() {
    check("# {{title}}\n", "# 2026-11-21\n");
    check("{{date}} {{time}}", "21.11.2026 09:05");
    check("{{date:dddd, D MMMM}} {{time:h:mm A}}", "Saturday, 21 November 9:05 AM");
    check("{{time:YYYY}} {{date:HH}}", "2026 09");
    check("{{Date}}{{TITLE}}{{tIme:H}}", "21.11.20262026-11-219");
    check("{{date:}}", "21.11.2026");
    check("{{date:[{{]D[}]}}", "{{21}");
}

#[test]
fn other_bytes_are_unchanged() {
    for template in [
        "",
        "{{",
        "}}",
        "{{}}",
        "{{name}} {{ date }} {{dates}} {{date}",
        "<% tp.date.now() %> <%* while(true) {} %>",
        "`= this.file.name` {{date+1d}}",
        "{{date:D\n}}",
        "\u{feff}---\r\ntitle: \"{{x}}\"\r\n---\r\nno final line end",
    ] {
        check(template, template);
    }
    check("{{{date:D}}}", "{21}");
    check("{{x}}{{date:D}}{{", "{{x}}21{{");
    check("---\r\ncreated: {{date}}\r\n---\r\n", "---\r\ncreated: 21.11.2026\r\n---\r\n");
}

#[test]
fn hostile_template_is_filled_in_bounded_time() {
    let values =
        TemplateValues { title: "{{title}}", at: &saturday(), date_format: "L", time_format: "{{date}}" };
    for unit in ["{{date:", "{{", "{", "{{date:LLLL", "}}{{title"] {
        let template = unit.repeat(3_000);
        fill_template(&template, &values);
        fill_template(&format!("{template}}}}}"), &values);
    }
    assert_eq!(fill_template("{{title}}", &values), "{{title}}", "an inserted value is not expanded again");
}
