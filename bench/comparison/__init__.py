# SPDX-License-Identifier: MIT
"""What bench/compare is made of: what to measure, programs to run, the runs, the report."""
