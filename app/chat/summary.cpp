// SPDX-License-Identifier: MIT
#include "app/chat/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace confab::app {
namespace {

using engine::Turn;

constexpr const char* kRequest =
    "Summarise our conversation so far, so that we can go on from the summary alone: what I want, "
    "what was decided and found, names, numbers, file names and code that still matter, and what "
    "is open. Write only the summary.";
constexpr const char* kLeftOut = "(The beginning of our conversation has been left out.)";

// Tokens of the context to keep free for the request and the summary.
constexpr int kMostRoom = 1024;
constexpr std::size_t kLeastBytes = 200;  // less is not worth summarising

std::size_t bytes_of(const Turn& turn) {
  return turn.message.content.size() + turn.message.reasoning.size();
}

// The last n bytes, starting at a whole character.
std::string end_of(const std::string& text, std::size_t n) {
  constexpr unsigned char kMask = 0xC0, kContinuation = 0x80;
  std::size_t begin = text.size() - std::min(n, text.size());
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & kMask) == kContinuation)
    ++begin;
  return text.substr(begin);
}

// The last turns with at most max_bytes in all; the first of them is cut.
std::vector<Turn> recent(const std::vector<Turn>& said, std::size_t first, std::size_t max_bytes) {
  std::vector<Turn> kept;
  for (std::size_t i = said.size(); i > first && max_bytes > 0; --i) {
    Turn turn = said[i - 1];
    if (bytes_of(turn) > max_bytes) {
      turn.message.content = end_of(turn.message.content, max_bytes);
      turn = {.message = {turn.message.role, std::move(turn.message.content)}};
    }
    max_bytes -= std::min(max_bytes, bytes_of(turn));
    kept.push_back(std::move(turn));
  }
  std::ranges::reverse(kept);
  return kept;
}

// Templates expect alternating roles.
void add_request(std::vector<Turn>& turns) {
  if (!turns.empty() && turns.back().message.role == "user")
    turns.back().message.content += fmt::format("\n\n{}", kRequest);
  else
    turns.push_back({.message = {"user", kRequest}});
}

}  // namespace

SummaryRequest::SummaryRequest(std::vector<Turn> said, int n_tokens, int n_ctx)
    : said_(std::move(said)) {
  for (const Turn& turn : said_)
    if (turn.message.role != "system") n_bytes_ += bytes_of(turn);
  max_bytes_ = n_bytes_;
  const int n_free = n_ctx - std::min(n_ctx / 4, kMostRoom);
  if (n_tokens > n_free)
    max_bytes_ = static_cast<std::size_t>(static_cast<double>(n_bytes_) * n_free / n_tokens);
}

bool SummaryRequest::shorten() {
  restart();
  max_bytes_ = std::min(max_bytes_, n_bytes_) / 2;
  return max_bytes_ >= kLeastBytes;
}

std::vector<Turn> SummaryRequest::turns() const {
  const std::size_t first = !said_.empty() && said_.front().message.role == "system" ? 1 : 0;
  std::vector<Turn> turns(said_.begin(), said_.begin() + static_cast<std::ptrdiff_t>(first));
  std::vector<Turn> kept = recent(said_, first, max_bytes_);
  if (is_partial() && !kept.empty() && kept.front().message.role != "user")
    turns.push_back({.message = {"user", kLeftOut}});
  std::ranges::move(kept, std::back_inserter(turns));
  add_request(turns);
  return turns;
}

std::string system_with_summary(const std::string& system, const std::string& summary) {
  return fmt::format("{}{}Summary of the conversation so far:\n{}", system,
                     system.empty() ? "" : "\n\n", summary);
}

}  // namespace confab::app
