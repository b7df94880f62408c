# SPDX-License-Identifier: MIT
"""What the tests of the whole program share: a home of their own, limits, a server on 127.0.0.1.

A test is a file NAME_test.py beside this one. It ends with harness.main() and is run as

    python3 -B tests/program/NAME_test.py PROGRAM
"""
import contextlib
import http.server
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import unittest

SMALL_STACK = 512 * 1024  # bytes: what a thread other than the first has on macOS

program = None  # its absolute path, set by main()


class Home(tempfile.TemporaryDirectory):
    """A home directory in which the program finds, and leaves, nothing of the person who tests."""

    def __init__(self):
        super().__init__(prefix="confab-program-")
        self.path = pathlib.Path(self.name)
        self.environment = {"HOME": self.name, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
                            "TERM": "xterm-256color", "no_proxy": "*"}
        for name in ("config", "data", "state", "cache"):
            (self.path / name).mkdir()
            self.environment[f"XDG_{name.upper()}_HOME"] = str(self.path / name)

    def __enter__(self):
        return self

    def run(self, *words, stdin=b"", environment=None, memory=None, stack=None, file_size=None,
            timeout=60, **popen):
        """Runs the program in this home. The limits are in bytes; what runs longer than `timeout`
        seconds is killed, and subprocess.TimeoutExpired raised."""
        limits = {resource.RLIMIT_AS: memory, resource.RLIMIT_STACK: stack,
                  resource.RLIMIT_FSIZE: file_size, resource.RLIMIT_CORE: 0}

        def limit():
            for kind, value in limits.items():
                if value is not None:
                    resource.setrlimit(kind, (value, value))

        if "stdin" not in popen:
            popen["input"] = stdin
        popen = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.name} | popen
        return subprocess.run([program, *map(str, words)], preexec_fn=limit, timeout=timeout,
                              env=self.environment | (environment or {}), **popen)


@contextlib.contextmanager
def server(handler):
    """Answers each request with handler(request), an http.server.BaseHTTPRequestHandler, for GET and
    POST alike; yields the address. Whatever the client closes early is of no interest."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                handler(self)

        do_POST = do_HEAD = do_GET

        def log_message(self, *_):
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    thread = threading.Thread(target=listener.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.server_port}"
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()


def main():
    global program
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} PROGRAM [unittest's arguments]")
    program = os.path.abspath(sys.argv.pop(1))
    unittest.main(module="__main__", verbosity=1)
