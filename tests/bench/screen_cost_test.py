# SPDX-License-Identifier: MIT
"""bench/screen_cost, run as a program on one that only pretends to answer."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCREEN_COST = ROOT / "bench" / "screen_cost"

# 100 tokens a second unseen, 99 in the full-screen chat, 98 in the inline one.
CONFAB = """#!{python} -IS
import json, os, sys, time, tty
from pathlib import Path
args = sys.argv[1:]
saved = Path(os.environ["HOME"]) / "saved"
if args[0] == "export":
    if not saved.exists(): sys.exit("confab: no conversation")
    stats = {{"n_generated": 199, "decode": 198 / float(saved.read_text())}}
    print(json.dumps({{"conversations": [{{"messages": [{{}}, {{"stats": stats}}]}}]}}))
elif "-p" in args:
    print(json.dumps({{"decode_tps": 100.0}}), file=sys.stderr)
else:
    tty.setraw(0)
    print("ready", flush=True)
    line = b""
    while not line.endswith(b"\\r"): line += os.read(0, 1)
    {answer}
    while not line.endswith(b"/exit\\r"): line += os.read(0, 1)
"""
ANSWERS = """for i in range(5): print("word", flush=True); time.sleep(0.02)
    saved.write_text("98" if "--plain" in args else "99")"""


class ScreenCostTest(unittest.TestCase):
    def run_it(self, answer):
        with tempfile.TemporaryDirectory() as folder:
            confab = Path(folder) / "confab"
            confab.write_text(CONFAB.format(python=sys.executable, answer=answer), encoding="utf-8")
            confab.chmod(0o755)
            return subprocess.run([sys.executable, "-B", str(SCREEN_COST), "x.gguf", "--rounds", "2",
                                   "--silence", "0.5", "--confab", str(confab)],
                                  capture_output=True, text=True, check=False)

    def test_compares_each_way_with_nobody_looking(self):
        done = self.run_it(ANSWERS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("| unseen | 100.0 | 100.0 to 100.0 | 100.0 % |", done.stdout)
        self.assertIn("| full screen | 99.0 | 99.0 to 99.0 | 99.0 % |", done.stdout)
        self.assertIn("| inline | 98.0 | 98.0 to 98.0 | 98.0 % |", done.stdout)

    def test_says_when_there_was_no_answer(self):
        done = self.run_it("pass")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "screen_cost: confab: no conversation\n")


if __name__ == "__main__":
    unittest.main()
