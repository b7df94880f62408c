#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The chat at a terminal, as a whole: terminal_test.py PROGRAM. Exit status 0 when all holds."""
import ctypes
import fcntl
import http.server
import json
import os
import pty
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

# What a terminal is asked at the start, and answers.
ANSWERS = {b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\", b"\x1b[?2026$p": b"\x1b[?2026;2$y",
           b"\x1b[6n": b"\x1b[2;2R", b"\x1b[c": b"\x1b[?62;c"}
KITTY = {**ANSWERS, b"\x1b[?u": b"\x1b[?0u"}
KONSOLE = {**ANSWERS, b"\x1b[>0q": b"\x1bP>|Konsole 22.12.3\x1b\\"}


class Engine:
    """An OpenAI-compatible engine on 127.0.0.1 that says what it is told to, and keeps what it was asked."""

    def __init__(self, answer="Fine."):
        engine = self
        self.asked = []
        self.commands = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def reply(self, body, kind):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.reply(json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}).encode(),
                           "application/json")

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                engine.commands += [m["content"] for m in request["messages"] if m["role"] == "system"]
                engine.asked.append(request["messages"][-1]["content"])
                events = [{"choices": [{"index": 0, "delta": {"content": answer}, "finish_reason": None}]},
                          {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
                body = "".join("data: %s\n\n" % json.dumps(e) for e in events) + "data: [DONE]\n\n"
                self.reply(body.encode(), "text/event-stream")

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.model = "http://127.0.0.1:%d#m" % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Chat:
    """The program on a terminal, whose other end stays open here."""

    def __init__(self, model, *options, answers=ANSWERS, **variables):
        self.home = tempfile.TemporaryDirectory()
        env = {"HOME": self.home.name, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color",
               "no_proxy": "*", **variables}
        self.answers = answers
        self.raw = b""
        self.fd, self.end = pty.openpty()
        self.before = termios.tcgetattr(self.end)
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

        def take_terminal():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        self.process = subprocess.Popen([PROGRAM, "-m", model, "--incognito", *options], stdin=self.end,
                                        stdout=self.end, stderr=self.end, env=env, cwd=self.home.name,
                                        start_new_session=True, preexec_fn=take_terminal)

    def look(self, seconds=0.1, until=None):
        """Reads for so long, or until the text is there, and answers what is asked."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (until and until in self.raw):
            if not select.select([self.fd], [], [], 0.05)[0]:
                continue
            got = os.read(self.fd, 65536)
            self.raw += got
            for question, answer in self.answers.items():
                if question in got:
                    os.write(self.fd, answer)
        return until is None or until in self.raw

    def type(self, *keys):
        for key in keys:
            if isinstance(key, float):
                self.look(key)
            else:
                os.write(self.fd, key if isinstance(key, bytes) else key.encode())
                self.look(0.1)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.fd)
        os.close(self.end)
        self.home.cleanup()


class DeadMount(tempfile.TemporaryDirectory):
    """A folder whose files never answer, as on a network that has gone: a FUSE that nobody serves."""

    def __init__(self):
        super().__init__()
        self.libc = ctypes.CDLL(None, use_errno=True)
        try:
            self.fd = os.open("/dev/fuse", os.O_RDWR)
        except OSError as error:
            raise unittest.SkipTest("no FUSE here: %s" % error)
        options = "fd=%d,rootmode=40000,user_id=0,group_id=0" % self.fd
        if self.libc.mount(b"silent", self.name.encode(), b"fuse", 0, options.encode()) != 0:
            os.close(self.fd)
            raise unittest.SkipTest("nothing can be mounted here: " + os.strerror(ctypes.get_errno()))

    def cleanup(self):
        os.close(self.fd)  # who waits for a file gets an error
        self.libc.umount2(self.name.encode(), 2)
        super().cleanup()


class TerminalTest(unittest.TestCase):
    def setUp(self):
        self.engine = Engine()
        self.addCleanup(self.engine.close)

    def chat(self, *options, **settings):
        chat = Chat(self.engine.model, *options, **settings)
        self.addCleanup(chat.close)
        return chat

    def started(self, *options, **settings):
        chat = self.chat(*options, **settings)
        self.assertTrue(chat.look(10, b"\x1b[?2004h"), chat.raw)
        chat.look(0.3)
        return chat

    def asked(self, *keys, **settings):
        """What was asked after keys and Enter in a chat of their own."""
        chat = self.started(**settings)
        n = len(self.engine.asked)
        chat.type(*keys, 0.1, "\r")
        end = time.monotonic() + 5
        while len(self.engine.asked) == n and time.monotonic() < end:
            chat.look(0.1)
        chat.look(0.2)
        return self.engine.asked[n:]

    def test_every_signal_that_ends_it_puts_the_terminal_back(self):
        names = ["QUIT", "USR1", "USR2", "ALRM", "XCPU", "VTALRM", "PROF", "POLL", "SYS", "TRAP", "TERM", "RTMIN"]
        for name in names:
            number = getattr(signal, "SIG" + name)
            with self.subTest(name):
                chat = self.started()
                chat.process.send_signal(number)
                chat.process.wait(5)
                chat.look(0.2)
                after = chat.raw[chat.raw.rfind(b"\x1b[?1049h"):]
                self.assertIn(b"\x1b[?1049l", after)
                self.assertIn(b"\x1b[?2004l", after)
                self.assertEqual(termios.tcgetattr(chat.end)[:4], chat.before[:4])
                if name != "TERM":
                    self.assertEqual(chat.process.returncode, -number)

    def test_so_does_the_inline_chat(self):
        chat = self.started("--plain")
        chat.process.send_signal(signal.SIGQUIT)
        chat.process.wait(5)
        chat.look(0.2)
        self.assertIn(b"\x1b[?2004l", chat.raw)
        self.assertEqual(termios.tcgetattr(chat.end)[:4], chat.before[:4])

    def test_a_terminal_that_is_not_known_gets_the_line_chat_and_a_hint(self):
        for term in ["xterm-ghostty", "", "no-such-terminal"]:
            with self.subTest(term):
                chat = self.chat(TERM=term)
                self.assertTrue(chat.look(10, b"> "), chat.raw)
                self.assertIn(b"TERM=xterm-256color", chat.raw)
                chat.type("hi\r")
                self.assertTrue(chat.look(5, b"Fine."), chat.raw)

    def test_files_that_never_answer_hold_nobody_up(self):
        dead = DeadMount()
        self.addCleanup(dead.cleanup)
        for typed in ["What is in @%s/a?\r", "/read %s/a\r", "/import %s/a\r", "See @%s/\t",
                      "\x1b[200~%s/a\x1b[201~"]:
            with self.subTest(typed):
                chat = self.started()
                chat.type(typed % dead.name)
                self.assertTrue(chat.look(5, b"reading"), chat.raw)
                chat.type("\x1b", 0.5, b"\x15", "Hello.\r")
                self.assertTrue(chat.look(5, b"Fine."), chat.raw)
                self.assertEqual(self.engine.asked[-1], "Hello.")
                chat.type("/quit\r")
                self.assertEqual(chat.process.wait(5), 0)

    def test_a_paste_lasts_until_its_end_marker(self):
        paste = ["\x1b[200~one\rtwo\r", 0.9, "/quit\rthree\x1b[201~"]
        self.assertEqual(self.asked(*paste), ["one\ntwo\n/quit\nthree"])

    def test_a_paste_for_a_screen_reader_is_one_question(self):
        chat = self.chat(ACCESSIBLE="1")
        self.assertTrue(chat.look(10, b"> "), chat.raw)
        chat.type("see this:\r/system You are a pirate\rthird line", 0.5, "\r")
        self.assertTrue(chat.look(5, b"Fine."), chat.raw)
        self.assertEqual(self.engine.asked[:1], ["see this:\n/system You are a pirate\nthird line"])
        self.assertEqual(self.engine.commands, [])

    def test_keys_of_other_terminals(self):
        cases = [(KITTY, ["abc", "\x1b[1089::99;5u", "x"], ["x"]),
                 (KITTY, ["abc", "\x1b[99;9u", "def"], ["abcdef"]),
                 (KITTY, ["one two", "\x1b[127;5u", "x"], ["one x"]),
                 (KONSOLE, ["one", "\x1bOM", "two"], ["one\ntwo"]),
                 (ANSWERS, ["ab", "\x1b[7$x"], ["xab"]),
                 (ANSWERS, ["abc", "\x1b]4;1;rgb:ff/ff/ff\x07", "xyz"], ["abcxyz"]),
                 (ANSWERS, ["a\U0001F44D\U0001F3FD", "\x7f", "b"], ["ab"]),
                 (ANSWERS, ["question\r", 0.5, "\x1b[A" * 5, "new"], ["question", "new"])]
        for answers, keys, asked in cases:
            with self.subTest(keys):
                self.assertEqual(self.asked(*keys, answers=answers), asked)

    def test_gnu_screen_has_no_colours_of_24_bits(self):
        chat = self.started(TERM="screen", STY="1.x", COLORTERM="truecolor", COLORFGBG="15;0")
        self.assertNotIn(b"8;2;", chat.raw)

    def test_a_change_of_the_terminals_colours_is_followed(self):
        chat = self.started(answers=ANSWERS, COLORTERM="truecolor")
        chat.type("/help\r")
        chat.raw = b""
        chat.answers = {**ANSWERS, b"\x1b]11;?": b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\"}
        chat.type(b"\x1b[?997;2n", 0.5)
        self.assertIn(b"\x1b[", chat.raw)
        self.assertRegex(chat.raw, rb"38;2;10;79;163", "the light theme's headings")


if __name__ == "__main__":
    if not os.access(PROGRAM, os.X_OK):
        sys.exit("usage: terminal_test.py PROGRAM")
    unittest.main(verbosity=1)
