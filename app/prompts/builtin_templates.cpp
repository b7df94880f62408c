// SPDX-License-Identifier: MIT
#include "app/prompts/builtin_templates.h"

#include <array>

namespace confab::app {
namespace {

constexpr auto kTemplates = std::to_array<BuiltinTemplate>({
    // The classes. What they set gives way to whatever somebody has set.
    {"code", R"(description = "programs, queries, commands: written, explained, mended"
temperature = 0.3
)"},
    {"question", R"(description = "something that somebody wants to know"
)"},
    {"summary", R"(description = "a text made short"
)"},
    {"rewrite", R"(description = "a text in other words, or in another language"
)"},
    {"extraction", R"(description = "what a text has of a kind: names, dates, a table, JSON"
temperature = 0.2
)"},
    {"chat", R"(description = "a conversation, a story, advice, ideas"
)"},
    // The commands.
    {"commit-message", R"(description = "a Git commit message for a diff"
instruction = """
Write the commit message for this diff. The first line says in the imperative what the commit does, \
in at most 65 characters, without a full stop at its end. If the reason is not plain from that, an \
empty line follows and then one short paragraph that says why, in lines of at most 72 characters. \
Answer with the message alone: no quotes, no code fence, no heading.
"""
temperature = 0.3
overflow = "truncate"
)"},
    {"explain", R"(description = "what a text, a program or an error message means"
instruction = """
Explain this to {{to}}. First say in one or two sentences what it is, then what matters in it, in the \
order in which it is easiest to understand.
"""
temperature = 0.5

[arguments]
to = { help = "to whom", default = "somebody who knows the field but has not seen this before" }
)"},
    {"proofread", R"(description = "a text with its mistakes corrected"
instruction = """
Correct the spelling, grammar and punctuation of this text. Keep its language, its wording and its \
line breaks wherever they are right. Answer with the corrected text alone.
"""
temperature = 0.2
)"},
    {"review", R"(description = "a review of code or of a diff: its faults, the worst first"
instruction = """
Review this. Look for {{focus}}. List what you find, the most serious first; for each name the file \
and the line or function, what goes wrong, and how to mend it. Say so if there is nothing to find, \
and leave out praise and matters of taste.
"""
temperature = 0.3

[arguments]
focus = { help = "what to look for", default = "wrong results, crashes, leaks, races, security holes and misleading names" }
)"},
    {"summarize", R"(description = "a short summary of a text"
instruction = """
Summarize this in {{length}}, in the language in which it is written. Keep names, numbers and \
decisions. Answer with the summary alone.
"""
temperature = 0.4
overflow = "split"

[arguments]
length = { help = "how long", default = "three to five sentences" }
)"},
    {"translate", R"(description = "a text in another language"
instruction = """
Translate this into {{to}}. Keep its tone, its line breaks and its markup. Answer with the \
translation alone.
"""
temperature = 0.3

[arguments]
to = { help = "the language" }
)"},
});

}  // namespace

std::span<const BuiltinTemplate> builtin_templates() noexcept {
  return kTemplates;
}

}  // namespace confab::app
