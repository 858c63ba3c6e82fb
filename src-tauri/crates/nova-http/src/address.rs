use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address belongs to the public internet. All others belong to this machine, to its network or to
/// nobody, and tools must not reach them.
///
/// The ranges are IANA's special-purpose registries (RFC 6890 and its updates); of IPv6, only ranges assigned
/// as global unicast count.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    // Azure's metadata service has a public address.
    let metadata = address == Ipv4Addr::new(168, 63, 129, 16);
    !(metadata
        || a == 0
        || a == 10
        || a == 127
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 169 && b == 254)
        || (a == 172 && (16..32).contains(&b))
        || (a == 192 && b == 168)
        || (a == 192 && b == 0 && (c == 0 || c == 2))
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    // An embedded IPv4 address is judged as IPv4.
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    if address.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0] {
        let [.., a, b, c, d] = address.octets();
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    let global = first & 0xe000 == 0x2000;
    let protocols = first == 0x2001 && second < 0x200;
    let documentation = (first == 0x2001 && second == 0xdb8) || (first == 0x3fff && second < 0x1000);
    let six_to_four = first == 0x2002;
    // 6bone, returned to IANA.
    let returned = first == 0x3ffe;
    // An ISATAP address embeds an IPv4 address at its end, whatever its prefix.
    let isatap = address.segments()[4] & 0xfdff == 0 && address.segments()[5] == 0x5efe;
    global && !protocols && !documentation && !six_to_four && !returned && !isatap
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: bool) {
        let address: IpAddr = text.parse().expect("an address");
        assert_eq!(is_public(address), expected, "{text}");
    }

    #[test]
    fn addresses_outside_the_public_internet_are_refused() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "168.63.129.16",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b::a00:1",
            "64:ff9b:1::8.8.8.8",
            "100::1",
            "2001::1",
            "2001:0:53aa:64c::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:808:808::1",
            "2620:0:2d0:200:0:5efe:7f00:1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            check(address, false);
        }
    }

    #[test]
    fn public_addresses_pass_in_each_form() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2001:4860:4860::8888",
            "2606:4700:4700::1111",
            "2a00:1450:4001::1",
        ] {
            check(address, true);
        }
    }
}
