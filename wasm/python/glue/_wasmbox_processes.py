"""There are no processes: who starts one is told what to do instead. FileNotFoundError, as of a program that is not
installed: programs are prepared for that."""

import errno
import os
import subprocess

ADVICE = 'run shell commands with execute_code(language="shell")'
PYTHONS = ("python", "python3", "python3.13", "py")
PIPS = ("pip", "pip3")


class NoProcesses(FileNotFoundError):
    """No process can be started."""

    __module__ = "builtins"

    def __str__(self):
        return self.strerror


def refusal(command):
    words = [os.fsdecode(each) for each in (command if isinstance(command, (list, tuple)) else [command])] or [""]
    names = [os.path.basename(word) for line in words for word in line.split()] or [""]
    advice = ADVICE
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


def refuse_popen(self, args=(), *more, **options):
    self._child_created = False
    self.returncode = None
    self._waitpid_lock = subprocess.threading.Lock()
    self.stdin = self.stdout = self.stderr = None
    self.args = args
    raise refusal(args)


def refuse_command(command, *args):
    raise refusal(command)


def refuse_spawn(mode, file, *args):
    raise refusal(file)


def missing(name):
    """os.__getattr__: programs ask hasattr(os, "fork"), and do without."""
    why = ""
    if name in ("fork", "forkpty"):
        why = ": no processes: this Python runs in WebAssembly and can't fork; threads run in it, one after another"
    raise AttributeError(f"module 'os' has no attribute {name!r}{why}")


def no_children(*args):
    raise ChildProcessError(errno.ECHILD, "No child processes")


def install():
    subprocess.Popen.__init__ = refuse_popen
    os.system = os.popen = refuse_command
    os.__getattr__ = missing
    os.wait = os.waitpid = no_children
    for name in ("execv", "execve", "posix_spawn", "posix_spawnp"):
        setattr(os, name, refuse_command)
    for letters in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe"):
        setattr(os, "spawn" + letters, refuse_spawn)
    os.P_WAIT, os.P_NOWAIT, os.P_NOWAITO, os.WNOHANG = 0, 1, 1, 1
