# SPDX-License-Identifier: MIT
"""bench/resume, run as a program on programs that only pretend to answer."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESUME = ROOT / "bench" / "resume"

# A token is three bytes of the prompt here. A second run finds what the first has left.
FAKE = """#!{python} -IS
import json, os, sys, time
from pathlib import Path
args = sys.argv[1:]
def after(flag): return args[args.index(flag) + 1]
{body}
"""
CONFAB = """
n = len(Path(args[-1]).read_text()) // 3
block = Path(os.environ["HOME"]) / ".cache/confab/kv/v2/00/0-1.kvb"
cached = n - 1 if block.exists() else 0
if not cached: time.sleep(0.1)
print("so", flush=True)
block.parent.mkdir(parents=True, exist_ok=True)
block.write_bytes(bytes(1000))
(block.parent / "use.log").write_bytes(bytes(5))
print(json.dumps({"prompt_tokens": n, "cached_tokens": cached, "ttft_ms": 5.0 if cached else 150.0}),
      file=sys.stderr)
"""
LLAMA = """
n = len(Path(after("-f")).read_text()) // 3
cache = Path(after("--prompt-cache"))
if cache.exists(): print(f"loaded a session with prompt size of {n} tokens", file=sys.stderr)
else: time.sleep(0.1)
print("so", flush=True)
with open(cache, "wb") as out:
    out.write(bytes(1500)); out.flush(); time.sleep(0.05); out.write(bytes(1500))
print(f"prompt eval time = 1.0 ms / {n} tokens", file=sys.stderr)
"""
BROKEN = """
print("cannot load \\x1b[31mthat", file=sys.stderr); sys.exit(3)
"""


class ResumeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.json = self.folder / "figures.json"

    def program(self, name, body):
        path = self.folder / name
        path.write_text(FAKE.format(python=sys.executable, body=body), encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def resume(self, *words, confab=CONFAB, peer=LLAMA):
        command = [sys.executable, "-B", str(RESUME), "-m", "x.gguf", "-r", "1", "--tokens", "300",
                   "--confab", self.program("confab", confab), "--json", str(self.json)]
        if peer:
            command += ["--peer", self.program("llama-completion", peer)]
        done = subprocess.run(command + list(words), capture_output=True, text=True, check=False)
        figures = json.loads(self.json.read_text()) if self.json.exists() else {}
        return done, figures

    def test_measures_both_programs_cold_and_resumed(self):
        done, figures = self.resume()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(list(figures), ["confab", "llama-completion"])
        for run in figures.values():
            first = run["rounds"][0]
            self.assertGreater(first["cold"]["started"], 100)
            self.assertLess(first["resumed"]["started"], first["cold"]["started"])
            self.assertEqual(first["cold"]["n_cached"], 0)
            self.assertGreater(first["resumed"]["n_cached"], 200)
        self.assertIn("| confab | ", done.stdout)
        self.assertIn("| llama-completion | ", done.stdout)

    def test_the_prompt_has_about_the_tokens_asked_for(self):
        _, figures = self.resume("--tokens", "1000")
        for run in figures.values():
            self.assertAlmostEqual(run["rounds"][0]["cold"]["n_prompt"], 1000, delta=150)

    def test_counts_the_cache_alone_and_how_long_it_was_written(self):
        _, figures = self.resume()
        ours, peer = (run["rounds"][0] for run in figures.values())
        self.assertEqual(ours["bytes_on_disk"], 1000)  # the log is no block
        self.assertEqual(peer["bytes_on_disk"], 3000)
        self.assertGreater(peer["saving"], 30)
        self.assertLess(peer["saving"], 5000)

    def test_works_without_a_peer(self):
        done, figures = self.resume(peer=None)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(list(figures), ["confab"])

    def test_a_program_that_fails_is_one_line_and_the_other_goes_on(self):
        done, figures = self.resume(peer=BROKEN)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines(),
                         ["resume: llama-completion: exit 3: cannot load ?[31mthat"])
        self.assertEqual(list(figures), ["confab"])

    def test_a_missing_program_is_one_line(self):
        done = subprocess.run([sys.executable, "-B", str(RESUME), "-m", "x.gguf", "--confab",
                               str(self.folder / "nothing")], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "resume: confab: No such file or directory\n")


if __name__ == "__main__":
    unittest.main()
