"""What `ssl` stands on, without TLS: contexts can be made and configured; a connection can't be had."""

import os

_NO_TLS = "there is no network here (the sandbox reaches no other computer), so this Python has no TLS"
_CONSTANTS = {
    "PROTOCOL_": "SSLv23=2 TLS=2 TLS_CLIENT=16 TLS_SERVER=17 TLSv1=3 TLSv1_1=4 TLSv1_2=5",
    "CERT_": "NONE=0 OPTIONAL=1 REQUIRED=2",
    "VERIFY_": "DEFAULT=0 CRL_CHECK_LEAF=4 CRL_CHECK_CHAIN=12 X509_STRICT=32 ALLOW_PROXY_CERTS=64 "
    "X509_TRUSTED_FIRST=32768 X509_PARTIAL_CHAIN=524288",
    "OP_": "ALL=2147483728 NO_SSLv2=0 NO_SSLv3=33554432 NO_TLSv1=67108864 NO_TLSv1_1=268435456 NO_TLSv1_2=134217728 "
    "NO_TLSv1_3=536870912 CIPHER_SERVER_PREFERENCE=4194304 SINGLE_DH_USE=0 SINGLE_ECDH_USE=0 NO_TICKET=16384 "
    "LEGACY_SERVER_CONNECT=4 NO_COMPRESSION=131072 NO_RENEGOTIATION=1073741824 IGNORE_UNEXPECTED_EOF=128 "
    "ENABLE_KTLS=8 ENABLE_MIDDLEBOX_COMPAT=1048576",
    "SSL_ERROR_": "SSL=1 WANT_READ=2 WANT_WRITE=3 WANT_X509_LOOKUP=4 SYSCALL=5 ZERO_RETURN=6 WANT_CONNECT=7 EOF=8 "
    "INVALID_ERROR_CODE=10",
    "ALERT_DESCRIPTION_": "CLOSE_NOTIFY=0 UNEXPECTED_MESSAGE=10 BAD_RECORD_MAC=20 RECORD_OVERFLOW=22 "
    "DECOMPRESSION_FAILURE=30 HANDSHAKE_FAILURE=40 BAD_CERTIFICATE=42 UNSUPPORTED_CERTIFICATE=43 "
    "CERTIFICATE_REVOKED=44 CERTIFICATE_EXPIRED=45 CERTIFICATE_UNKNOWN=46 ILLEGAL_PARAMETER=47 UNKNOWN_CA=48 "
    "ACCESS_DENIED=49 DECODE_ERROR=50 DECRYPT_ERROR=51 PROTOCOL_VERSION=70 INSUFFICIENT_SECURITY=71 INTERNAL_ERROR=80 "
    "USER_CANCELLED=90 NO_RENEGOTIATION=100 UNSUPPORTED_EXTENSION=110 CERTIFICATE_UNOBTAINABLE=111 "
    "UNRECOGNIZED_NAME=112 BAD_CERTIFICATE_STATUS_RESPONSE=113 BAD_CERTIFICATE_HASH_VALUE=114 "
    "UNKNOWN_PSK_IDENTITY=115",
    "HOSTFLAG_": "ALWAYS_CHECK_SUBJECT=1 NO_WILDCARDS=2 NO_PARTIAL_WILDCARDS=4 MULTI_LABEL_WILDCARDS=8 "
    "SINGLE_LABEL_SUBDOMAINS=16 NEVER_CHECK_SUBJECT=32",
    "ENCODING_": "PEM=1 DER=2",
    "PROTO_": "MINIMUM_SUPPORTED=-2 MAXIMUM_SUPPORTED=-1 SSLv3=768 TLSv1=769 TLSv1_1=770 TLSv1_2=771 TLSv1_3=772",
}
for _prefix, _names in _CONSTANTS.items():
    for _name in _names.split():
        _name, _value = _name.split("=")
        globals()[_prefix + _name] = int(_value)

HAS_SNI = HAS_ECDH = HAS_ALPN = HAS_TLSv1_2 = HAS_TLSv1_3 = HAS_TLS_UNIQUE = True
HAS_NPN = HAS_SSLv2 = HAS_SSLv3 = HAS_TLSv1 = HAS_TLSv1_1 = HAS_PSK = False
# Libraries refuse older ones.
OPENSSL_VERSION_INFO = _OPENSSL_API_VERSION = (3, 0, 0, 0, 0)
OPENSSL_VERSION_NUMBER = 0x30000000
OPENSSL_VERSION = "OpenSSL 3.0.0 (names only: no TLS in this sandbox)"
_DEFAULT_CIPHERS = "@SECLEVEL=2:ECDH+AESGCM:ECDH+CHACHA20:ECDH+AES:DHE+AES:!aNULL:!eNULL:!aDSS:!SHA1:!AESCCM"


class SSLError(OSError):
    """An error occurred in the SSL implementation."""

    library = reason = None

    def __str__(self):
        return str(self.strerror if self.strerror is not None else self.args[0] if len(self.args) == 1 else self.args)


class SSLZeroReturnError(SSLError):
    """SSL/TLS session closed cleanly."""


