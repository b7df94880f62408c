# SPDX-License-Identifier: MIT
"""The runs: every program once to warm up, then all of them in turn, round after round.

Speeds of a shared machine drift; programs that take turns see the same drift, so that ratios hold
where absolute figures do not. Each round begins with another program.
"""
import contextlib
import math
import statistics
import subprocess
import sys
from dataclasses import dataclass, field

from .programs import ProgramError

SECONDS_A_RUN = 1.0  # of measured work, at least: short tests are repeated inside a run
MOST_REPETITIONS = 20

# Runs for as long as its parent lives, and no longer than told.
BUSY = """
import os, sys, time
parent, end = os.getppid(), time.monotonic() + float(sys.argv[1])
while time.monotonic() < end and os.getppid() == parent:
    for _ in range(100000): pass
"""


@contextlib.contextmanager
def busy_core(seconds):
    """Another program that keeps one core busy, `seconds` at most."""
    process = subprocess.Popen([sys.executable, "-c", BUSY, str(seconds)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


@dataclass
class Series:
    """Runs of one program in one test. A run's speed is the median of its repetitions."""

    command: list = field(default_factory=list)
    seconds: float = 0  # of a run, as the warm-up tells
    speeds: list = field(default_factory=list)
    read_gbs: list = field(default_factory=list)
    bytes_per_token: float | None = None
    failed: str | None = None

    def add(self, run):
        self.speeds.append(statistics.median(run.speeds))
        if run.read_gbs is not None:
            self.read_gbs.append(run.read_gbs)
            self.bytes_per_token = run.bytes_per_token

    def median(self):
        return statistics.median(self.speeds) if self.speeds else None


@dataclass
class Result:
    """A line of the table: series[name of the program]."""

    model: object
    test: object
    series: dict


def repetitions(test, speed):
    """How often a test is repeated in a run. At a depth once: peers fill the cache each time."""
    if test.depth:
        return 1
    return max(1, min(MOST_REPETITIONS, math.ceil(SECONDS_A_RUN * speed / test.n)))


class Session:
    """threads: of each program; rounds: runs of each; timeout: seconds of a run; say(text)."""

    def __init__(self, programs, threads, rounds, timeout, say):
        self.programs, self.threads, self.rounds = programs, threads, rounds
        self.timeout, self.say = timeout, say
        self.results = []

    def measure(self, pairs):
        """Fills `results`; interrupted, it leaves there what has been measured."""
        for model, test in pairs:
            self.results.append(Result(model, test, {p.name: Series() for p in self.programs}))
        for result in self.results:
            for program in self.programs:
                result.series[program.name] = self._warm_up(program, result)
        self.say(f"measuring: about {format_seconds(self._seconds())}, {self.rounds} rounds")
        for result in self.results:
            self._measure(result)

    def _warm_up(self, program, result):
        """One run that reads the model into memory and tells how long runs take."""
        model, test = result.model, result.test
        self.say(f"warm-up: {model.name}, {test}: {program.name}")
        series = Series()
        failure = self._failure(program, result)
        if failure is not None:
            series.failed = failure
            return series
        try:
            command = program.command(model, test, self.threads, 1)
            run = program.run(command, self.timeout)
            n = repetitions(test, run.speeds[0])
            series.command = program.command(model, test, self.threads, n)
            series.seconds = run.seconds + (n - 1) * test.n / run.speeds[0]
        except ProgramError as error:
            self._fail(program, result, series, error)
        return series

    def _failure(self, program, result):
        """Why the quiet form of a busy test failed, which is not tried again."""
        for other in self.results:
            if (other is not result and other.model is result.model
                    and other.test == result.test.quiet()):
                return other.series[program.name].failed
        return None

    def _fail(self, program, result, series, error):
        series.failed = str(error)
        self.say(f"{program.name}: {result.model.name}, {result.test}: {error}", keep=True)

    def _seconds(self):
        return self.rounds * sum(series.seconds for result in self.results
                                 for series in result.series.values() if not series.failed)

    def _measure(self, result):
        # While others run, the busy program takes up to half of their time.
        longest = 60 + 4 * self.rounds * sum(s.seconds for s in result.series.values())
        around = busy_core(longest) if result.test.busy else contextlib.nullcontext()
        with around:
            for r in range(self.rounds):
                first = r % len(self.programs)
                for program in self.programs[first:] + self.programs[:first]:
                    series = result.series[program.name]
                    if not series.failed:
                        self._run(program, result, series, r)

    def _run(self, program, result, series, r):
        self.say(f"{result.model.name}, {result.test}: round {r + 1} of {self.rounds}: "
                 f"{program.name}")
        try:
            series.add(program.run(series.command, self.timeout))
        except ProgramError as error:
            self._fail(program, result, series, error)


def format_seconds(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{math.ceil(seconds / 60)} min"
