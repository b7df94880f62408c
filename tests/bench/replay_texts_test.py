# SPDX-License-Identifier: MIT
"""bench/replay_texts, run as a program on a program that only pretends to replay answers."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPLAY_TEXTS = ROOT / "bench" / "replay_texts"

# Edits are thrice as fast with look-up, other texts a tenth slower; more runs show that they are
# not. A token is three bytes.
FAKE = """#!{python} -IS
import json, os, sys
from pathlib import Path
args = sys.argv[1:]
def after(flag): return args[args.index(flag) + 1]
at = args.index("--replay")
prompt, answer = (Path(name).read_text() for name in args[at + 1:at + 3])
with open("{log}", "a") as log: log.write(json.dumps([prompt, answer, args]) + "\\n")
{body}
runs = int(after("-r"))
speed = 3 if "Write the whole file anew" in prompt else 0.9 if runs < 9 else 1.01
n = len(answer) // 3
row = dict(n_prompt=len(prompt) // 3, n_gen=n, lookup_tokens=0, lookup_accepted=0, draft_tokens=0,
           draft_accepted=0)
print(json.dumps([
    dict(row, test="replay-plain", median_ts=100, processor_ms=80, passes=n),
    dict(row, test="replay", median_ts=100 * speed, processor_ms=40, passes=n // 2,
         lookup_tokens=10, lookup_accepted=7)]))
"""
STORY = "A long sentence of a story, which goes on and on until it has an end. " * 8
ENVIRONMENT = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull,
                   GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="A",
                   GIT_COMMITTER_EMAIL="a@b")


class ReplayTextsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.repository = self.folder / "repository"
        self.log = self.folder / "log"
        self.repository.mkdir()
        self.git("init", "-q")
        for i in range(4):
            (self.repository / "a.txt").write_text(f"{STORY}\nversion {i}\n", encoding="utf-8")
            (self.repository / "b.bin").write_bytes(bytes([i]) * 500)
            self.git("add", ".")
            self.git("commit", "-q", "-m", f"Change {i}\n\nBecause of {i}. {STORY}")

    def git(self, *words):
        subprocess.run(["git", "-C", str(self.repository), *words], env=ENVIRONMENT, check=True)

    def document(self, name, content):
        path = self.folder / name
        path.write_text(content, encoding="utf-8")
        return str(path)

    def replay(self, *words, body=""):
        program = self.folder / "confab"
        program.write_text(FAKE.format(python=sys.executable, log=self.log, body=body),
                           encoding="utf-8")
        program.chmod(0o755)
        figures = self.folder / "figures.json"
        command = [sys.executable, "-B", str(REPLAY_TEXTS), "--confab", str(program),
                   "--repository", str(self.repository), "--json", str(figures)]
        done = subprocess.run(command + list(words), capture_output=True, text=True, check=False)
        return done, json.loads(figures.read_text()) if figures.exists() else {}

    def calls(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def texts(self, *words):
        """(kind, prompt, answer) of each text that is chosen."""
        kept = self.folder / "kept"
        done, _ = self.replay("--keep", str(kept), *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [(path.name.split(".")[1], path.read_text(),
                 path.with_suffix(".answer").read_text()) for path in sorted(kept.glob("*.prompt"))]

    def test_an_edit_is_a_file_before_and_after_a_change(self):
        texts = [text for text in self.texts("--others", "0")]
        self.assertEqual([kind for kind, _, _ in texts], ["edit"] * 3)  # the first has no before
        for _, prompt, answer in texts:
            i = int(answer.split()[-1])
            self.assertIn(f"version {i - 1}\n", prompt)
            self.assertIn(f"Change {i}\n", prompt)
            self.assertEqual(answer, f"{STORY}\nversion {i}\n")

    def test_a_summary_is_what_was_said_of_a_change(self):
        texts = self.texts("--edits", "0", self.document("none.md", ""))
        self.assertEqual([kind for kind, _, _ in texts], ["summary"] * 3)
        for _, prompt, answer in texts:
            self.assertIn("+version", prompt)
            self.assertIn("Because of", answer)

    def test_the_same_texts_are_chosen_each_time(self):
        self.assertEqual(self.texts(), self.texts())
        self.assertEqual(self.texts("--edits", "2"), self.texts("--edits", "2"))

    def test_sections_of_documents_are_questions_and_stories(self):
        path = self.document("d.md", f"# One\n{STORY}\n## Two\n{STORY * 2}\n## Short\nno\n")
        texts = [t for t in self.texts("--edits", "0", path) if t[0] != "summary"]
        self.assertEqual([kind for kind, _, _ in texts], ["story", "question"])
        self.assertEqual(texts[1][2], f"{STORY * 2}".strip() + "\n")
        self.assertNotIn(texts[1][2], texts[1][1])
        self.assertIn("Two", texts[1][1])

    def test_prose_goes_on_and_conversations_are_answered(self):
        prose = self.document("p.txt", "\n\n".join(f"{i} {STORY}" for i in range(10)))
        messages = [{"role": "user", "content": "Who?"},
                    {"role": "assistant", "content": STORY, "parent": 1}]
        chat = self.document("c.json", json.dumps({"conversations": [{"messages": messages}]}))
        texts = {kind: (prompt, answer) for kind, prompt, answer in
                 self.texts("--edits", "0", prose, chat)}
        self.assertEqual(texts["chat"], ("Who?\n\n", STORY))
        self.assertTrue(texts["story"][0] and texts["story"][1])

    def test_measures_all_and_the_slowest_ones_again(self):
        done, figures = self.replay("-r", "3", "--confirm", "2", "--others", "3")
        self.assertEqual(done.returncode, 0)
        edits = [t for t in figures["texts"] if t["kind"] == "edit"]
        others = [t for t in figures["texts"] if t["kind"] != "edit"]
        self.assertEqual((len(edits), len(others)), (3, 3))
        self.assertEqual({t["ways"]["look-up"]["speedup"] for t in edits}, {3})
        self.assertEqual(sorted(t["ways"]["look-up"]["speedup"] for t in others),
                         [0.9, 1.01, 1.01])
        self.assertIn("| edits | look-up | 3 | 3.00 | 3.000 | 3.00 | 100 % |", done.stdout)
        self.assertIn("| 21 of 30 |", done.stdout)

    def test_processor_time_can_be_compared(self):
        _, figures = self.replay("--by", "processor", "--others", "0")
        self.assertEqual({t["ways"]["look-up"]["speedup"] for t in figures["texts"]}, {2})

    def test_what_does_not_fit_is_passed_over(self):
        done, figures = self.replay("--others", "0", body="""
if "version 2" in answer:
    sys.exit("confab: --replay: prompt and answer have 3000 tokens: use -c 3000")""")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(figures["texts"]), 2)

    def test_a_failure_is_one_line(self):
        done, _ = self.replay("--others", "0", body='sys.exit("cannot load \\x1b[31mthat")')
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines()[-1],
                         "replay_texts: exit 1: cannot load ?[31mthat")
        done, _ = self.replay("--revision", "nothing")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        done, _ = self.replay("--edits", "0", str(self.folder / "none.md"))
        self.assertIn("none.md: No such file or directory", done.stderr)
        bad = self.document("bad.json", "{")
        done, _ = self.replay("--edits", "0", bad)
        self.assertIn("bad.json: neither UTF-8 text nor conversations", done.stderr)


if __name__ == "__main__":
    unittest.main()
