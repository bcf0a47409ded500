"""Messages to the system log: there is none, so that they go to stderr, as with LOG_PERROR."""

import sys as _sys

LOG_EMERG, LOG_ALERT, LOG_CRIT, LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG = range(8)
(LOG_KERN, LOG_USER, LOG_MAIL, LOG_DAEMON, LOG_AUTH, LOG_SYSLOG, LOG_LPR, LOG_NEWS, LOG_UUCP, LOG_CRON,
 LOG_AUTHPRIV, LOG_FTP) = range(0, 96, 8)
(LOG_LOCAL0, LOG_LOCAL1, LOG_LOCAL2, LOG_LOCAL3, LOG_LOCAL4, LOG_LOCAL5, LOG_LOCAL6, LOG_LOCAL7) = range(128, 192, 8)
LOG_PID, LOG_CONS, LOG_ODELAY, LOG_NDELAY, LOG_NOWAIT, LOG_PERROR = 1, 2, 4, 8, 16, 32

_state = {"ident": None, "options": 0, "facility": LOG_USER, "mask": 0xFF}


def openlog(ident=None, logoption=0, facility=LOG_USER):
    if ident is not None and not isinstance(ident, str):
        raise TypeError(f"ident must be str, not {type(ident).__name__}")
    if ident is not None:
        ident.encode()
    _state.update(ident=ident or "python", options=logoption, facility=facility)


def syslog(*args):
    """syslog([priority,] message)"""
    if len(args) not in (1, 2):
        raise TypeError("syslog.syslog requires 1 to 2 arguments")
    priority, message = args if len(args) == 2 else (LOG_INFO, args[0])
    if not isinstance(message, str) or not isinstance(priority, int):
        raise TypeError("syslog() takes a str, after an int")
    if _state["mask"] & 1 << (priority & 7):
        print(f"{_state['ident'] or 'python'}: {message}", file=_sys.stderr)


def closelog():
    _state.update(ident=None, options=0, facility=LOG_USER, mask=0xFF)


def setlogmask(maskpri, /):
    before = _state["mask"]
    if maskpri:
        _state["mask"] = maskpri
    return before


def LOG_MASK(pri, /):
    return 1 << pri


def LOG_UPTO(pri, /):
    return (1 << (pri + 1)) - 1
