# SPDX-License-Identifier: MIT
"""Programs to measure: `confab bench`, and the `llama-bench` of llama.cpp and of its relatives.

A program turns a test into a command line, and what it prints into speeds. llama-bench comes in
two kinds. Both know -m -p -n -r -t -fa -ctk -ctv -o json. Decoding at a depth is `-d DEPTH` in
llama.cpp, where it goes for prefill too, and `-gp DEPTH,N` in ik_llama.cpp, which has no prefill at
a depth; `--help` tells them apart.
"""
import json
import subprocess
import time
from dataclasses import dataclass


class ProgramError(Exception):
    """One line: why a program gave no figure."""


@dataclass(frozen=True)
class Run:
    """One run of a program: speeds in tokens a second, and how long all of it took."""

    speeds: tuple
    seconds: float
    read_gbs: float | None = None  # confab alone: the machine's read bandwidth,
    bytes_per_token: float | None = None  # and what a token reads of memory


def tables_in(text):
    """JSON arrays of objects that begin a line of `text`, whatever else was printed around them."""
    decoder = json.JSONDecoder()
    at = 0
    while (at := text.find("[", at)) >= 0:
        if at == 0 or text[at - 1] == "\n":
            try:
                value, end = decoder.raw_decode(text, at)
            except ValueError:
                pass
            else:
                if value and all(isinstance(row, dict) for row in value):
                    yield value
                at = end - 1
        at += 1


def only_row(text):
    """The row of the one test that was asked for."""
    rows = [row for table in tables_in(text) for row in table if "avg_ts" in row]
    if len(rows) != 1:
        raise ProgramError(f"printed {len(rows)} results in JSON, expected 1")
    return rows[0]


def last_line(text):
    """What a failed program said last, as one line of bounded length."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines else "no message"
    return "".join(c if c.isprintable() else "?" for c in last)[:200]


def call(command, timeout):
    """Standard output of a command, and its seconds; its end is waited for at most `timeout`."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise ProgramError(f"not finished after {timeout:.0f} s") from None
    except OSError as error:
        raise ProgramError(error.strerror or str(error)) from None
    if done.returncode != 0:
        how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit {done.returncode}"
        raise ProgramError(f"{how}: {last_line(done.stderr or done.stdout)}")
    return done.stdout, time.monotonic() - start


class Program:
    """A program with the name that the report gives it."""

    def __init__(self, name, path, extra=()):
        self.name, self.path, self.extra = name, str(path), list(extra)

    def command(self, model, test, threads, repetitions):
        """The command line; ProgramError when the program has no such test."""
        raise NotImplementedError

    def run(self, command, timeout):
        text, seconds = call(command, timeout)
        return self.read(only_row(text), seconds)

    def read(self, row, seconds):
        speeds = row.get("samples_ts") or [row["avg_ts"]]
        if not all(isinstance(s, (int, float)) and s > 0 for s in speeds):
            raise ProgramError(f"speeds {speeds}: expected tokens a second")
        return Run(tuple(speeds), seconds)


class LlamaBench(Program):
    def __init__(self, name, path, extra=()):
        super().__init__(name, path, extra)
        self._depth_flag = None  # known after the first call of --help

    def command(self, model, test, threads, repetitions):
        words = [self.path, "-m", str(model.path), "-t", str(threads), "-r", str(repetitions)]
        words += ["-fa", "1", "-o", "json"]
        if test.kv:
            words += ["-ctk", test.kv, "-ctv", test.kv]
        return words + self._sizes(test) + self.extra

    def _sizes(self, test):
        if test.depth and self._has_gp():
            if test.prefill:
                raise ProgramError("has no prefill at a depth")
            return ["-p", "0", "-n", "0", "-gp", f"{test.depth},{test.n}"]
        sizes = ["-p", str(test.n), "-n", "0"] if test.prefill else ["-p", "0", "-n", str(test.n)]
        return sizes + (["-d", str(test.depth)] if test.depth else [])

    def _has_gp(self):
        if self._depth_flag is None:
            text, _ = call([self.path, "--help"], timeout=30)
            self._depth_flag = "-d" if "--n-depth" in text else "-gp"
        return self._depth_flag == "-gp"


class Confab(Program):
    def command(self, model, test, threads, repetitions):
        sizes = ["-p", str(test.n), "-n", "0"] if test.prefill else ["-p", "0", "-n", str(test.n)]
        words = [self.path, "bench", "-m", str(model.path), "-t", str(threads)]
        words += ["-r", str(repetitions), "-o", "json", "-d", str(test.depth)] + sizes
        if test.kv:
            words += ["--cache-type-k", test.kv, "--cache-type-v", test.kv]
        return words + self.extra

    def read(self, row, seconds):
        speed, gbs, share = (row.get(key, 0) for key in ("median_ts", "read_gbs", "share"))
        if not (speed > 0 and gbs > 0):
            raise ProgramError(f"median_ts {speed}, read_gbs {gbs}: expected numbers above 0")
        return Run((speed,), seconds, gbs, share * gbs * 1e9 / speed)
