// SPDX-License-Identifier: MIT
#include "tests/app/screen/screen_script.h"

#include <map>

#include "ui/text.h"

namespace confab::app {

std::deque<Reply> parse_replies(std::string_view in) {
  std::deque<Reply> replies;
  Reply reply;
  std::string* part = nullptr;
  while (!in.empty()) {
    const std::size_t end = std::min(in.find('\n'), in.size());
    const std::string line(in.substr(0, end));
    in.remove_prefix(std::min(end + 1, in.size()));
    const bool begins = line.starts_with("%% ");
    const bool ends_reply = begins && (!reply.text.empty() || !reply.error.empty());
    if (ends_reply) replies.push_back(std::exchange(reply, {}));
    if (line == "%% answer")
      part = &reply.text;
    else if (line == "%% reasoning")
      part = &reply.reasoning;
    else if (line == "%% error")
      part = &reply.error;
    else if (part != nullptr)
      *part += line + '\n';
  }
  if (!reply.text.empty() || !reply.error.empty()) replies.push_back(reply);
  for (Reply& each : replies)
    for (std::string* text : {&each.reasoning, &each.text, &each.error})
      if (text->ends_with('\n')) text->pop_back();
  return replies;
}

std::string bytes_of(const ui::Key& key) {
  using Code = ui::Key::Code;
  static const std::map<Code, std::string> kBytes = {
      {Code::enter, "\r"},       {Code::tab, "\t"},          {Code::backspace, "\x7f"},
      {Code::escape, "\x1b"},    {Code::up, "\x1b[A"},       {Code::down, "\x1b[B"},
      {Code::right, "\x1b[C"},   {Code::left, "\x1b[D"},     {Code::home, "\x1b[H"},
      {Code::end, "\x1b[F"},     {Code::page_up, "\x1b[5~"}, {Code::page_down, "\x1b[6~"},
      {Code::insert, "\x1b[2~"}, {Code::del, "\x1b[3~"}};
  if (key.code == Code::tab && key.shift) return "\x1b[Z";
  if (key.code != Code::character) {
    const auto found = kBytes.find(key.code);
    return found == kBytes.end() ? "" : (key.alt ? "\x1b" : "") + found->second;
  }
  const std::string letter = ui::to_utf8(key.character);
  const std::string bytes =
      key.ctrl && letter.size() == 1 ? std::string(1, static_cast<char>(letter[0] & 0x1f)) : letter;
  return (key.alt ? "\x1b" : "") + bytes;
}

}  // namespace confab::app
