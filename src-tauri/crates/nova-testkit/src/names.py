"""The name server of `NameServer`: dnslib with the zone on its input, by UDP and TCP on one port, which it prints."""

import sys

from dnslib import DNSHeader, DNSRecord
from dnslib.server import DNSHandler, DNSLogger, DNSServer
from dnslib.zoneresolver import ZoneResolver

# What EDNS allows by default: longer answers are cut, and asked for again by TCP.
DNSHandler.udplen = 1232


def without_answers(record):
    """A cut answer repeats its question, as those of other servers do; dnslib leaves it out."""
    header = DNSHeader(id=record.header.id, bitmap=record.header.bitmap, tc=1)
    return DNSRecord(header, questions=record.questions)


DNSRecord.truncate = without_answers

zone = ZoneResolver(sys.stdin.read())
quiet = DNSLogger("", logf=lambda line: None)
for attempt in range(20):
    udp = DNSServer(zone, address="127.0.0.1", port=0, logger=quiet)
    port = udp.server.server_address[1]
    try:
        tcp = DNSServer(zone, address="127.0.0.1", port=port, tcp=True, logger=quiet)
        break
    except OSError:
        # Another program has the port by TCP.
        udp.server.server_close()
udp.start_thread()
tcp.start_thread()
print(port, flush=True)
udp.thread.join()
