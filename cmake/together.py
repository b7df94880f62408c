# SPDX-License-Identifier: MIT
"""Says which sources of a library can be compiled together, as CMake's UNITY_BUILD does it.

usage: together.py ROOT PREFIX SOURCE...   prints lines "GROUP SOURCE"

Each file's unnamed namespaces are its own; compiled with another file they are not. So a file joins
a group only where no name that it keeps to itself is written anywhere in the others, nor in the
headers that they include, nor the other way round. What is read is words, not C++: a name too many
only keeps two files apart.
"""
import pathlib
import re
import sys

LINES = 2600  # of a group: more saves little, and one step becomes as long as the whole build
MACROS = ("<curses.h>", "<term.h>")  # whose macros are words that anybody uses
# What would be for all files of a group: another allocator, the names of another namespace of ours.
ALONE = re.compile(r"^void\* operator new|^\s*using namespace (?!std::)\w", re.M)
KEYWORDS = set("""alignas auto bool char class const consteval constexpr constinit decltype delete double
enum explicit extern false final float for if inline int long mutable namespace new noexcept nullptr
operator override private public requires return short signed sizeof static static_assert struct switch
template this true typename union unsigned using void volatile while
TEST TEST_F TEST_P TYPED_TEST INSTANTIATE_TEST_SUITE_P""".split())  # GoogleTest's declare other names

NOISE = re.compile(r'''//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+\'''',
                   re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|(<[^>]+>))', re.M)
WORD = re.compile(r"[A-Za-z_]\w*|::|[{}();=<>,\[:.]|->|&&")


def used(text):
    """The words of a text that may be names of a namespace, and those of them that are called."""
    words = re.findall(r"(?<![\w.])(?<!->)(?<!::)([A-Za-z_]\w*)(\s*\()?", text)
    return {w for w, _ in words} - KEYWORDS, {w for w, call in words if call} - KEYWORDS


def declared(statement):
    """The names that a statement of a namespace may declare: of functions, and all others."""
    words, depth, angle, functions, others, before = [], 0, 0, set(), set(), ""
    for i, word in enumerate(statement):
        if before == "template" and word == "<" or angle:
            angle += {"<": 1, ">": -1}.get(word, 0)
        else:
            words.append(word)
        before = word
    if "using" in words and "namespace" in words:
        return set(), {"using namespace"}
    if words[:1] == ["namespace"]:  # an alias: the same in each file that has it
        return set(), set()
    heads = [i for i, word in enumerate(words) if word in ("struct", "class", "enum", "union")]
    if heads and "(" not in words[:-1] and "=" not in words[:-1]:
        rest = [w for w in words[heads[0] + 1:] if w not in KEYWORDS]
        return set(), set(rest[:1])
    for i, word in enumerate(words[:-1]):
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth == 0 and re.match(r"\w", word) and word not in KEYWORDS:
            if words[i + 1] in "(={;[,:" and (i == 0 or words[i - 1] not in ("::", ".")):
                (functions if words[i + 1] == "(" else others).add(word)
        if word == "=" and depth == 0 and "," not in words:
            break
    return functions, others


