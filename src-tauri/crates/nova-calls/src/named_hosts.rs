use serde_json::Value;

/// The argument of a tool that runs commands which names the hosts that these may contact.
pub(crate) const HOSTS: &str = "hosts";

/// Hosts in the arguments of a tool that runs commands.
pub(crate) fn named_hosts(args: &Value) -> impl Iterator<Item = &str> {
    args.get(HOSTS).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
