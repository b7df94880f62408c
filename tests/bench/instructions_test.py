# SPDX-License-Identifier: MIT
"""bench/instructions: what it reads of a callgrind file, how it groups, what it writes."""
import importlib.util
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "bench" / "instructions"
LOADER = SourceFileLoader("instructions", str(PATH))
instructions = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("instructions", LOADER))
LOADER.exec_module(instructions)

PROFILE = """version: 1
events: Ir
positions: line

fl=/src/a.cpp
fn=confab::kernels::generic::MatmulQ8<X>::run(int)
0 1000
12 34

fn=confab::engine::Forward::decode(int)
0 7
cfn=confab::kernels::generic::MatmulQ8<X>::run(int)
calls=3 0
0 1034
5 2

fn=confab::kernels::generic::MatmulQ8<X>::run(int)
0 1

totals: 1044
"""


class InstructionsTest(unittest.TestCase):
    def test_a_function_has_its_own_instructions_and_not_those_it_calls(self):
        self.assertEqual(instructions.counts_of(PROFILE),
                         {"confab::kernels::generic::MatmulQ8<X>::run(int)": 1035,
                          "confab::engine::Forward::decode(int)": 9})

    def test_groups_are_of_the_difference_and_nothing_is_left_out(self):
        before = instructions.counts_of(PROFILE)
        after = {**{name: 2 * n for name, n in before.items()}, "memcpy": 5}
        rows = dict(instructions.grouped(before, after))
        self.assertEqual(rows["matrix products"], 1035)
        self.assertEqual(rows["forward pass outside of kernels"], 9)
        self.assertEqual(rows["everything else"], 5)
        self.assertEqual(rows["all"], 1049)

    def test_what_it_writes_it_reads_again(self):
        rows = [("matrix products", 12345), ("all", 67890)]
        self.assertEqual(instructions.noted("text\n\n" + instructions.table(rows)), dict(rows))

    def test_the_notes_have_one_table(self):
        text = instructions.NOTES.read_text(encoding="utf-8")
        self.assertEqual(text.count("| what | instructions | share |"), 1)
        self.assertIn("all", instructions.noted(text))


if __name__ == "__main__":
    unittest.main()
