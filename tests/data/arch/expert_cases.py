# SPDX-License-Identifier: MIT
"""Cases with experts."""


def cases():
    return []
