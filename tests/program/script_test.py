#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scripts rely on: script_test.py PROGRAM."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time
import unittest

import harness

MODEL = pathlib.Path(__file__).parents[2] / "models/confab-demo.gguf"
CUT_OFF = 6  # the exit status of an answer that -n has cut


class ScriptTest(unittest.TestCase):
    def setUp(self):
        self.home = harness.Home()
        self.addCleanup(self.home.cleanup)

    def ask(self, *words, **how):
        return self.home.run("-m", MODEL, *words, **how)

    def assert_refused(self, done, *texts, status=(1, 2)):
        error = done.stderr.decode()
        self.assertIn(done.returncode, status, error)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(error.count("\n"), 1, error)
        for text in texts:
            self.assertIn(text, error)

    def test_what_never_ends_is_refused(self):
        for name in ("/dev/zero", "/dev/urandom"):
            for words in (("-f", name), ("-p", "hi", name), ("-p", "hi", "--system-file", name),
                          ("-p", "hi", "-jf", name), ("-p", "hi", "--chat-template-file", name)):
                with self.subTest(words=words):
                    self.assert_refused(self.ask(*words, memory=4_000_000_000), name)

    def test_a_pipe_is_read_and_one_that_stays_silent_can_be_left(self):
        pipe = self.home.path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_text, args=("Say hi.",))
        writer.start()
        done = self.ask("-f", pipe, "-n", "4")
        writer.join()
        self.assertIn(done.returncode, (0, CUT_OFF), done.stderr)
        child = subprocess.Popen([harness.program, "-m", MODEL, "-f", pipe], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 env=self.home.environment)
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        self.assertNotEqual(child.wait(10), 0)

    def test_a_conversation_goes_on_when_its_context_is_full(self):
        begun = json.dumps([{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}])
        self.assertEqual(self.home.run("import", "-", stdin=begun.encode()).returncode, 0)
        told = ""
        for i in range(6):
            question = f"Question {i}: what do foxes eat in winter, and why?"
            done = self.ask("-C", "-p", question, "-c", "160", "-n", "24", "--temp", "0")
            self.assertIn(done.returncode, (0, CUT_OFF), done.stderr)
            self.assertTrue(done.stdout.strip())
            told += done.stderr.decode()
        self.assertIn("oldest", told)
        kept = json.loads(self.home.run("export", "1", "-f", "json").stdout)
        self.assertEqual(len(kept["conversations"][0]["messages"]), 14, "nothing is lost of it")

    def test_a_decision_refuses_an_overflow_that_it_would_ignore(self):
        done = self.ask("--yes-no", "Is it warm?", "--overflow", "truncate")
        self.assert_refused(done, "--overflow", status=(2,))

    def test_the_defaults_of_llama_cpp_are_taken(self):
        for words in (("-c", "0"), ("--seed", "-1"), ("--top-k", "-1"), ("--repeat-last-n", "-1"),
                      ("-t", "-1")):
            with self.subTest(words=words):
                done = self.ask("-p", "Say hi.", "-n", "4", *words)
                self.assertIn(done.returncode, (0, CUT_OFF), done.stderr)

    def test_a_batch_stops_when_its_engine_is_gone_and_goes_on_later(self):
        n_answered = 0

        def answer(request):
            nonlocal n_answered
            if request.command == "GET":
                body = json.dumps({"data": [{"id": "m"}]}).encode()
            else:
                n_answered += 1
                if n_answered > 3:
                    request.connection.shutdown(socket.SHUT_RDWR)
                    return
                body = b'data: {"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
            request.send_response(200)
            kind = "application/json" if request.command == "GET" else "text/event-stream"
            request.send_header("Content-Type", kind)
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            request.wfile.write(body)

        requests, answers = self.home.path / "in.jsonl", self.home.path / "out.jsonl"
        requests.write_text("".join(json.dumps({"id": i, "prompt": f"Question {i}"}) + "\n" for i in range(20)))

        def run(address):
            return self.home.run("batch", requests, "-m", f"{address}#m", "--out", answers, "--parallel", "1")

        with harness.server(answer) as address:
            self.assertEqual(run(address).returncode, 1)
            self.assertEqual(len(answers.read_text().splitlines()), 3, "no request is used up")
            n_answered = -100
            self.assertEqual(run(address).returncode, 0)
        ids = [json.loads(line)["id"] for line in answers.read_text().splitlines()]
        self.assertEqual(sorted(ids), list(range(20)))

    def test_a_stray_byte_concerns_its_line(self):
        requests, answers = self.home.path / "in.jsonl", self.home.path / "out.jsonl"
        lines = [json.dumps({"id": "ä", "prompt": "Grüße?"}, ensure_ascii=False).encode(),
                 b'{"id": 2, "prompt": "\xff\x81"}', b'{"id": 3, "prompt": "Say hi."}']
        requests.write_bytes(b"\n".join(lines) + b"\n")
        self.home.run("batch", requests, "-m", MODEL, "-n", "4", "--out", answers)
        told = {str(line.get("id")): line for line in map(json.loads, answers.read_text().splitlines())}
        self.assertIn("answer", told["ä"])
        self.assertIn("answer", told["3"])


if __name__ == "__main__":
    harness.main()
