# SPDX-License-Identifier: MIT
"""The parts of bench/replay_texts."""
