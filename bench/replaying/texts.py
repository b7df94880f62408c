# SPDX-License-Identifier: MIT
"""Prompts with answers that people have written: edits and summaries from a repository's history,
questions and stories from documents, answers from exported conversations.

What is chosen follows from the history and the files alone: the same texts each time.
"""
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

SHORTEST = 300  # characters of an answer: about 80 tokens
SUFFIXES = (".md", ".txt", ".json")
HEADING = re.compile(r"^#{1,4} +(.+)$", re.MULTILINE)


class TextsError(Exception):
    """One line: why there are no texts."""


@dataclass(frozen=True)
class Text:
    """kind: edit, summary, question, story or chat."""

    kind: str
    name: str
    prompt: str
    answer: str


def fits(text, longest):
    return SHORTEST <= len(text) <= longest


class History:
    """The changes of a repository up to a revision, in the order of their hashes: a sample that
    later changes hardly alter."""

    def __init__(self, repository, revision, longest):
        self.repository, self.longest = repository, longest
        log = self._git("log", "--no-merges", "--diff-filter=M", "--name-only",
                        "--format=%x01%H%n%B%x02", revision)
        self.changes = []
        for entry in log.split("\x01")[1:]:
            head, _, names = entry.partition("\x02")
            commit, _, message = head.partition("\n")
            files = [name for name in names.split("\n") if name]
            if files:
                self.changes.append((commit, message.strip(), files))
        self.changes.sort()

    def _git(self, *words):
        done = subprocess.run(["git", "-C", str(self.repository), *words], capture_output=True,
                              check=False)
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
            raise TextsError(f"{self.repository}: {said[-1]}")
        return done.stdout.decode(errors="replace")

    def edits(self):
        """One file of each change: as it was and what to do, then as it became."""
        for commit, message, files in self.changes:
            for name in files:
                before = self._git("show", f"{commit}^:{name}")
                after = self._git("show", f"{commit}:{name}")
                if "\0" in before or not all(fits(t, self.longest) for t in (before, after)):
                    continue
                yield Text("edit", f"{commit[:9]} {name}",
                           f"{name}:\n\n{before}\n\n{message}\n\nWrite the whole file anew.\n",
                           after)
                break

    def summaries(self):
        """What a change is, then what its author said of it."""
        for commit, message, _ in self.changes:
            subject, _, body = message.partition("\n")
            if fits(body.strip(), self.longest):
                change = self._git("show", "--format=", commit)[:self.longest]
                yield Text("summary", f"{commit[:9]} {subject}",
                           f"{change}\n\nSummarise this change, and say why it was made.\n",
                           f"{message}\n")


def sections(document):
    """(heading, text below it) of a document in Markdown."""
    headings = list(HEADING.finditer(document))
    ends = [h.start() for h in headings[1:]] + [len(document)]
    return [(h[1].strip(), document[h.end():end].strip()) for h, end in zip(headings, ends)]


def of_document(name, document, longest):
    """Each section in turn as the answer to a question about the rest, and told from nothing."""
    for i, (heading, text) in enumerate(sections(document)):
        if not fits(text, longest):
            continue
        if i % 2:
            rest = document.replace(text, "")[:longest]
            yield Text("question", f"{name}: {heading}",
                       f"{rest}\n\nWhat is there to say about this: {heading}?\n", f"{text}\n")
        else:
            yield Text("story", f"{name}: {heading}", f"Tell me about this: {heading}.\n",
                       f"{text}\n")


def of_prose(name, prose, longest):
    """Pieces that go on from those before them."""
    paragraphs, piece, before = re.split(r"\n\s*\n", prose), "", ""
    for paragraph in paragraphs:
        piece += paragraph.strip() + "\n\n"
        if len(piece) > longest:
            piece = ""  # no paragraphs, or those of a list
        elif len(piece) >= longest // 2:
            if before:
                yield Text("story", f"{name}: {piece[:20].strip()!r}", before, piece)
            before, piece = piece, ""


def content(message):
    text = message.get("content", "")
    return text if isinstance(text, str) else ""  # bytes that are no text


def of_export(name, export, longest):
    """The answers of conversations, as `confab export --format json` writes them."""
    for chat in export.get("conversations", []):
        messages = chat.get("messages", [])
        for message in messages:
            if message.get("role") != "assistant" or not fits(content(message), longest):
                continue
            turns, at = [], message.get("parent", 0)
            while at:
                turns.append(content(messages[at - 1]))
                at = messages[at - 1].get("parent", 0)
            prompt = "\n\n".join(reversed(turns)) + "\n\n"
            yield Text("chat", f"{name}: {turns[0][:20]!r}", prompt[-longest:], content(message))


def of_file(path, longest):
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            yield from of_export(path.name, json.loads(text), longest)
        elif path.suffix == ".md":
            yield from of_document(path.name, text, longest)
        else:
            yield from of_prose(path.name, text, longest)
    except OSError as error:
        raise TextsError(f"{path}: {error.strerror}") from None
    except (ValueError, LookupError, AttributeError, TypeError):
        raise TextsError(f"{path}: neither UTF-8 text nor conversations exported as JSON") from None


def of_files(paths, longest):
    """Of files, and of all in folders that may hold some; a text of each file in turn."""
    files = []
    for path in paths:
        below = sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES)
        files += [p for p in below if p.is_file()] if path.is_dir() else [path]
    return alternating(*(of_file(path, longest) for path in files))


def alternating(*sources):
    """A text of each source in turn, until all are at their end."""
    pending = list(sources)
    while pending:
        for texts in list(pending):
            text = next(texts, None)
            if text is None:
                pending.remove(texts)
            else:
                yield text
