use clap::ValueEnum;

#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    /// Skills to serve.
    #[arg(long, value_name = "ID,ID", value_delimiter = ',', default_values = nova_serve::Served::SKILLS)]
    pub(crate) skills: Vec<String>,
    /// Serve tools with these effects too, not only those that read. Calls still ask as the rules say.
    #[arg(long, value_enum, value_name = "EFFECT,EFFECT", value_delimiter = ',')]
    pub(crate) allow: Vec<ServedEffect>,
    /// Serve Streamable HTTP on this port of 127.0.0.1 instead; 0 chooses a free one. Clients send the bearer
    /// token of NOVA_MCP_TOKEN, or else the one that is printed.
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "7340")]
    pub(crate) http: Option<u16>,
    /// The client and its model run on this machine: serve private notes too.
    #[arg(long)]
    pub(crate) local: bool,
    /// What the client is to you, for the policies of permissions.yaml.
    #[arg(long = "as", value_enum, value_name = "RELATIONSHIP", default_value_t = ServedTo::Unknown)]
    pub(crate) relationship: ServedTo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServedEffect {
    /// Change notes.
    Write,
    /// Leave this machine.
    External,
    /// Cannot be undone.
    Destructive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServedTo {
    Delegate,
    Known,
    Unknown,
}
