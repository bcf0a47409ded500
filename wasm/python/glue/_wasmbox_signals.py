"""What `signal` lacks on this platform, and can have."""

import signal


def valid_signals():
    """The signals that are known here."""
    return set(signal.Signals)


def siginterrupt(signalnum, flag, /):
    """Nothing to change: no system call is interrupted here."""


def install():
    signal.valid_signals = valid_signals
    signal.siginterrupt = siginterrupt
