# SPDX-License-Identifier: MIT
"""The table of results, as Markdown and as JSON. Speeds are tokens a second."""
import datetime
import os
import platform
import statistics


def number(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.1f}"


def spread(speeds):
    """Smallest, largest, and the median absolute deviation."""
    median = statistics.median(speeds)
    return {"min": min(speeds), "max": max(speeds),
            "mad": statistics.median(abs(s - median) for s in speeds)}


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def quiet_result(results, result):
    """The same test of the same model without the busy program."""
    return next(r for r in results if r.model is result.model and r.test == result.test.quiet())


def share_of_quiet(results, result, name):
    """A program's speed beside a busy one, as a share of its own without; None without figures."""
    if not result.test.busy:
        return None
    busy = result.series[name].median()
    quiet = quiet_result(results, result).series[name].median()
    return busy / quiet if busy and quiet else None


def share_of_bandwidth(result, ours, name):
    """What a decoding program's speed comes to in bytes, over what memory can read; else None.

    The bytes of a token are those that ours reads: all weights once, and the cache.
    """
    speed = result.series[name].median()
    own = result.series[ours]
    if result.test.prefill or not speed or not own.read_gbs:
        return None
    return speed * own.bytes_per_token / (statistics.median(own.read_gbs) * 1e9)


def ratio(result, ours, name):
    own, peer = result.series[ours].median(), result.series[name].median()
    return own / peer if own and peer else None


def cell(results, result, name):
    series = result.series[name]
    if not series.speeds:
        return "failed" if series.failed else ""
    text = f"{number(series.median())} ({number(min(series.speeds))}..{number(max(series.speeds))})"
    quiet = share_of_quiet(results, result, name)
    return text + (f", {100 * quiet:.0f} % of quiet" if quiet else "")


def row(results, result, names, ours):
    test = result.test
    cells = [result.model.name, str(test)] + [cell(results, result, name) for name in names]
    cells += [f"{r:.2f}" if (r := ratio(result, ours, name)) else "" for name in names
              if name != ours]
    share = share_of_bandwidth(result, ours, ours)
    return cells + [f"{100 * share:.0f} %" if share else ""]


def markdown(results, names, ours, session):
    """names: of all programs, in the order of the columns; ours: the one that ratios are of."""
    peers = [name for name in names if name != ours]
    head = ["model", "test"] + names + [f"{ours} / {peer}" for peer in peers]
    head += ["share of read bandwidth"]
    lines = ["| " + " | ".join(head) + " |",
             "| --- | --- |" + " ---: |" * (len(head) - 2)]
    lines += ["| " + " | ".join(row(results, result, names, ours)) + " |" for result in results]
    gbs = [g for result in results for g in result.series[ours].read_gbs]
    about = f"tok/s: median (smallest..largest) of {session['rounds']} alternated runs; "
    about += f"{session['threads']} threads; {session['processor']}"
    about += f"; read bandwidth {statistics.median(gbs):.1f} GB/s" if gbs else ""
    return "\n".join(lines + ["", about, ""])


def as_json(results, names, ours, session):
    def of(result, name):
        series = result.series[name]
        if not series.speeds:
            return {"failed": series.failed}
        figures = {"median": series.median(), **spread(series.speeds), "runs": series.speeds,
                   "command": series.command,
                   "share_of_bandwidth": share_of_bandwidth(result, ours, name),
                   "share_of_quiet": share_of_quiet(results, result, name)}
        return figures if name == ours else {**figures, "ratio": ratio(result, ours, name)}

    rows = [{"model": result.model.name, "file": result.model.path.name,
             "file_bytes": result.model.path.stat().st_size, "test": str(result.test),
             "read_gbs": statistics.median(gbs) if (gbs := result.series[ours].read_gbs) else None,
             "bytes_per_token": result.series[ours].bytes_per_token,
             "programs": {name: of(result, name) for name in names}} for result in results]
    return {**session, "results": rows}


def session_facts(threads, rounds):
    now = datetime.datetime.now(datetime.timezone.utc)
    return {"date": now.isoformat(timespec="seconds"), "processor": processor(),
            "cores": os.cpu_count(), "system": f"{platform.system()} {platform.release()}",
            "threads": threads, "rounds": rounds}
