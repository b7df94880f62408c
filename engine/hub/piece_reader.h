// SPDX-License-Identifier: MIT
// The connections of a download. Each takes one piece of the file after another and writes it to
// its place in the file.
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

// Why the transfer cannot go on.
enum class PieceTrouble {
  none,
  changed,         // the server's file is no longer the one whose download was begun
  ignores_ranges,  // the server sends the whole file instead of a piece
  failed,
};

struct PieceProgress {
  ByteRanges done = {};  // written, though perhaps not on disk yet
  std::deque<ByteRange> waiting = {};
  int n_running = 0;
  int n_faults = 0;  // since the last progress
  std::string etag = {};
  PieceTrouble trouble = PieceTrouble::none;
  std::string fault = {};  // for `failed`: one line

  void fail(PieceTrouble with, std::string why = {});  // keeps an earlier trouble
};

// Shared by the connections, which run on the client's thread, and the thread that waits for them.
struct PieceState {
  PieceState(int file, std::uint64_t size) : fd(file), bytes(size) {}

  const platform::Descriptor fd;  // written by the client's thread
  const std::uint64_t bytes;      // size of the whole file
  std::string url = {};           // this and the next four are set before any connection starts
  std::string repository = {};
  Hub hub = {};
  bool with_ranges = true;
  bool looks_at_etag = true;
  Locked<PieceProgress> progress = {};
};

// Takes the first waiting piece; nullopt if there is none or the transfer is in trouble.
std::optional<HttpRequest> next_piece(const PieceState& state, PieceProgress& progress,
                                      ByteRange& piece);

class PieceReader final : public HttpReader {
 public:
  // The caller must already have counted it in n_running.
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
  ByteRange piece_;  // the part still missing
  bool takes_ = false;
  std::string refusal_ = {};             // a refusal that may be temporary
  std::chrono::seconds retry_after_{0};  // requested by the server
};

}  // namespace confab::engine
