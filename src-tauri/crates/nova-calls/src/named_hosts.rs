use serde_json::Value;

/// The argument that names the hosts which the commands of a tool may contact.
pub(crate) const HOSTS: &str = "hosts";

/// The hosts in the arguments of a tool that runs commands.
pub(crate) fn named_hosts(args: &Value) -> impl Iterator<Item = &str> {
    args.get(HOSTS).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
