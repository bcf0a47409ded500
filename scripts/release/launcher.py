"""Starts wasmbox with the Deno that PyPI has brought along."""

import json
import os
import sys

from deno import find_deno_bin

OPTIONS = __OPTIONS__


def main():
    deno = os.fsdecode(find_deno_bin())
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program", "main.js")
    argv = [deno, *OPTIONS, program, *sys.argv[1:]]
    launcher = {"command": sys.executable, "args": ["-m", "wasmbox"]}
    env = {**os.environ, "WASMBOX_LAUNCHER": json.dumps(launcher)}
    if os.name == "nt":
        import subprocess

        sys.exit(subprocess.run(argv, env=env).returncode)
    os.execve(deno, argv, env)


if __name__ == "__main__":
    main()
