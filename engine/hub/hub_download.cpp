// SPDX-License-Identifier: MIT
#include "engine/hub/hub_download.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <system_error>
#include <vector>

#include "engine/hub/piece_reader.h"
#include "engine/hub/range_journal.h"
#include "engine/hub/sha256.h"
#include "engine/platform/descriptor.h"

namespace confab::engine {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSmallestPiece = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargestPiece = std::uint64_t{64} << 20;
constexpr std::chrono::milliseconds kLook{50};   // interval of progress checks
constexpr std::chrono::milliseconds kSave{400};  // progress that a kill may lose, besides sync time

[[noreturn]] void fail(const fs::path& path, const char* what) {
  throw ModelError(
      fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(errno)));
}

fs::path incomplete_of(const fs::path& blob) {
  return blob.string() + ".confab.incomplete";
}
fs::path journal_of(const fs::path& blob) {
  return blob.string() + ".confab.journal";
}

void sync_folder(const fs::path& folder) {
  const platform::Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) platform::sync_file(fd.get());
}

bool has_size(const fs::path& path, std::uint64_t bytes) {
  std::error_code error;
  return fs::is_regular_file(path, error) && fs::file_size(path, error) == bytes;
}

// Cuts the missing ranges so that each connection gets a piece and no piece is long.
std::deque<ByteRange> pieces_of(const std::vector<ByteRange>& missing, int n_connections) {
  std::uint64_t left = 0;
  for (const ByteRange& range : missing) left += range.bytes();
  const auto n = static_cast<std::uint64_t>(n_connections);
  const std::uint64_t size = std::clamp((left + n - 1) / n, kSmallestPiece, kLargestPiece);
  std::deque<ByteRange> pieces;
  for (const ByteRange& range : missing)
    for (std::uint64_t at = range.begin; at < range.end; at += size)
      pieces.push_back({at, std::min(at + size, range.end)});
  return pieces;
}

class Download {
 public:
  Download(HttpClient& client, const Hub& hub, const DownloadJob& job,
           const DownloadListener& listener)
      : client_(client),
        hub_(hub),
        job_(job),
        listener_(listener),
        incomplete_(incomplete_of(job.blob)),
        journal_(journal_of(job.blob), job.file.bytes, job.file.sha256) {}

  DownloadEnd run();

 private:
  enum class Step { done, stopped, changed, ignores_ranges };

  std::optional<DownloadEnd> take_what_is_there();
  std::shared_ptr<PieceState> open();
  Step transfer();
  Step wait(PieceState& state);
  void save(PieceState& state);
  void start_again();
  bool check();
  void publish();

  HttpClient& client_;
  const Hub& hub_;
  const DownloadJob& job_;
  const DownloadListener& listener_;
  fs::path incomplete_;
  RangeJournal journal_;
  std::vector<TransferId> transfers_ = {};
  bool with_ranges_ = true;
  bool looks_at_etag_ = true;
};

// If the blob already exists with the right checksum, there is nothing to download.
std::optional<DownloadEnd> Download::take_what_is_there() {
  if (!has_size(job_.blob, job_.file.bytes)) return std::nullopt;
  const auto sum = sha256_of_file(job_.blob, [this](std::uint64_t done) {
    return listener_.go_on({.bytes_done = done, .is_checking = true});
  });
  const bool is_new = journal_.done().end() == 0;
  if (!sum && is_new) journal_.remove();
  if (!sum) return DownloadEnd::stopped;
  if (*sum != job_.file.sha256) return std::nullopt;
  // If the journal says that everything was downloaded and the partial file is gone, the process
  // was killed after renaming it and before removing the journal.
  std::error_code error;
  const bool is_ours =
      journal_.done().missing(job_.file.bytes).empty() && !fs::exists(incomplete_, error);
  if (is_ours) listener_.published();
  fs::remove(incomplete_, error);
  journal_.remove();
  return is_ours ? DownloadEnd::finished : DownloadEnd::was_there;
}

std::shared_ptr<PieceState> Download::open() {
  const int fd = ::open(incomplete_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) fail(incomplete_, "cannot be created");
  auto state = std::make_shared<PieceState>(fd, job_.file.bytes);
  struct stat status {};
  const bool is_whole = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                        static_cast<std::uint64_t>(status.st_size) >= journal_.done().end();
  if (!is_whole) journal_.restart();
  if (::ftruncate(fd, static_cast<off_t>(job_.file.bytes)) != 0)
    fail(incomplete_, "cannot be made");
  state->url = job_.url;
  state->repository = job_.repository;
  state->hub = hub_;
  state->with_ranges = with_ranges_;
  state->looks_at_etag = looks_at_etag_;
  state->progress.with([&](PieceProgress& progress) {
    progress.done = journal_.done();
    progress.etag = journal_.etag();
    const auto missing = progress.done.missing(job_.file.bytes);
    progress.waiting = with_ranges_ ? pieces_of(missing, job_.n_connections)
                                    : std::deque<ByteRange>{{0, job_.file.bytes}};
    return true;
  });
  return state;
}