class SSLWantReadError(SSLError):
    """Non-blocking SSL socket needs to read more data before the requested operation can be completed."""


class SSLWantWriteError(SSLError):
    """Non-blocking SSL socket needs to write more data before the requested operation can be completed."""


class SSLSyscallError(SSLError):
    """System error when attempting SSL operation."""


class SSLEOFError(SSLError):
    """SSL/TLS connection terminated abruptly."""


class SSLCertVerificationError(SSLError, ValueError):
    """A certificate could not be verified."""

    verify_code = verify_message = None


for _error in (SSLError, *SSLError.__subclasses__()):
    _error.__module__ = "ssl"


class SSLSession:
    pass


class Certificate:
    pass


class MemoryBIO:
    def __init__(self):
        self._data = bytearray()
        self._ended = False

    def read(self, size=-1, /):
        size = len(self._data) if size < 0 else size
        data = bytes(self._data[:size])
        del self._data[:size]
        return data

    def write(self, data, /):
        if self._ended:
            raise SSLError("cannot write() after write_eof()")
        self._data += data
        return len(data)

    def write_eof(self):
        self._ended = True

    @property
    def pending(self):
        return len(self._data)

    @property
    def eof(self):
        return self._ended and not self._data


class _SSLContext:
    """Remembers how it is configured."""

    def __new__(cls, protocol, /):
        self = object.__new__(cls)
        client = protocol == PROTOCOL_TLS_CLIENT
        fields = {
            "protocol": protocol, "options": OP_ALL | OP_NO_SSLv3 | OP_CIPHER_SERVER_PREFERENCE | OP_NO_COMPRESSION,
            "verify_mode": CERT_REQUIRED if client else CERT_NONE, "check_hostname": client,
            "verify_flags": VERIFY_X509_TRUSTED_FIRST, "minimum_version": PROTO_TLSv1_2,
            "maximum_version": PROTO_MAXIMUM_SUPPORTED, "post_handshake_auth": False, "num_tickets": 2,
            "keylog_filename": None, "sni_callback": None, "security_level": 2, "_host_flags": 0, "_msg_callback": None,
        }
        self.__dict__["_fields"] = fields
        return self

    def load_cert_chain(self, certfile, keyfile=None, password=None):
        for path in (certfile, keyfile):
            if path is not None:
                os.stat(path)

    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        if cafile is None and capath is None and cadata is None:
            raise TypeError("cafile, capath and cadata cannot be all omitted")
        for path in (cafile, capath):
            if path is not None:
                os.stat(path)

    def set_ciphers(self, ciphers, /):
        pass

    def get_ciphers(self):
        return []

    def set_default_verify_paths(self):
        pass

    def load_dh_params(self, path, /):
        os.stat(path)

    def set_ecdh_curve(self, name, /):
        pass

    def _set_alpn_protocols(self, protocols, /):
        pass

    def set_psk_client_callback(self, callback):
        pass

    def set_psk_server_callback(self, callback, identity_hint=None):
        pass

    def cert_store_stats(self):
        return {"x509": 0, "crl": 0, "x509_ca": 0}

    def get_ca_certs(self, binary_form=False):
        return []

    def session_stats(self):
        return {}

    def _wrap_socket(self, *args, **kwargs):
        raise SSLError(SSL_ERROR_SSL, _NO_TLS)

    _wrap_bio = _wrap_socket


def _field(name):
    def get(self):
        return self._fields[name]

    def set(self, value):
        if name == "verify_mode" and value == CERT_NONE and self._fields["check_hostname"]:
            raise ValueError("Cannot set verify_mode to CERT_NONE when check_hostname is enabled.")
        if name == "check_hostname" and value and self._fields["verify_mode"] == CERT_NONE:
            self._fields["verify_mode"] = CERT_REQUIRED
        self._fields[name] = value

    return property(get, set)


for _name in _SSLContext(PROTOCOL_TLS)._fields:
    setattr(_SSLContext, _name, _field(_name))
_SSLContext.protocol = property(lambda self: self._fields["protocol"])


class _SSLSocket:
    pass


def RAND_bytes(count, /):
    return os.urandom(count)


def RAND_status():
    return True


def RAND_add(data, entropy, /):
    pass


def get_default_verify_paths():
    return "SSL_CERT_FILE", "/etc/ssl/cert.pem", "SSL_CERT_DIR", "/etc/ssl/certs"


# The two that `ssl` asks for when it is imported.
_OBJECTS = (
    (129, "serverAuth", "TLS Web Server Authentication", "1.3.6.1.5.5.7.3.1"),
    (130, "clientAuth", "TLS Web Client Authentication", "1.3.6.1.5.5.7.3.2"),
)


def txt2obj(txt, name=False):
    for each in _OBJECTS:
        if txt == each[3] or name and txt in each[1:3]:
            return each
    raise ValueError(f"unknown object '{txt:.100}'")


def nid2obj(nid, /):
    for each in _OBJECTS:
        if nid == each[0]:
            return each
    raise ValueError(f"unknown NID {nid}")
