#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A picture of a terminal's screen, from what tmux says it shows:

    tmux capture-pane -epN | render.py --size 80x24 --background dark screen.png

Needs the Debian packages python3-pil, fonts-dejavu-core (fonts-dejavu-extra for the oblique ones)
and, for East Asian text, fonts-droid-fallback. Characters that none of these has show as a box, and
clusters of several characters as the first of them: pictures show layout and colours, not glyphs.
"""

import argparse
import re
import sys
import unicodedata

from PIL import Image, ImageDraw, ImageFont

CELL = (9, 18)
POINTS = 15
DEJAVU = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono%s.ttf"
FALLBACKS = ["/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
             "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf"]

# xterm's palette, as ui/color.cpp has it.
PALETTE = [(0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205),
           (0, 205, 205), (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0),
           (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255)]
LEVELS = (0, 95, 135, 175, 215, 255)
PALETTE += [(r, g, b) for r in LEVELS for g in LEVELS for b in LEVELS]
PALETTE += [(8 + 10 * i,) * 3 for i in range(24)]
GROUNDS = {"dark": ((216, 216, 216), (24, 24, 28)), "light": ((32, 32, 32), (250, 250, 248))}

SEQUENCE = re.compile(r"\x1b\[([0-9;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()].|[\x0e\x0f]")
SWITCHES = {1: ("bold", True), 2: ("dim", True), 3: ("italic", True), 4: ("underline", True),
            7: ("reverse", True), 9: ("strike", True), 23: ("italic", False),
            24: ("underline", False), 27: ("reverse", False), 29: ("strike", False)}


def extended_color(numbers):
    """What follows 38 or 48: 5;n or 2;r;g;b. Takes it from the list."""
    if numbers and numbers.pop(0) == 5:
        return PALETTE[numbers.pop(0)]
    color = tuple(numbers[:3])
    del numbers[:3]
    return color


def take_rendition(pen, parameters):
    numbers = [int(n or 0) for n in re.split("[;:]", parameters)]
    while numbers:
        n = numbers.pop(0)
        if n == 0:
            pen.clear()
        elif n == 22:
            pen.update(bold=False, dim=False)
        elif n in SWITCHES:
            pen[SWITCHES[n][0]] = SWITCHES[n][1]
        elif n in (38, 48):
            pen["fg" if n == 38 else "bg"] = extended_color(numbers)
        elif n in (39, 49):
            pen.pop("fg" if n == 39 else "bg", None)
        elif 30 <= n % 60 < 50 and n % 10 < 8 and n < 108:
            key = "fg" if n % 60 < 40 else "bg"
            pen[key] = PALETTE[n % 10 + (8 if n >= 90 else 0)]


def columns(character):
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cells(line, pen):
    """(column, text, columns, pen) of each cell of a captured line; the pen goes on changing."""
    column, at, found = 0, 0, []
    while at < len(line):
        if match := SEQUENCE.match(line, at):
            if match[1] is not None:
                take_rendition(pen, match[1])
            at = match.end()
            continue
        n = columns(line[at])
        if n:
            found.append((column, line[at], n, dict(pen)))
            column += n
        at += 1
    return found


class Painter:
    def __init__(self, cols, rows, background):
        self.cols, self.rows = cols, rows
        self.ground = GROUNDS[background]
        self.image = Image.new("RGB", (cols * CELL[0], rows * CELL[1]), self.ground[1])
        self.draw = ImageDraw.Draw(self.image)
        self.fonts = {}

    def font(self, path):
        if path not in self.fonts:
            font = ImageFont.truetype(path, POINTS)
            self.fonts[path] = (font, bytes(font.getmask("\U0010ffff")))
        return self.fonts[path]

    def font_for(self, text, pen):
        style = ("Bold" if pen.get("bold") else "") + ("Oblique" if pen.get("italic") else "")
        for path in [DEJAVU % ("-" + style if style else ""), DEJAVU % "", *FALLBACKS]:
            try:
                font, missing = self.font(path)
            except OSError:
                continue
            if text == " " or bytes(font.getmask(text)) != missing:
                return font
        return self.font(DEJAVU % "")[0]

    def text(self, captured):
        """All that tmux has captured."""
        pen = {}
        for row, line in enumerate(captured.split("\n")[:self.rows]):
            for column, text, n, look in cells(line, pen):
                if column + n <= self.cols:
                    self.cell(row, column, text, n, look)

    def cell(self, row, column, text, n, pen):
        fg, bg = pen.get("fg", self.ground[0]), pen.get("bg", self.ground[1])
        if pen.get("reverse"):
            fg, bg = bg, fg
        if pen.get("dim"):
            fg = tuple((2 * f + b) // 3 for f, b in zip(fg, bg))
        x, y = column * CELL[0], row * CELL[1]
        right, bottom = x + n * CELL[0] - 1, y + CELL[1] - 1
        self.draw.rectangle((x, y, right, bottom), fill=bg)
        if text != " ":
            font = self.font_for(text, pen)
            self.draw.text((x, y + CELL[1] - 5), text, font=font, fill=fg, anchor="ls")
        if pen.get("underline"):
            self.draw.line((x, bottom - 2, right, bottom - 2), fill=fg)
        if pen.get("strike"):
            self.draw.line((x, y + CELL[1] // 2, right, y + CELL[1] // 2), fill=fg)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--size", default="80x24", help="columns x rows")
    parser.add_argument("--background", choices=sorted(GROUNDS), default="dark")
    parser.add_argument("picture", help="the PNG file to write")
    options = parser.parse_args()
    cols, rows = (int(n) for n in options.size.split("x"))
    painter = Painter(cols, rows, options.background)
    painter.text(sys.stdin.buffer.read().decode())
    painter.image.quantize(128, dither=Image.Dither.NONE).save(options.picture, optimize=True)


if __name__ == "__main__":
    main()
