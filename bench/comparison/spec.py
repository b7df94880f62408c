# SPDX-License-Identifier: MIT
"""What to measure: models, and tests on them, as they are written on the command line."""
import re
from dataclasses import dataclass
from pathlib import Path

TEST = re.compile(r"(pp|tg)([1-9]\d*)(?:@([1-9]\d*))?(?:/(\w+))?(\+busy)?")


class SpecError(Exception):
    """One line: what was written, what was expected."""


@dataclass(frozen=True)
class Model:
    name: str
    path: Path


@dataclass(frozen=True)
class Test:
    """`n` tokens of prefill or decode with `depth` tokens in the cache already.

    kv is the type of K and V in the cache, None each program's own default; busy: while another
    program keeps one core busy.
    """

    prefill: bool
    n: int
    depth: int = 0
    kv: str | None = None
    busy: bool = False

    def __str__(self):
        parts = ["pp" if self.prefill else "tg", str(self.n)]
        parts += [f"@{self.depth}"] if self.depth else []
        parts += [f"/{self.kv}"] if self.kv else []
        return "".join(parts) + ("+busy" if self.busy else "")

    def quiet(self):
        return Test(self.prefill, self.n, self.depth, self.kv)


def named(text, what):
    """The two sides of NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise SpecError(f"{text}: expected {what}")
    return name, value


def parse_model(text):
    name, path = named(text, "NAME=FILE.gguf")
    if not Path(path).is_file():
        raise SpecError(f"{path}: no such model file")
    return Model(name, Path(path))


def parse_test(text):
    """[MODEL:]TEST as (name of the model or None, Test)."""
    model, _, spec = text.rpartition(":")
    match = TEST.fullmatch(spec)
    if not match:
        raise SpecError(f"{text}: expected [MODEL:]pp512, tg64, tg64@4096, pp4096/q8_0, tg64+busy")
    kind, n, depth, kv, busy = match.groups()
    return model or None, Test(kind == "pp", int(n), int(depth or 0), kv, busy is not None)


def plan(models, tests):
    """(model, test) pairs in the order of the table: each model's tests, then the next model's.

    A test of one model is written with its name. A busy test has its quiet one before it.
    """
    names = {model.name for model in models}
    for name, _ in tests:
        if name is not None and name not in names:
            raise SpecError(f"{name}: a test names a model that no --model gives")
    pairs = []
    for model in models:
        for name, test in tests:
            if name not in (None, model.name):
                continue
            wanted = [test.quiet(), test] if test.busy else [test]
            pairs += [(model, t) for t in wanted if (model, t) not in pairs]
    return pairs
