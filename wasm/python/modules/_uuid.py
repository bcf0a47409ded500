"""What libuuid gives uuid elsewhere: ids by time and node, of which no two are the same."""

import os as _os
import time as _time

has_uuid_generate_time_safe = 1
has_stable_extractable_node = False

# Between 1582-10-15 and 1970-01-01, in units of 100 ns (RFC 9562, 5.1).
_EPOCH = 0x01B21DD213814000
_state = {"node": None, "sequence": None, "last": 0}


def generate_time_safe():
    """The 16 bytes of a UUID of version 1, and 0: it is safe, there being one process."""
    if _state["node"] is None:
        node = bytearray(_os.urandom(6))
        node[0] |= 1  # a random one has the multicast bit
        _state.update(node=bytes(node), sequence=int.from_bytes(_os.urandom(2), "big") & 0x3FFF)
    now = max(_time.time_ns() // 100 + _EPOCH, _state["last"] + 1)
    _state["last"] = now
    high = now >> 48 & 0x0FFF | 0x1000
    head = (now & 0xFFFFFFFF).to_bytes(4, "big") + (now >> 32 & 0xFFFF).to_bytes(2, "big") + high.to_bytes(2, "big")
    return head + (0x8000 | _state["sequence"]).to_bytes(2, "big") + _state["node"], 0
