"""time.tzset(): the local time zone, as the variable TZ says, by name or by rule."""

import os
import struct
import time

from _wasmbox import set_zone

refresh = time.tzset

# Rules that a zone goes by today are written out up to then.
LAST_YEAR = 2100
FIRST_YEAR = 1970
SECONDS = struct.Struct("<q")
OFFSET = struct.Struct("<ii16s")


def changes_of(zone):
    """The offset before all changes, and the changes: (moment, offset), where an offset is (seconds, is_dst, name)."""
    import importlib.resources

    from zoneinfo import _common

    package, _, resource = ("tzdata.zoneinfo." + zone.replace("/", ".")).rpartition(".")
    with importlib.resources.files(package).joinpath(resource).open("rb") as file:
        indexes, moments, offsets, is_dst, names, rule = _common.load_data(file)
    kinds = list(zip(offsets, is_dst, names))
    changes = [(moment, kinds[index]) for index, moment in zip(indexes, moments)]
    first = next((kind for kind in kinds if not kind[1]), kinds[0])
    if rule:
        later, coming = changes_by(rule.decode() if isinstance(rule, bytes) else rule, changes[-1][0] if changes else None)
        changes += coming
        first = first if changes else later
    return first, changes


def changes_by(rule, after=None):
    """The same of a rule as POSIX has it, such as "EST5EDT,M3.2.0,M11.1.0"."""
    from zoneinfo import _zoneinfo

    parsed = _zoneinfo._parse_tz_str(rule)
    if isinstance(parsed, _zoneinfo._ttinfo):
        return (int(parsed.utcoff.total_seconds()), False, parsed.tzname), []
    std, dst = ((int(one.utcoff.total_seconds()), is_dst, one.tzname) for one, is_dst in ((parsed.std, 0), (parsed.dst, 1)))
    changes = []
    for year in range(FIRST_YEAR, LAST_YEAR):
        start, end = parsed.transitions(year)
        changes += [(start - std[0], dst), (end - dst[0], std)]
    return std, sorted(change for change in changes if after is None or change[0] > after)


def tzset():
    """Initialize, or reinitialize, the local timezone to the value stored in os.environ['TZ']."""
    zone = os.environ.get("TZ", "").removeprefix(":")
    first, changes = (0, False, "UTC"), []
    if zone:
        try:
            first, changes = changes_of(zone)
        except (OSError, ImportError, ValueError):
            try:
                first, changes = changes_by(zone)
            except ValueError:
                pass  # as the C library has it: a zone that nobody knows is UTC
    moments = b"".join(SECONDS.pack(moment) for moment, _ in changes)
    offsets = b"".join(OFFSET.pack(o[0], bool(o[1]), o[2].encode()[:15]) for o in (first, *(o for _, o in changes)))
    set_zone(moments, offsets)
    refresh()


def install():
    time.tzset = tzset
