# SPDX-License-Identifier: MIT
"""What bench/replay_texts says: progress, and the table."""
import datetime
import os
import platform
import statistics

HEAD = ["texts", "drafts from", "number", "median", "slowest", "fastest", "faster than plain",
        "tokens a pass", "taken of drafted"]


class Progress:
    """Lines on standard error: on a terminal each over the one before."""

    def __init__(self, stream):
        self._stream, self._over = stream, stream.isatty()

    def __call__(self, text):
        self._stream.write("\r\033[K" + text[:100] if self._over else text + "\n")
        self._stream.flush()

    def end(self):
        if self._over:
            self._stream.write("\r\033[K")


def session_facts(options):
    model = os.path.basename(options.model) if options.model else "confab-demo.gguf"
    return {"date": datetime.date.today().isoformat(), "model": model,
            "threads": options.threads, "by": options.by, "runs": options.repetitions,
            "confirmed": options.confirm, "confirmed_runs": options.repetitions
            * options.confirm_factor, "machine": platform.machine()}


def row(name, way, results):
    ways = [result.ways[way] for result in results]
    speedups = [w["speedup"] for w in ways]
    passes = statistics.median(r.n_answer / max(1, w["passes"]) for r, w in zip(results, ways))
    above = sum(speedup > 1 for speedup in speedups)
    return [name, way, str(len(results)), f"{statistics.median(speedups):.2f}",
            f"{min(speedups):.3f}", f"{max(speedups):.2f}", f"{100 * above / len(results):.0f} %",
            f"{passes:.2f}", f"{sum(w['taken'] for w in ways)} of "
            f"{sum(w['drafted'] for w in ways)}"]


def groups(results):
    """Edits, all others, and these by their kind."""
    edits = [r for r in results if r.kind == "edit"]
    others = [r for r in results if r.kind != "edit"]
    kinds = sorted({r.kind for r in others})
    return [("edits", edits), ("others", others)] + [
        (f"- {kind}", [r for r in others if r.kind == kind]) for kind in kinds]


def table(head, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head)] + rows]
    return "\n".join(lines) + "\n"


def slowest(results, n):
    """The n slowest of the edits and of the others."""
    rows = []
    for name, group in groups(results)[:2]:
        for result in sorted(group, key=lambda r: r.worst())[:n]:
            way = min(result.ways, key=lambda w: result.ways[w]["speedup"])
            rows.append([name, f"{result.kind}: {result.name}".replace("|", "/")[:70], way,
                         f"{result.ways[way]['speedup']:.3f}", str(result.n_answer),
                         str(result.runs)])
    return table(["of", "text", "drafts from", "times as fast", "tokens", "runs"], rows)


def markdown(results, facts):
    ways = list(results[0].ways)
    rows = [row(name, way, group) for name, group in groups(results) if group for way in ways]
    by = "processor time" if facts["by"] == "processor" else "time"
    return (f"{facts['model']}, -t {facts['threads']}, by {by}, {facts['runs']} runs each, the "
            f"{facts['confirmed']} slowest of edits and of others {facts['confirmed_runs']}\n\n"
            + table(HEAD, rows) + "\nThe slowest ones:\n\n" + slowest(results, 3))
