// SPDX-License-Identifier: MIT
#include "engine/hub/piece_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "engine/remote/url.h"

namespace confab::engine {
namespace {

constexpr int kMostFaults = 6;  // in a row
constexpr std::chrono::milliseconds kFirstWait{250};
constexpr std::chrono::seconds kMostWait{60};

HttpRequest request_of(const PieceState& state, const ByteRange& piece) {
  HttpRequest request{.url = state.url,
                      .key = state.hub.token,
                      .follow = true,
                      .silence = std::chrono::seconds(30)};
  if (state.with_ranges)
    request.headers.push_back(fmt::format("Range: bytes={}-{}", piece.begin, piece.end - 1));
  return request;
}

// Expects "bytes 0-99/1234": https://www.rfc-editor.org/rfc/rfc9110#field.content-range
bool is_range(const std::string& text, const ByteRange& piece, std::uint64_t bytes) {
  return text == fmt::format("bytes {}-{}/{}", piece.begin, piece.end - 1, bytes);
}

int number_in(const std::string& text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::clamp(number, 0, static_cast<int>(kMostWait.count()));
}

}  // namespace

void PieceProgress::fail(PieceTrouble with, std::string why) {
  if (trouble != PieceTrouble::none) return;
  trouble = with;
  fault = std::move(why);
}

std::optional<HttpRequest> next_piece(const PieceState& state, PieceProgress& progress,
                                      ByteRange& piece) {
  if (progress.waiting.empty() || progress.trouble != PieceTrouble::none) return std::nullopt;
  piece = progress.waiting.front();
  progress.waiting.pop_front();
  return request_of(state, piece);
}

void PieceReader::take_trouble(PieceTrouble trouble, std::string fault) {
  state_->progress.with(
      [&](PieceProgress& progress) { return progress.fail(trouble, std::move(fault)), true; });
}

void PieceReader::head(const HttpHead& head) {
  takes_ = false;
  refusal_.clear();
  retry_after_ = std::chrono::seconds(number_in(head.header("retry-after")));
  if (head.status == 200 || head.status == 206) return take_part(head);
  const std::string text = refusal_text(state_->hub, head, state_->repository);
  if (head.status == 429 || head.status == 408 || head.status >= 500)
    refusal_ = text;
  else
    take_trouble(PieceTrouble::failed, text);
}

void PieceReader::take_part(const HttpHead& head) {
  if (head.status == 200 && state_->with_ranges && piece_ != ByteRange{0, state_->bytes})
    return take_trouble(PieceTrouble::ignores_ranges);
  if (head.status == 206 && !is_range(head.header("content-range"), piece_, state_->bytes))
    return take_trouble(PieceTrouble::failed,
                        fmt::format("{} gives other bytes than it was asked for: the file there is "
                                    "not the one that it lists",
                                    host_of(state_->hub.url)));
  // A weak tag does not guarantee equal bytes.
  if (const std::string etag = head.header("etag");
      state_->looks_at_etag && !etag.empty() && !etag.starts_with("W/")) {
    const bool is_same = state_->progress.with([&](PieceProgress& progress) {
      if (progress.etag.empty()) progress.etag = etag;
      return progress.etag == etag;
    });
    if (!is_same) return take_trouble(PieceTrouble::changed);
  }
  takes_ = true;
}

bool PieceReader::body(std::string_view bytes) {
  if (!takes_) return true;  // the body of an error response
  bytes = bytes.substr(0, piece_.bytes());
  while (!bytes.empty()) {
    const ssize_t n =
        ::pwrite(state_->fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(piece_.begin));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      takes_ = false;
      take_trouble(PieceTrouble::failed, fmt::format("the file cannot be written: {}",
                                                     std::generic_category().message(errno)));
      return true;
    }
    const auto end = piece_.begin + static_cast<std::uint64_t>(n);
    state_->progress.with([&](PieceProgress& progress) {
      progress.done.add({piece_.begin, end});
      if (state_->with_ranges) progress.n_faults = 0;
      return true;
    });
    piece_.begin = end;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// A server may send more than the piece, or a long error response.
bool PieceReader::has_enough() {
  return !takes_ || piece_.bytes() == 0;
}

std::optional<HttpRequest> PieceReader::end(const std::string& fault) {
  return state_->progress.with([&](PieceProgress& progress) {
    std::optional<HttpRequest> request;
    if (progress.trouble == PieceTrouble::none) {
      if (piece_.bytes() > 0) request = again(progress, fault);
      if (!request) request = next_piece(*state_, progress, piece_);
    }
    if (!request) --progress.n_running;
    return request;
  });
}

// Requests the rest of the piece after a delay.
std::optional<HttpRequest> PieceReader::again(PieceProgress& progress, const std::string& fault) {
  if (++progress.n_faults > kMostFaults) {
    progress.fail(PieceTrouble::failed,
                  !refusal_.empty() ? refusal_
                  : fault.empty()   ? host_of(state_->hub.url) + " breaks off again and again"
                                    : fault);
    return std::nullopt;
  }
  HttpRequest request = request_of(*state_, piece_);
  if (!state_->with_ranges) piece_ = {0, state_->bytes};
  const auto wait = std::max<std::chrono::milliseconds>(kFirstWait * (1 << (progress.n_faults - 1)),
                                                        retry_after_);
  request.begin = HttpRequest::Clock::now() + wait;
  return request;
}

}  // namespace confab::engine
