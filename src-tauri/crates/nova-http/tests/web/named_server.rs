use nova_http::named_server;

#[test]
fn a_named_server_is_public_by_https_or_on_this_machine() {
    let allowed = |url: &str| named_server(&url.parse().expect("an address"));
    for url in ["https://mcp.example.com/mcp", "https://1.1.1.1/", "http://localhost:3000/", "http://[::1]/"]
    {
        assert!(allowed(url).is_ok(), "{url}");
    }
    for url in [
        "http://mcp.example.com/mcp",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "http://192.168.1.1/",
        "https://printer.local/",
        "https://intranet/",
        "https://0.0.0.0/",
        "ftp://localhost/",
        "https://a:b@mcp.example.com/",
    ] {
        assert!(allowed(url).is_err(), "{url}");
    }
    let (here, public) =
        (allowed("http://localhost/").expect("here"), allowed("https://a.example.com/").expect("public"));
    for (address, is_here, is_public) in [
        ("127.0.0.1", true, false),
        ("::1", true, false),
        ("10.0.0.1", false, false),
        ("1.1.1.1", false, true),
    ] {
        let address = address.parse().expect("an address");
        assert_eq!((here(address), public(address)), (is_here, is_public), "{address}");
    }
}
