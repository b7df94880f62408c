#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the program leaves in the folder that it is run in: folder_test.py PROGRAM."""
import unittest

import harness


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.home = harness.Home()
        self.addCleanup(self.home.cleanup)
        self.work = self.home.path / "work"
        self.work.mkdir()

    def chat(self, *lines):
        done = self.home.run("--plain", "--temp", "0", "-n", "8", cwd=self.work,
                             stdin="".join(f"{line}\n" for line in lines).encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def files(self):
        return sorted(path.name for path in self.work.iterdir())

    def test_a_question_and_a_chat_leave_nothing(self):
        done = self.home.run("-p", "Say hi", "--temp", "0", cwd=self.work,
                             stack=harness.SMALL_STACK)
        self.assertEqual(done.stderr, b"")
        self.assertEqual(done.returncode, 0)
        self.assertNotEqual(done.stdout.strip(), b"")
        self.chat("What is confab?")
        self.assertEqual(self.files(), [])

    def test_an_export_without_a_name_goes_here_under_its_title_and_says_so(self):
        done = self.chat("What is confab?", "/export")
        self.assertEqual(self.files(), ["What-is-confab.md"])
        self.assertIn(b"What-is-confab.md", done.stdout + done.stderr)
        self.assertIn("What is confab?", (self.work / "What-is-confab.md").read_text())

    def test_an_export_replaces_nothing_without_a_yes(self):
        mine = self.work / "What-is-confab.md"
        mine.write_text("mine\n")
        self.chat("What is confab?", "/export")
        self.assertEqual(mine.read_text(), "mine\n")

    def test_an_export_from_the_shell_goes_to_standard_output(self):
        self.chat("What is confab?")
        done = self.home.run("export", "#1", cwd=self.work)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"What is confab?", done.stdout)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    harness.main()
