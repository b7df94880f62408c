# SPDX-License-Identifier: MIT
"""bench/mca: what it makes of a disassembly and a trace, which flags it reads, what it writes."""
import importlib.util
import sys
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "bench" / "mca"
LOADER = SourceFileLoader("mca", str(PATH))
mca = importlib.util.module_from_spec(importlib.util.spec_from_loader("mca", LOADER))
sys.modules["mca"] = mca
LOADER.exec_module(mca)

LISTING = """
0000000000400580 <trace_begin>:
  400580:\tret

0000000000400584 <trace_end>:
  400584:\tret

0000000000400600 <product>:
  400600:\tmov\tx0, #0x2040                \t// #8256
  400604:\tcbz\tx3, 400600 <product>
  400608:\tb.ne\t400600 <product>  // b.any
"""
LOG = "".join(f"Trace 0: 0x7f00 [00000000/0000000000{a}/00000000/00000000] f\n"
              for a in ("400600", "400580", "400600", "400604", "400608", "400584", "400600"))


class McaTest(unittest.TestCase):
    def test_a_trace_is_what_ran_between_its_marks(self):
        _, symbols = mca.disassembled(LISTING)
        self.assertEqual(mca.traced(LOG, symbols), [0x400600, 0x400604, 0x400608])

    def test_instructions_lose_their_addresses_and_comments(self):
        instructions, _ = mca.disassembled(LISTING)
        self.assertEqual([mca.for_mca(instructions[a]) for a in (0x400600, 0x400604, 0x400608)],
                         ["mov x0, #0x2040", "cbz x3, .", "b.ne ."])
        self.assertEqual(mca.for_mca("adrp\tx0, 4b0000 <grid+0x10>"), "adrp x0, .")
        self.assertEqual(mca.for_mca("ret"), "ret")

    def test_the_flags_are_those_of_the_build(self):
        flags = mca.our_flags("i8mm_table.cpp")
        self.assertIn("-ffp-contract=off", flags)
        self.assertIn("-fno-schedule-insns", flags)
        self.assertTrue(any(flag.startswith("-march=") and "i8mm" in flag for flag in flags))
        self.assertFalse(any(flag.startswith("-march=") for flag in mca.our_flags("table.cpp")))

    def test_a_prefill_is_its_tile_and_its_filling(self):
        row = {"prefill24": (5.0 + 24 * 1.5) / 24, "prefill48": (5.0 + 48 * 1.5) / 48}
        mca.split_prefill(row)
        self.assertAlmostEqual(row["tile"], 1.5)
        self.assertAlmostEqual(row["fill"], 5.0)

    def test_the_table_replaces_the_one_before(self):
        notes = f"before\n\n{mca.HEAD}\n| --- |\n| old |\n\nafter\n"
        self.assertEqual(mca.with_table(notes, f"{mca.HEAD}\n| new |\n"),
                         f"before\n\n{mca.HEAD}\n| new |\n\nafter\n")

    def test_the_notes_have_one_table(self):
        self.assertEqual(mca.NOTES.read_text(encoding="utf-8").count(mca.HEAD), 1)


if __name__ == "__main__":
    unittest.main()
