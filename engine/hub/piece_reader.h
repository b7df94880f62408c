// SPDX-License-Identifier: MIT
// The connections of a download: each takes a piece of the file after the other, and writes it to
// its place.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/hub/hub_api.h"
#include "engine/hub/range_journal.h"
#include "engine/locked.h"
#include "engine/platform/descriptor.h"
#include "engine/remote/http_client.h"

namespace confab::engine {

// Why no connection goes on.
enum class PieceTrouble {
  none,
  changed,         // the server has another file now than it had when this one was begun
  ignores_ranges,  // it gives the whole file instead of a piece
  failed,
};

struct PieceProgress {
  ByteRanges done = {};  // written, though perhaps not on the disk yet
  std::deque<ByteRange> waiting = {};
  int n_running = 0;
  int n_faults = 0;  // since it last came any further
  std::string etag = {};
  PieceTrouble trouble = PieceTrouble::none;
  std::string fault = {};  // of failed: one line

  void fail(PieceTrouble with, std::string why = {});  // but for an earlier trouble
};

// What connections, on the client's thread, and the thread that waits for them share.
struct PieceState {
  PieceState(int file, std::uint64_t size) : fd(file), bytes(size) {}

  const platform::Descriptor fd;  // written by the client's thread
  const std::uint64_t bytes;      // of the whole file
  std::string url = {};           // fixed before there are connections, as are the next four
  std::string repository = {};
  Hub hub = {};
  bool with_ranges = true;
  bool looks_at_etag = true;
  Locked<PieceProgress> progress = {};
};

// Takes the first piece that waits; nullopt: there is none.
std::optional<HttpRequest> next_piece(const PieceState& state, PieceProgress& progress,
                                      ByteRange& piece);

class PieceReader final : public HttpReader {
 public:
  // n_running counts it already.
  PieceReader(std::shared_ptr<PieceState> state, ByteRange piece)
      : state_(std::move(state)), piece_(piece) {}

  void head(const HttpHead& head) override;
  bool body(std::string_view bytes) override;
  bool has_enough() override;
  std::optional<HttpRequest> end(const std::string& fault) override;

 private:
  void take_trouble(PieceTrouble trouble, std::string fault = {});
  void take_part(const HttpHead& head);
  std::optional<HttpRequest> again(PieceProgress& progress, const std::string& fault);

  std::shared_ptr<PieceState> state_;
  ByteRange piece_;  // what is left of it
  bool takes_ = false;
  std::string refusal_ = {};             // that may pass
  std::chrono::seconds retry_after_{0};  // as it says
};

}  // namespace confab::engine
