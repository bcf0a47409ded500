"""Constants and names of hosts for `_wasmbox_sockets`: Linux's, since programs know those."""

import errno

import _socket

# In the words of the other languages.
NO_NETWORK = "there is no network here (the sandbox reaches no other computer)"
AF_UNIX, AF_INET, AF_INET6 = 1, 2, 10

LINUX = {
    "AF_UNSPEC": 0, "AF_UNIX": AF_UNIX, "AF_INET": AF_INET, "AF_INET6": AF_INET6,
    "SOCK_STREAM": 1, "SOCK_DGRAM": 2, "SOCK_RAW": 3, "SOCK_RDM": 4, "SOCK_SEQPACKET": 5,
    "SOCK_NONBLOCK": 2048, "SOCK_CLOEXEC": 524288, "SHUT_RD": 0, "SHUT_WR": 1, "SHUT_RDWR": 2,
    "SOL_SOCKET": 1, "SO_DEBUG": 1, "SO_REUSEADDR": 2, "SO_TYPE": 3, "SO_ERROR": 4, "SO_DONTROUTE": 5,
    "SO_BROADCAST": 6, "SO_SNDBUF": 7, "SO_RCVBUF": 8, "SO_KEEPALIVE": 9, "SO_OOBINLINE": 10, "SO_LINGER": 13,
    "SO_REUSEPORT": 15, "SO_RCVLOWAT": 18, "SO_SNDLOWAT": 19, "SO_RCVTIMEO": 20, "SO_SNDTIMEO": 21,
    "SO_BINDTODEVICE": 25, "SO_ACCEPTCONN": 30, "SO_PROTOCOL": 38, "SO_DOMAIN": 39,
    "MSG_OOB": 1, "MSG_PEEK": 2, "MSG_DONTROUTE": 4, "MSG_CTRUNC": 8, "MSG_TRUNC": 32, "MSG_DONTWAIT": 64,
    "MSG_EOR": 128, "MSG_WAITALL": 256, "MSG_NOSIGNAL": 16384, "SOMAXCONN": 4096,
    "IP_TOS": 1, "IP_TTL": 2, "IP_MULTICAST_IF": 32, "IP_MULTICAST_TTL": 33, "IP_MULTICAST_LOOP": 34,
    "IP_ADD_MEMBERSHIP": 35, "IP_DROP_MEMBERSHIP": 36, "IPPROTO_IGMP": 2, "IPV6_V6ONLY": 26,
    "AI_PASSIVE": 1, "AI_CANONNAME": 2, "AI_NUMERICHOST": 4, "AI_V4MAPPED": 8, "AI_ALL": 16, "AI_ADDRCONFIG": 32,
    "AI_NUMERICSERV": 1024, "EAI_BADFLAGS": -1, "EAI_NONAME": -2, "EAI_AGAIN": -3, "EAI_FAIL": -4, "EAI_FAMILY": -6,
    "EAI_SOCKTYPE": -7, "EAI_SERVICE": -8, "EAI_MEMORY": -10, "EAI_SYSTEM": -11, "EAI_ADDRFAMILY": -9,
    "EAI_NODATA": -5, "NI_NUMERICHOST": 1, "NI_NUMERICSERV": 2, "NI_NOFQDN": 4, "NI_NAMEREQD": 8, "NI_DGRAM": 16,
}
SERVICES = {
    "ftp": 21, "ssh": 22, "telnet": 23, "smtp": 25, "domain": 53, "http": 80, "pop3": 110, "ntp": 123, "imap2": 143,
    "snmp": 161, "https": 443, "submission": 587, "imaps": 993, "pop3s": 995, "postgresql": 5432, "mysql": 3306,
}
PROTOCOLS = {"ip": 0, "icmp": 1, "tcp": 6, "udp": 17, "ipv6": 41}
SIZES = {AF_INET: 4, AF_INET6: 16}


def inet_pton(family, text, /):
    # Later than the modules that stand on this one.
    import ipaddress

    if family not in SIZES:
        raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")
    try:
        return (ipaddress.IPv4Address if family == AF_INET else ipaddress.IPv6Address)(text).packed
    except ValueError:
        raise OSError("illegal IP address string passed to inet_pton") from None


def inet_ntop(family, data, /):
    import ipaddress

    if family not in SIZES:
        raise ValueError(f"unknown address family {family}")
    if len(data) != SIZES[family]:
        raise ValueError("invalid length of packed IP address string")
    return str(ipaddress.ip_address(bytes(data)))


def inet_ntoa(data, /):
    if len(data) != SIZES[AF_INET]:
        raise OSError("packed IP wrong length")
    return inet_ntop(AF_INET, data)


def numeric_family(host):
    for family in SIZES:
        try:
            inet_pton(family, host)
            return family
        except OSError:
            pass
    return None


def is_local(host):
    host = host.decode() if isinstance(host, bytes) else host
    known = ("", "localhost", "ip6-localhost", "::1", "::", "0.0.0.0", _socket.gethostname())
    return host is None or host in known or host.startswith("127.")


def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    host = host.decode("ascii") if isinstance(host, bytes) else host
    port = port.decode("ascii") if isinstance(port, bytes) else port
    if isinstance(port, str):
        port = int(port) if port.isdecimal() else getservbyname(port, failure=_socket.gaierror(-8, "Servname not supported for ai_socktype"))
    own = host is not None and numeric_family(host)
    if own:
        found = [(own, host)]
    elif is_local(host) and not flags & LINUX["AI_NUMERICHOST"]:
        passive = host is None and flags & LINUX["AI_PASSIVE"]
        found = [(AF_INET, "0.0.0.0" if passive else "127.0.0.1")]
        if family == AF_INET6:
            found = [(AF_INET6, "::" if passive else "::1")]
    elif flags & LINUX["AI_NUMERICHOST"]:
        raise _socket.gaierror(LINUX["EAI_NONAME"], "Name or service not known")
    else:
        raise _socket.gaierror(LINUX["EAI_AGAIN"], f"{NO_NETWORK}; {host!r} can't be looked up")
    found = [each for each in found if family in (0, each[0])]
    if not found:
        raise _socket.gaierror(LINUX["EAI_ADDRFAMILY"], "Address family for hostname not supported")
    kinds = [(kind, number) for kind, number in ((1, 6), (2, 17)) if type in (0, kind) and proto in (0, number)]
    return [
        (kin, kind, number, "", (address, port or 0) + ((0, 0) if kin == AF_INET6 else ()))
        for kin, address in found
        for kind, number in kinds
    ]


def gethostbyname(host, /):
    return getaddrinfo(host, 0, AF_INET, 1)[0][4][0]


def gethostbyname_ex(host, /):
    return host, [], [gethostbyname(host)]


def gethostbyaddr(host, /):
    address = getaddrinfo(host, 0, 0, 1)[0][4][0]
    if not is_local(address):
        raise _socket.herror(1, NO_NETWORK)
    return "localhost", [], [address]


def getnameinfo(address, flags, /):
    host, port = address[:2]
    if not flags & LINUX["NI_NUMERICHOST"]:
        host = "localhost" if is_local(host) else host
    return host, str(port)


def getservbyname(name, protocol="tcp", /, failure=None):
    if name not in SERVICES:
        raise failure or OSError("service/proto not found")
    return SERVICES[name]


def getservbyport(port, protocol="tcp", /):
    for name, number in SERVICES.items():
        if number == port:
            return name
    raise OSError("port/proto not found")


def getprotobyname(name, /):
    if name not in PROTOCOLS:
        raise OSError("protocol not found")
    return PROTOCOLS[name]
