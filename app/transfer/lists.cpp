// SPDX-License-Identifier: MIT
#include "app/transfer/lists.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "app/figures.h"
#include "ui/color.h"
#include "ui/text.h"

namespace confab::app {
namespace {

std::string marked(const sessions::Snippet& snippet, const Emphasis& emphasis) {
  const std::string_view text = snippet.text;
  std::string out;
  std::size_t done = 0;
  for (const auto& [begin, end] : snippet.marked) {
    out += ui::one_line(text.substr(done, begin - done));
    out += emphasis.begin;
    out += ui::one_line(text.substr(begin, end - begin));
    out += emphasis.end;
    done = end;
  }
  return out + ui::one_line(text.substr(done));
}

}  // namespace

std::string when(sessions::Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%d %H:%M}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(seconds)));
}

std::string number_of(sessions::ConversationId id) {
  return fmt::format("#{}", static_cast<std::int64_t>(id));
}

std::vector<std::string> names_of(std::span<const sessions::Conversation> conversations) {
  std::map<std::string_view, int> n_of_title;
  for (const sessions::Conversation& conversation : conversations) ++n_of_title[conversation.title];
  std::vector<std::string> names;
  for (const sessions::Conversation& conversation : conversations) {
    const std::string_view title = conversation.title;
    const std::size_t digits = title.starts_with('#') ? 1 : 0;
    const bool like_a_number = title.find_first_not_of("0123456789", digits) == title.npos;
    const bool its_own = n_of_title[title] == 1 && !like_a_number;
    names.push_back(its_own ? conversation.title : number_of(conversation.id));
  }
  return names;
}

Emphasis emphasis_for_stdout() {
  if (ui::line_color_depth(isatty(STDOUT_FILENO) == 1) == ui::ColorDepth::none) return {};
  return {.begin = "\x1b[1m", .end = "\x1b[22m"};
}

std::string describe_conversations(std::span<const sessions::Conversation> conversations) {
  std::string text;
  for (const sessions::Conversation& conversation : conversations)
    text +=
        fmt::format("{:>5} {} {}  {:>5} messages  {}\n", static_cast<std::int64_t>(conversation.id),
                    conversation.pinned ? '*' : ' ', when(conversation.updated),
                    grouped(conversation.n_messages), ui::one_line(conversation.title));
  if (!text.empty()) text.pop_back();
  return text;
}

std::string describe_hits(std::span<const sessions::SearchHit> hits, const Emphasis& emphasis) {
  std::string text;
  for (const sessions::SearchHit& hit : hits)
    text += fmt::format("{:>5}  {}  {}, {}\n       {}\n",
                        static_cast<std::int64_t>(hit.conversation), when(hit.created),
                        ui::one_line(hit.title), name_of(hit.role), marked(hit.snippet, emphasis));
  if (!text.empty()) text.pop_back();
  return text;
}

std::string describe_branches(std::span<const sessions::Branch> branches) {
  std::string text;
  int number = 0;
  for (const sessions::Branch& branch : branches)
    text += fmt::format("{:>3} {} {:>3} messages, branches after message {:>3}: {}: {}\n", ++number,
                        branch.shown ? '*' : ' ', branch.n_messages, branch.n_before,
                        name_of(branch.role), ui::one_line(branch.begin));
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace confab::app
