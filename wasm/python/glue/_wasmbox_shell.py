"""The session's shell, as programs use it: scripts that run in a shell of their own, and the commands that there are.
Where there is no shell, who starts a process is told what to do instead: FileNotFoundError, as of a program that is not
installed, for which programs are prepared."""

import errno
import json
import os
import shlex
import shutil
import sys

ADVICE = 'run shell commands with execute_code(language="shell")'
PYTHONS = ("python", "python3", "python3.13", "py")
PIPS = ("pip", "pip3")
TOO_MUCH = "there is no room for all that the process has printed: let it write less, or delete files"
# What a script ends with before it has begun. Shells have no code for that.
NO_PROGRAM = 251
# Where programs say that those of the shell are.
PLACES = ("/usr/bin", "/bin", "/usr/local/bin")
# What a shell knows and nobody else can start.
BUILTINS = {
    "alias", "bg", "break", "builtin", "cd", "command", "continue", "declare", "eval", "exec", "exit", "export", "fg",
    "getopts", "hash", "jobs", "let", "local", "read", "readonly", "return", "set", "shift", "shopt", "source", "trap",
    "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
}


class NoProcesses(FileNotFoundError):
    """No process can be started."""

    __module__ = "builtins"

    def __str__(self):
        return self.strerror


def refusal(command, advice=ADVICE):
    words = [os.fsdecode(each) for each in (command if isinstance(command, (list, tuple)) else [command])] or [""]
    names = [os.path.basename(word) for line in words for word in line.split()] or [""]
    # As sys.executable is.
    if words[0] == "":
        names[0] = "python"
    if any(name in PIPS for name in names[:3]):
        advice = "packages come by the tool install_package"
    elif names[0] in PYTHONS:
        advice = "run Python code in this Python: runpy.run_path(path), runpy.run_module(name), or import it"
    shown = " ".join(words).strip()
    shown = shown if len(shown) <= 60 else shown[:60] + "…"
    return NoProcesses(errno.ENOENT, f"no processes: this Python runs in WebAssembly and can't start {shown!r}; {advice}")


def in_shell(script, command, files={}):
    """Runs a script as a whole in a shell of its own. Returns its exit code. `command` is what the program calls it, `files` take
    what it prints."""
    import _wasmbox

    sys.stdout.flush()
    sys.stderr.flush()
    try:
        answer, _ = _wasmbox.host_call("shell.run", json.dumps({"script": script, "files": files}).encode(), b"")
    except OSError:
        raise refusal(command) from None
    answer = json.loads(answer)
    if answer is None:
        raise refusal(command)
    if answer["ending"] == "stopped":
        raise KeyboardInterrupt
    if not answer["complete"]:
        raise OSError(errno.ENOSPC, TOO_MUCH)
    return answer["exit_code"]


def environment(env):
    """Lines that give a shell a program's environment."""
    from _wasmbox_commands import initial_environment

    wanted = dict(os.environ if env is None else env)
    wanted = {os.fsdecode(name): os.fsdecode(value) for name, value in wanted.items()}
    if any("=" in name for name in wanted):
        raise ValueError("illegal environment variable name")
    if any("\0" in text for pair in wanted.items() for text in pair):
        raise ValueError("embedded null byte")
    lines = [
        f"export {name}={shlex.quote(value)}"
        for name, value in wanted.items()
        if name.isidentifier() and (env is not None or initial_environment.get(name) != value)
    ]
    if env is not None:
        lines += [f"unset {name}" for name in os.environ if name not in wanted and name.isidentifier()]
    return lines


def script_for(args, executable, shell):
    """What a shell is to run."""
    if isinstance(args, (str, bytes, os.PathLike)):
        words = [os.fsdecode(args)]
    else:
        words = [os.fsdecode(each) for each in args]
    if not words:
        raise IndexError("list index out of range")
    if any("\0" in word for word in words):
        raise ValueError("embedded null byte")
    if shell:
        return words[0]
    name = os.fsdecode(executable) if executable is not None else words[0]
    # sys.executable, and where others look for Python: here it is a program of the shell.
    if name == "" or name == sys.executable or os.path.dirname(name) in PLACES:
        name = os.path.basename(name) or "python3"
    return shlex.join([name, *words[1:]])


# What the shell itself has, of what was asked for.
of_shell = set()


def check(script, cwd, exports, args, path):
    """Raises what is raised for a program that is not there."""
    name = shlex.split(script)[0]
    if "/" in name:
        path = os.path.join(cwd, name)
        if not os.path.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        if os.path.isdir(path) or not os.access(path, os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
        return
    if name in of_shell or real_which(name, path=path) is not None:
        return
    lines = [*exports, f"command -v {shlex.quote(name)} >/dev/null || exit {NO_PROGRAM}"]
    if in_shell("(\n" + "\n".join(lines) + "\n)", args) == NO_PROGRAM:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    of_shell.add(name)


def which(cmd, mode=os.F_OK | os.X_OK, path=None):
    """shutil.which, that knows the shell's programs too: in no directory there are files of theirs."""
    found = real_which(cmd, mode, path)
    directory, name = os.path.split(os.fsdecode(cmd))
    if found is not None or path is not None or directory not in ("", *PLACES) or name in BUILTINS:
        return found
    try:
        if in_shell(f"command -v {shlex.quote(name)} >/dev/null 2>&1", cmd) != 0:
            return None
    except NoProcesses:
        return None
    place = os.path.join(directory or PLACES[0], name)
    return os.fsencode(place) if isinstance(cmd, bytes) else place


real_which = shutil.which
