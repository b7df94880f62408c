# SPDX-License-Identifier: MIT
"""Makes the cases of this folder again: make_cases.py REFERENCE EXACT_REFERENCE [NAME...]

REFERENCE is a program as README.md describes; EXACT_REFERENCE is the same with an exact GELU.
"""
import sys
from pathlib import Path

import dense_cases
import expert_cases
import recurrent_cases
from golden_case import write_case


def main(reference, exact_reference, *names):
    folder = Path(__file__).parent
    for module in (dense_cases, expert_cases, recurrent_cases):
        for model in module.cases():
            if names and model.name not in names:
                continue
            gelu = model.arch.startswith("gemma")
            runs = write_case(model, folder, exact_reference if gelu else reference,
                              "exact-gelu" if gelu else "stock")
            size = (folder / model.name / "model.gguf").stat().st_size
            for run in runs:
                print(f"{model.name:24} {size:7} n_ctx {run['n_ctx']:4} "
                      f"std {run['logit_std']:.3f} max {run['logit_absmax']:.2f} "
                      f"split {run['split_nmse']:.1e} tie {min(run['greedy_top1_margin']):.4f} "
                      f"distinct {len(set(run['greedy_tokens']))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