Download::Step Download::transfer() {
  const std::shared_ptr<PieceState> state = open();
  if (journal_.done().missing(job_.file.bytes).empty()) return Step::done;
  transfers_.clear();
  for (int i = 0; i < job_.n_connections; ++i) {
    ByteRange piece;
    auto request = state->progress.with([&](PieceProgress& progress) {
      auto next = next_piece(*state, progress, piece);
      if (next) ++progress.n_running;
      return next;
    });
    if (!request) break;
    transfers_.push_back(
        client_.start(*std::move(request), std::make_shared<PieceReader>(state, piece)));
  }
  try {
    return wait(*state);
  } catch (...) {
    for (const TransferId transfer : transfers_) client_.cancel(transfer);
    throw;
  }
}

Download::Step Download::wait(PieceState& state) {
  for (auto saved = Clock::now();;) {
    struct Seen {
      bool over;
      PieceTrouble trouble;
      std::uint64_t done;
      std::string fault;
    };
    const auto [over, trouble, done, fault] = state.progress.wait_for(
        kLook,
        [](const PieceProgress& progress) {
          return progress.n_running == 0 || progress.trouble != PieceTrouble::none;
        },
        [](const PieceProgress& progress, bool is_over) {
          return Seen{is_over, progress.trouble, progress.done.total(), progress.fault};
        });
    const bool goes_on = listener_.go_on({.bytes_done = done});
    if (over || !goes_on)
      for (const TransferId transfer : transfers_) client_.cancel(transfer);
    if (trouble == PieceTrouble::changed) return Step::changed;
    if (trouble == PieceTrouble::ignores_ranges) return Step::ignores_ranges;
    if (over || !goes_on || Clock::now() - saved >= kSave) {
      save(state);
      saved = Clock::now();
    }
    if (trouble == PieceTrouble::failed) throw ModelError(fault);
    if (!goes_on) return Step::stopped;
    if (over) return Step::done;
  }
}

// Syncs the file before recording its ranges in the journal.
void Download::save(PieceState& state) {
  const auto [fresh, etag] = state.progress.with([this](const PieceProgress& progress) {
    return std::pair(progress.done.without(journal_.done()), progress.etag);
  });
  if (fresh.empty()) return;
  if (platform::sync_file(state.fd.get()) != 0 && errno != EINVAL)
    fail(incomplete_, "cannot be written");
  if (!etag.empty() && etag != journal_.etag()) journal_.set_etag(etag);
  journal_.add(fresh);
}

void Download::start_again() {
  journal_.restart();
  std::error_code error;
  fs::remove(incomplete_, error);  // older connections keep writing to the unlinked file
}

bool Download::check() {
  const auto sum = sha256_of_file(incomplete_, [this](std::uint64_t done) {
    return listener_.go_on({.bytes_done = done, .is_checking = true});
  });
  if (!sum) return false;
  if (*sum == job_.file.sha256) return true;
  start_again();
  journal_.remove();
  throw ModelError(fmt::format(
      "{}: what came has the wrong SHA-256 ({}..., not {}...), and was removed; try again",
      printable(job_.file.path), sum->substr(0, 12), job_.file.sha256.substr(0, 12)));
}

void Download::publish() {
  if (::rename(incomplete_.c_str(), job_.blob.c_str()) != 0) fail(job_.blob, "cannot be put there");
  sync_folder(job_.blob.parent_path());
  listener_.published();
  journal_.remove();
}

DownloadEnd Download::run() {
  if (const auto end = take_what_is_there()) return *end;
  for (Step step = transfer(); step != Step::done; step = transfer()) {
    if (step == Step::stopped) return DownloadEnd::stopped;
    if (step == Step::ignores_ranges) with_ranges_ = false;
    // After one restart only the checksum decides: servers may have several tags for one file.
    if (step == Step::changed) looks_at_etag_ = false;
    start_again();
  }
  if (!check()) return DownloadEnd::stopped;
  publish();
  return DownloadEnd::finished;
}

}  // namespace

DownloadEnd download(HttpClient& client, const Hub& hub, const DownloadJob& job,
                     const DownloadListener& listener) {
  return Download(client, hub, job, listener).run();
}

std::uint64_t bytes_to_come(const fs::path& blob, const HubFile& file) {
  if (has_size(blob, file.bytes)) return 0;
  std::error_code error;
  if (!fs::exists(journal_of(blob), error)) return file.bytes;
  struct stat status {};
  if (::stat(incomplete_of(blob).c_str(), &status) != 0) return file.bytes;
  constexpr std::uint64_t kUnit = 512;  // unit of st_blocks
  const std::uint64_t there = static_cast<std::uint64_t>(status.st_blocks) * kUnit;
  return file.bytes - std::min(there, file.bytes);
}

std::optional<std::string> sha256_of_file(const fs::path& path,
                                          const std::function<bool(std::uint64_t)>& go_on) {
  const platform::Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) fail(path, "cannot be opened");
  constexpr std::size_t kBuffer = std::size_t{1} << 20;
  constexpr std::uint64_t kTold = std::uint64_t{8} << 20;  // bytes between calls of go_on
  std::vector<std::byte> buffer(kBuffer);
  Sha256 sum;
  for (std::uint64_t done = 0, told = 0;;) {
    const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "cannot be read");
    if (n == 0) return sum.finish();
    sum.add(std::span(buffer).first(static_cast<std::size_t>(n)));
    done += static_cast<std::uint64_t>(n);
    if (done - told < kTold) continue;
    told = done;
    if (!go_on(done)) return std::nullopt;
  }
}

}  // namespace confab::engine