class Names:
    """The names of the namespaces of a file: those with internal linkage, and all others."""

    def __init__(self, text):
        self.functions, self.shared = set(), set()
        self.others = set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M))
        self.enums, self.used_enums = {}, set()  # enumerators; those that are named without their enum
        self.types = set()  # whole names of those that are defined
        text = re.sub(r"^\s*#[^\n]*(?:\\\n[^\n]*)*", "", text, flags=re.M)
        scopes, statement, namespaces = [], [], ""
        for word in WORD.findall(text):
            outside = all(s in ("named", "unnamed") for s in scopes)
            if word == "{":
                kind = "other"
                if outside and "namespace" in statement[:2]:
                    kind = "unnamed" if len(statement) == 1 else "named"
                    namespaces += "".join(statement)
                elif outside:
                    self.add(statement + ["{"], scopes)
                    if {"struct", "class", "enum"} & set(statement) and "(" not in statement:
                        self.types |= {f"{namespaces} {name}" for name in declared(statement + ["{"])[1]}
                    if "enum" in statement:
                        kind = "enumerators"
                        scoped = statement[1] in ("class", "struct")
                        enumerators = self.enums.setdefault(statement[2], set()) if scoped else self.others
                scopes.append(kind)
                statement = []
            elif word == "}":
                scopes = scopes[:-1]
                statement = []
            elif word == ";":
                if outside and statement[:2] == ["using", "enum"]:
                    self.used_enums.add(statement[-1])
                elif outside:
                    self.add(statement + [";"], scopes)
                statement = []
            else:
                statement.append(word)
                if scopes and scopes[-1] == "enumerators" and re.match(r"\w", word):
                    enumerators.add(word)
        self.functions -= KEYWORDS
        self.others -= KEYWORDS

    def add(self, statement, scopes):
        functions, others = declared(statement)
        internal = {"constexpr", "const", "using"} & set(statement) and "(" not in statement
        if "unnamed" in scopes or "static" in statement or internal:
            self.functions |= functions
            self.others |= others
        else:
            self.shared |= functions | others


class Source:
    def __init__(self, text):
        self.alone = any(f"#include {header}" in text for header in MACROS) or ALONE.search(text)
        self.headers = re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M)
        self.lines = text.count("\n")
        text = NOISE.sub(" ", text)
        self.names = Names(text)
        self.words, self.called = used(text)


class Files:
    def __init__(self, root):
        self.root, self.seen = pathlib.Path(root), {}

    def read(self, path):
        if path not in self.seen:
            text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
            self.seen[path] = Source(text)
        return self.seen[path]

    def declared_by_headers(self, path):
        """The names of the namespaces of all headers of ours that a source includes, and which header
        defines a type."""
        used_enums = self.read(path).names.used_enums
        names, types, done, todo = set(), {}, set(), [path]
        while todo:
            one = self.read(todo.pop())
            for header in (self.root / name for name in one.headers):
                if header not in done:
                    done.add(header)
                    todo.append(header)
                    its = self.read(header).names
                    names |= its.functions | its.others | its.shared
                    types.update({name: header for name in its.types})
                    for enum in used_enums & its.enums.keys():
                        self.read(path).names.others |= its.enums[enum]
        return names, types


class Group:
    def __init__(self):
        self.folders, self.lines = {}, 0
        self.own, self.others, self.functions = set(), set(), set()
        self.words, self.called, self.declared, self.types = set(), set(), set(), {}

    def takes(self, source, declared, types):
        own = source.names.functions | source.names.others
        return (self.lines + source.lines <= LINES and not self.own & own
                and not self.others & source.words and not source.names.others & self.words
                and not self.functions & source.called and not source.names.functions & self.called
                and not self.own & declared and not own & self.declared
                and all(self.types.get(name, header) == header for name, header in types.items()))

    def add(self, folder, source, declared, types):
        self.folders[folder] = self.folders.get(folder, 0) + 1
        self.lines += source.lines
        self.functions |= source.names.functions
        self.others |= source.names.others
        self.own |= source.names.functions | source.names.others
        self.words |= source.words
        self.called |= source.called
        self.declared |= declared
        self.types.update(types)


def main():
    root, prefix, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
    files, groups = Files(root), []
    by_folder = sorted(sources, key=lambda source: (str(pathlib.Path(source).parent), source))
    for source in by_folder:
        path = pathlib.Path(source)
        one, (names, types) = files.read(path), files.declared_by_headers(path)
        if one.alone:
            continue
        fitting = [g for g in groups if g.takes(one, names, types)]
        group = max(fitting, key=lambda g: (g.folders.get(path.parent, 0), -g.lines), default=None)
        if group is None:
            group = Group()
            groups.append(group)
        group.add(path.parent, one, names, types)
        print(f"{prefix}_{groups.index(group)} {source}")


main()
