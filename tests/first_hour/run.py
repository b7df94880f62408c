#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does what somebody does in the first hour with confab, in a real terminal (tmux), and looks.

    tests/first_hour/run.py CONFAB [ACTIONS]

ACTIONS, here by default actions.md, says what is done and what must be seen; its head tells how it
is written. Exit status: 0 all was seen; 1 something was not, with the screen; 77 there is no tmux.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 10  # for what must be seen; it most often is at once
SIZE = "80x24"
N_TRIES = 3


class NotSeen(Exception):
    pass


class Terminal:
    """A tmux server of its own, with a home directory of its own."""

    def __init__(self, confab):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="confab-hour-"))
        keep = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "TSAN_OPTIONS")}
        self.environment = keep | {"HOME": str(self.home), "TERM": "xterm-256color",
                                   "LANG": "C.UTF-8", "PS1": "$ ", "EDITOR": "cat"}
        bin_folder = self.home / "bin"
        bin_folder.mkdir()
        (bin_folder / "confab").symlink_to(confab)
        self.environment["PATH"] = f"{bin_folder}:{keep['PATH']}"
        self.tmux("new-session", "-d", "-s", "keep", "sleep 600")
        self.command = None  # the last one in the shell: (text, output, status)

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", str(self.home / "tmux"), "-f", "/dev/null", *words],
                              env=self.environment, capture_output=True, text=True, cwd=self.home)

    def close(self):
        self.tmux("kill-server")
        shutil.rmtree(self.home, ignore_errors=True)

    def start(self, line, size=SIZE):
        """A shell that runs the line, then waits."""
        self.tmux("kill-session", "-t", "a")
        columns, rows = size.split("x")
        self.tmux("new-session", "-d", "-s", "a", "-x", columns, "-y", rows,
                  f"{line}; echo \"[status $?]\"; sleep 600")

    def screen(self):
        return self.tmux("capture-pane", "-pJ", "-t", "a").stdout

    def wait(self, holds, what):
        end = time.monotonic() + PATIENCE_S
        while not holds(self.screen()):
            if time.monotonic() > end:
                raise NotSeen(f"{what}, on this screen:\n{self.screen().rstrip()}")
            time.sleep(0.02)

    def settle(self):
        before = None
        while (now := self.screen()) != before:
            before = now
            time.sleep(0.1)

    def shell(self, line):
        done = subprocess.run(["sh", "-c", line], env=self.environment, capture_output=True,
                              text=True, cwd=self.home, timeout=120, stdin=subprocess.DEVNULL)
        self.command = (line, done.stdout + done.stderr, done.returncode)


def run_step(terminal, verb, rest):
    if verb == "start":
        size = re.match(r"(\d+x\d+) (.*)", rest)
        terminal.start(*([size[2], size[1]] if size else [rest]))
    elif verb == "type":
        terminal.tmux("send-keys", "-t", "a", "-l", "--", rest)
    elif verb == "press":
        for key in rest.split():
            terminal.tmux("send-keys", "-t", "a", key)
            # What follows Escape at once would be Alt and a key.
            time.sleep(0.5 if key == "Escape" else 0.05)
    elif verb == "paste":
        terminal.tmux("set-buffer", rest.replace("\\n", "\n"))
        terminal.tmux("paste-buffer", "-p", "-t", "a")
    elif verb == "resize":
        columns, rows = rest.split("x")
        terminal.tmux("resize-window", "-t", "a", "-x", columns, "-y", rows)
    elif verb == "see":
        terminal.wait(lambda screen: rest in screen, f"not seen: {rest}")
    elif verb == "gone":
        terminal.wait(lambda screen: rest not in screen, f"still there: {rest}")
    elif verb == "settle":
        terminal.settle()
    elif verb == "sh":
        terminal.shell(rest)
    elif verb == "out" and rest not in terminal.command[1]:
        raise NotSeen(f"{terminal.command[0]!r} did not print: {rest}\nbut:\n{terminal.command[1]}")
    elif verb == "status" and int(rest) != terminal.command[2]:
        raise NotSeen(f"{terminal.command[0]!r} ended with {terminal.command[2]}, not {rest}:\n"
                      f"{terminal.command[1]}")
    elif verb not in ("out", "status"):
        raise NotSeen(f"no such verb: {verb}")


def run_all(terminal, text):
    failed, n_actions, action = [], 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("- "):
            n_actions, action = n_actions + 1, line[2:]
            continue
        if not line.startswith("    ") or action in failed:
            continue
        verb, _, rest = line.strip().partition(" ")
        try:
            run_step(terminal, verb, rest)
        except NotSeen as fault:
            failed.append(action)
            print(f"line {number}: {action}: {fault}\n", flush=True)
    print(f"{n_actions - len(failed)} of {n_actions} actions did what they should")
    return 1 if failed else 0


def main():
    if shutil.which("tmux") is None:
        print("skipped: there is no tmux")
        return 77
    here = pathlib.Path(__file__).parent
    actions = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else here / "actions.md"
    # Keys are sent by the clock, as people press them: a machine that is busy may not keep up. What
    # is wrong with the program is wrong each time.
    for _ in range(N_TRIES):
        terminal = Terminal(pathlib.Path(os.environ.get("CONFAB_PROGRAM", sys.argv[1])).resolve())
        try:
            status = run_all(terminal, actions.read_text())
        finally:
            terminal.close()
        if status == 0:
            break
    return status


if __name__ == "__main__":
    sys.exit(main())
