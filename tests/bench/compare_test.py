# SPDX-License-Identifier: MIT
"""bench/compare, run as a program on programs that only pretend to measure."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPARE = ROOT / "bench" / "compare"

# A program that prints what its case says, and logs its arguments.
FAKE = """#!{python} -IS
import json, os, sys
args = sys.argv[1:]
with open({log!r}, "a") as log: log.write(json.dumps([{name!r}] + args) + "\\n")
def after(flag, default="0"): return args[args.index(flag) + 1] if flag in args else default
{body}
"""

# As llama.cpp prints it: noise around an array, samples, `-d` in its help.
LLAMA = """
if "--help" in args: print("  -d, --n-depth <n>"); sys.exit(0)
print("[fake] loading", after("-m")); print("[1, 2]")
speed = 100.0 if after("-n") == "0" else 20.0
samples = [speed, speed, 3 * speed]
print(json.dumps([{"n_prompt": 1, "avg_ts": 1.0, "samples_ts": samples}], indent=2))
print("done ]")
"""
# As ik_llama.cpp: no samples in this one, `-gp` for a depth.
IK = """
if "--help" in args: print("  -gp <pp,tg>"); sys.exit(0)
print(json.dumps([{"avg_ts": 50.0 if "-gp" in args else 80.0}]))
"""
CONFAB = """
print(json.dumps([{"test": "x", "avg_ts": 7.0, "median_ts": 40.0, "read_gbs": 10.0, "share": 0.8}]))
"""
CONFAB_ALTERNATING = """
n = sum(1 for line in open(%r) if json.loads(line)[0] == "confab")
speed = 30.0 + n  # another in every run
print(json.dumps([{"avg_ts": 1.0, "median_ts": speed, "read_gbs": 10.0, "share": speed / 50}]))
"""
# Notes how many busy programs its parent has.
COUNT_BUSY = """
def is_busy(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as words, open(f"/proc/{pid}/stat") as stat:
            # The name of a program may have blanks.
            ours = int(stat.read().rpartition(")")[2].split()[1]) == os.getppid()
            return ours and "os.getppid() == parent" in words.read()
    except OSError: return False  # gone meanwhile
n = sum(is_busy(p) for p in os.listdir("/proc") if p.isdigit())
with open(%r, "a") as note: print(n, file=note)
"""
BROKEN = """
if "--help" in args: sys.exit(0)
print("fine so far", file=sys.stderr); print("unknown architecture: \\x1b[31mfoo", file=sys.stderr)
sys.exit(3)
"""


class CompareTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.log = self.folder / "log"
        self.log.touch()
        self.model = self.folder / "tiny.gguf"
        self.model.write_bytes(b"GGUF")

    def fake(self, name, body):
        path = self.folder / f"fake-{name}"
        path.write_text(FAKE.format(python=sys.executable, log=str(self.log), name=name, body=body))
        path.chmod(0o755)
        return str(path)

    def words(self, *more, confab=CONFAB):
        return [sys.executable, str(COMPARE), "--confab", self.fake("confab", confab),
                "--model", f"tiny={self.model}", "-t", "2", "-r", "3",
                "--json", str(self.folder / "out.json"), *more]

    def run_compare(self, *more, confab=CONFAB):
        return subprocess.run(self.words(*more, confab=confab), capture_output=True, text=True,
                              timeout=60, check=False)

    def figures(self):
        return json.loads((self.folder / "out.json").read_text())

    def calls(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def test_table_has_medians_spread_ratios_and_share(self):
        done = self.run_compare("--peer", "llama.cpp=" + self.fake("llama", LLAMA),
                                "--peer", "ik=" + self.fake("ik", IK), "--test", "tg64",
                                "-r", "5", "--markdown", str(self.folder / "out.md"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| model | test | llama.cpp | ik | confab | confab / llama.cpp "
                      "| confab / ik | share of read bandwidth |", done.stdout)
        # Of samples 20, 20 and 60 the median; 40 tokens a second are 80 % of what memory can do.
        self.assertIn("| tiny | tg64 | 20.0 (20.0..20.0) | 80.0 (80.0..80.0) | 40.0 (40.0..40.0)"
                      " | 2.00 | 0.50 | 80 % |", done.stdout)
        self.assertEqual((self.folder / "out.md").read_text(), done.stdout)
        (row,) = self.figures()["results"]
        self.assertEqual(row["programs"]["llama.cpp"]["runs"], [20.0] * 5)
        self.assertEqual(row["programs"]["ik"]["ratio"], 0.5)
        self.assertAlmostEqual(row["bytes_per_token"], 0.2e9)
        self.assertAlmostEqual(row["programs"]["llama.cpp"]["share_of_bandwidth"], 0.4)
        self.assertIn("measuring: about", done.stderr)

    def test_prefill_has_no_share_of_bandwidth(self):
        done = self.run_compare("--test", "pp512")
        self.assertIn("| tiny | pp512 | 40.0 (40.0..40.0) |  |", done.stdout)

    def test_programs_take_turns_after_one_warm_up_each(self):
        self.run_compare("--peer", "llama=" + self.fake("llama", LLAMA),
                         "--peer", "ik=" + self.fake("ik", IK), "--test", "pp512")
        names = [call[0] for call in self.calls()]
        self.assertEqual(names[:3], ["llama", "ik", "confab"])  # the warm-up
        rounds = [names[i:i + 3] for i in range(3, len(names), 3)]
        self.assertEqual(len(rounds), 3)
        for r, programs in enumerate(rounds):
            order = ["llama", "ik", "confab"]
            self.assertEqual(programs, order[r % 3:] + order[:r % 3])

    def test_median_and_spread_are_of_the_rounds(self):
        done = self.run_compare("--test", "tg64", "-r", "5",
                                confab=CONFAB_ALTERNATING % str(self.log))
        # The warm-up had 31; the rounds have 32 to 36.
        self.assertIn("| 34.0 (32.0..36.0) |", done.stdout)
        confab = self.figures()["results"][0]["programs"]["confab"]
        self.assertEqual((confab["median"], confab["min"], confab["max"], confab["mad"]),
                         (34.0, 32.0, 36.0, 1.0))

    def test_each_kind_of_llama_bench_gets_its_own_flags(self):
        self.run_compare("--peer", "llama=" + self.fake("llama", LLAMA),
                         "--peer", "ik=" + self.fake("ik", IK), "--peer-args", "ik=-rtr 1",
                         "--test", "tg64@4096/q8_0")
        by_name = {call[0]: " ".join(call[1:]) for call in self.calls() if "--help" not in call}
        self.assertIn("-ctk q8_0 -ctv q8_0 -p 0 -n 64 -d 4096", by_name["llama"])
        self.assertIn("-ctk q8_0 -ctv q8_0 -p 0 -n 0 -gp 4096,64 -rtr 1", by_name["ik"])
        self.assertIn("-d 4096 -p 0 -n 64 --cache-type-k q8_0 --cache-type-v q8_0",
                      by_name["confab"])

    def test_short_tests_are_repeated_within_a_run(self):
        self.run_compare("--test", "tg8")
        warm_up, *runs = self.calls()
        self.assertEqual(warm_up[warm_up.index("-r") + 1], "1")
        self.assertEqual({call[call.index("-r") + 1] for call in runs}, {"5"})  # 8 tokens at 40/s

    def test_a_test_that_a_peer_does_not_have_is_one_line(self):
        done = self.run_compare("--peer", "ik=" + self.fake("ik", IK), "--test", "pp64@4096")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ik: tiny, pp64@4096: has no prefill at a depth", done.stderr)
        self.assertIn("| failed | 40.0 (40.0..40.0) |", done.stdout)

    def test_a_peer_that_fails_says_so_once_and_the_others_go_on(self):
        done = self.run_compare("--peer", "broken=" + self.fake("broken", BROKEN),
                                "--peer", "absent=" + str(self.folder / "absent"),
                                "--test", "tg64+busy")
        self.assertEqual(done.returncode, 1)
        lines = [line for line in done.stderr.splitlines() if line.startswith("broken: ")]
        self.assertEqual(lines, ["broken: tiny, tg64: exit 3: unknown architecture: ?[31mfoo"])
        self.assertIn("absent: tiny, tg64: No such file or directory", done.stderr)
        self.assertIn("| failed | failed | 40.0 (40.0..40.0) |  |  | 80 % |", done.stdout)
        self.assertEqual(sum(call[0] == "broken" for call in self.calls()), 1)

    def test_output_without_a_result_is_a_failure(self):
        done = self.run_compare("--peer", "mute=" + self.fake("mute", 'print("[]")'))
        self.assertIn("mute: tiny, pp512: printed 0 results in JSON, expected 1", done.stderr)

    def test_a_busy_test_is_compared_with_the_quiet_one(self):
        body = CONFAB_ALTERNATING % str(self.log)
        done = self.run_compare("--test", "tg64+busy", "-r", "5", confab=body)
        self.assertEqual(done.returncode, 0, done.stderr)
        quiet, busy = self.figures()["results"]
        self.assertEqual((quiet["test"], busy["test"]), ("tg64", "tg64+busy"))
        # Two warm-ups, then 33 to 37 and 38 to 42.
        self.assertAlmostEqual(busy["programs"]["confab"]["share_of_quiet"], 40 / 35)
        self.assertIn("114 % of quiet", done.stdout)

    def test_the_busy_program_runs_during_busy_tests_only_and_is_gone_after(self):
        if not Path("/proc/self/cmdline").exists():
            self.skipTest("no /proc here")
        body = COUNT_BUSY % str(self.folder / "busy") + CONFAB
        self.run_compare("--test", "tg64+busy", confab=body)
        counts = (self.folder / "busy").read_text().split()
        self.assertEqual(counts, ["0"] * 2 + ["0"] * 3 + ["1"] * 3)  # warm-ups, quiet, busy

    def test_interrupted_it_prints_what_has_been_measured(self):
        body = f"""
n = sum(1 for line in open({str(self.log)!r}) if json.loads(line)[0] == "confab")
if n == 7: import signal; os.kill(os.getppid(), signal.SIGINT); signal.pause()
""" + CONFAB
        process = subprocess.Popen(self.words("--test", "pp64", "--test", "tg64", confab=body),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("| tiny | pp64 | 40.0 (40.0..40.0) |", out)
        self.assertIn("| tiny | tg64 | 40.0 (40.0..40.0) |", out)  # one of its runs
        self.assertEqual(len(self.figures()["results"][1]["programs"]["confab"]["runs"]), 1)
        self.assertNotIn("Traceback", err)

    def test_a_run_that_does_not_end_is_given_up(self):
        body = "if '--help' in args: sys.exit(0)\nimport signal; signal.pause()"
        done = self.run_compare("--peer", "stuck=" + self.fake("stuck", body), "--timeout", "1",
                                "--test", "tg64")
        self.assertIn("stuck: tiny, tg64: not finished after 1 s", done.stderr)

    def test_tests_of_one_model(self):
        other = self.folder / "other.gguf"
        other.write_bytes(b"GGUF")
        self.run_compare("--model", f"other={other}", "--test", "other:pp32", "--test", "tg64")
        rows = [(row["model"], row["test"]) for row in self.figures()["results"]]
        self.assertEqual(rows, [("tiny", "tg64"), ("other", "pp32"), ("other", "tg64")])

    def test_mistakes_are_one_line_before_anything_runs(self):
        for words, expected in [
                (["--test", "tg"], "tg: expected [MODEL:]pp512"),
                (["--test", "nobody:tg4"], "nobody: a test names a model that no --model gives"),
                (["--model", "x=/nonexistent"], "/nonexistent: no such model file"),
                (["--peer", "x"], "x: expected NAME=PATH"),
                (["--peer-args", "x=-v"], "x: --peer-args for a peer that no --peer gives"),
                (["--peer", "confab=x"], "expected a name of its own for each program")]:
            done = self.run_compare(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(expected, done.stderr)
        self.assertEqual(self.calls(), [])


if __name__ == "__main__":
    unittest.main()
