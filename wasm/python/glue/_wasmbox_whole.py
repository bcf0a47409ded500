"""Processes where none can run beside the program: of one that works for another which can't be left meanwhile. Each is run as a
whole, by the shell that the program waits for, when all of its input is there."""

import os
import shlex

import _wasmbox_outside as outside
from _wasmbox_children import Child, pump, running
from _wasmbox_shell import in_shell

# Ids are none of those that run beside others.
FIRST_ID = 1 << 20
# What shells have for a signal.
SIGNALLED = 128
SIGNALS_MAX = 32

count = 0


class WholeChild(Child):
    def begin(self, request):
        global count
        count += 1
        self.request, self.given = request, []
        self.is_ready = self.source is None
        return FIRST_ID + count

    def pump(self):
        if self.code is None and not self.is_ready:
            self.gather()
        if self.code is None and self.is_ready:
            self.run()
        if self.code is None:
            return False
        running.pop(self.pid, None)
        return True

    def gather(self):
        while self.code is None and (piece := self.source.read()) is not None:
            if not piece:
                self.is_ready = True
                break
            self.given.append(piece)

    def run(self):
        base = f"/tmp/.process-{os.urandom(8).hex()}"
        paths = {name: f"{base}.{name}" for name in self.pipes}
        with open(base, "wb") as file:
            file.write(b"".join(self.given))
        for path in paths.values():
            open(path, "wb").close()
        script = "\n".join(filter(None, (self.request["script"], self.request["conversation"])))
        ignored = [f" {number}>/dev/null" for number, name in ((1, "stdout"), (2, "stderr")) if self.request.get(name) == "null"]
        try:
            code = in_shell(f"(\n{script}\n) <{shlex.quote(base)}{''.join(ignored)}", self.request["name"], paths)
            for name, path in paths.items():
                with open(path, "rb") as file:
                    self.take(name, file.read())
        finally:
            for path in (base, *paths.values()):
                os.unlink(path)
        self.end(SIGNALLED - code if SIGNALLED < code < SIGNALLED + SIGNALS_MAX else code)

    def take(self, name, content):
        target = self.pipes[name]
        if target is None:
            self.ends[name].incoming += content
        else:
            target.write(content)

    def end(self, code):
        self.end_source()
        for name in list(self.pipes):
            self.close(name)
        self.ended(code)

    def tell_closed(self, name):
        pass

    def look(self):
        self.pump()
        return self.code is not None

    def signal(self, number):
        if self.code is None:
            self.end(-number)


def begin_whole(request, source, pipes):
    child = WholeChild(request, source, pipes)
    outside.also(pump)
    return child
