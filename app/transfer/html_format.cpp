// SPDX-License-Identifier: MIT
#include "app/transfer/html_format.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/figures.h"
#include "app/transfer/markdown_format.h"
#include "ui/markdown/markdown_html.h"

namespace confab::app {
namespace {

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --text: #1c1e21; --page: #ffffff; --box: #f1f3f5; --dim: #667;
  --keyword: #a11a6e; --type: #0b6b6b; --function: #1d50b8; --string: #2c6b1f; --number: #9a4a00;
  --comment: #667; --meta: #6b3fa0; --added: #176f2c; --removed: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e3e5e8; --page: #16181b; --box: #23262b; --dim: #99a;
    --keyword: #f08cc8; --type: #6fd3d0; --function: #8ab4ff; --string: #a5d68f; --number: #f0b070;
    --comment: #99a; --meta: #c7a6f5; --added: #7fd492; --removed: #ff8f87; }
}
body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem; color: var(--text);
  background: var(--page); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { line-height: 1.25; }
.speaker, time { color: var(--dim); font-size: .85rem; }
article { margin: 1.5rem 0; }
.user, .system { background: var(--box); border-radius: .6rem; padding: .6rem 1rem; }
.plain, pre { white-space: pre-wrap; }
pre, code { font: .9em/1.5 ui-monospace, monospace; background: var(--box); border-radius: .3rem; }
pre { padding: .8rem; overflow-x: auto; }
code { padding: .1rem .25rem; }
pre code { padding: 0; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: .2rem solid var(--dim); }
.footnote { margin-left: 1rem; }
.alert { border-color: var(--function); }
.urgent { border-color: var(--removed); }
.title { font-weight: bold; margin-bottom: 0; }
kbd { font: .85em ui-monospace, monospace; border: 1px solid var(--dim); border-radius: .3rem;
  padding: 0 .3rem; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { border: 1px solid var(--dim); padding: .2rem .6rem; }
.task { list-style: none; margin-left: -1.2rem; }
.math { font-family: ui-monospace, monospace; }
.display { display: block; margin: .6rem 0; white-space: pre; overflow-x: auto; line-height: 1.3; }
.keyword { color: var(--keyword); }
.type { color: var(--type); }
.function { color: var(--function); }
.string { color: var(--string); }
.number { color: var(--number); }
.comment { color: var(--comment); font-style: italic; }
.meta { color: var(--meta); }
.added { color: var(--added); }
.removed { color: var(--removed); }
details { color: var(--dim); margin: .5rem 0; }
)css";

std::string attachments_html(const sessions::Message& message) {
  std::string out;
  for (const sessions::Attachment& file : message.attachments) {
    const std::string head = fmt::format(
        "{}, {} bytes", ui::html_escaped(file.name == "-" ? "standard input" : file.name),
        grouped(static_cast<std::int64_t>(file.size_bytes)));
    if (file.content)
      out += fmt::format("<details><summary>{}</summary>\n<pre>{}</pre></details>\n", head,
                         ui::html_escaped(*file.content));
    else
      out += fmt::format("<div class=\"speaker\">{}</div>\n", head);
  }
  return out;
}

std::string message_html(const sessions::Message& message) {
  std::string out = fmt::format("<article class=\"{}\">\n<div class=\"speaker\">{}</div>\n",
                                name_of(message.role), ui::html_escaped(speaker(message)));
  if (!message.reasoning.empty())
    out += fmt::format(
        "<details><summary>Reasoning</summary>\n<div class=\"plain\">{}</div></details>\n",
        ui::html_escaped(message.reasoning));
  out += attachments_html(message);
  if (message.role == sessions::Role::assistant)
    out += ui::markdown_to_html(message.content);
  else
    out += fmt::format("<div class=\"plain\">{}</div>\n", ui::html_escaped(message.content));
  return out + "</article>\n";
}

}  // namespace

std::string to_html(const sessions::ConversationTree& tree) {
  const auto created = std::chrono::floor<std::chrono::seconds>(tree.conversation.created);
  const std::string title = ui::html_escaped(tree.conversation.title);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\""
      " content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n<time>{:%Y-%m-%d}</"
      "time>\n",
      title, kStyle, title, fmt::localtime(std::chrono::system_clock::to_time_t(created)));
  for (const sessions::Message* message : shown_path(tree)) out += message_html(*message);
  return out + "</body>\n</html>\n";
}

}  // namespace confab::app
