#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is said of servers that refuse: server_test.py PROGRAM."""
import unittest

import harness


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.home = harness.Home()
        self.addCleanup(self.home.cleanup)

    def ask(self, status, body):
        def refuse(request):
            request.send_response(status)
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            request.wfile.write(body)

        with harness.server(refuse) as address:
            done = self.home.run("-m", f"{address}#m", "-p", "hi", memory=4_000_000_000)
        self.assertEqual(done.stdout, b"")
        return address.removeprefix("http://"), done

    def test_a_refusal_is_one_line_that_names_the_server(self):
        for body in (b"", b"no", b"[" * 200_000, b'{"error": ' + b'{"a": ' * 50_000, b"\xff\0" * 1000):
            address, done = self.ask(400, body)
            # A slow machine says first that it waits.
            error = "".join(line for line in done.stderr.decode().splitlines(keepends=True)
                            if not line.startswith(f"confab: waiting for {address}"))
            with self.subTest(body=body[:12]):
                self.assertIn(done.returncode, (1, 2, 5), error)  # never a signal
                self.assertEqual(error.count("\n"), 1, error)
                self.assertIn(address, error)
                self.assertLess(len(error), 1000)


if __name__ == "__main__":
    harness.main()
