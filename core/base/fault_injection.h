// For tests: a FileSystem that passes everything on to another one, except for paths with a fault.
// Threads: any; faults may be set and cleared while other threads use it (open files see the change).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/file.h"

namespace ondol {

struct Fault {
  std::optional<Error> open_error = {};
  std::optional<Error> read_error = {};  // read_at, read_some
  std::optional<Error> map_error = {};
  std::optional<Error> identity_error = {};  // FileSystem::identity
  std::optional<Error> write_error = {};     // write_atomically; nothing is written
  std::optional<Error> list_error = {};
  std::optional<int64_t> bytes_max = {};  // the file looks cut to this length
  int64_t delay_ms = 0;                   // before each operation
  int64_t skip_count = 0;                 // operations on the path that still succeed before the fault begins
};

class FaultyFileSystem : public FileSystem {
 public:
  explicit FaultyFileSystem(FileSystem& under);  // `under` must outlive this and its files
  ~FaultyFileSystem() override;

  void set(const std::string& path, Fault fault);
  void clear(const std::string& path);
  int64_t operations(const std::string& path) const;  // count of calls about `path` so far

  Result<std::unique_ptr<ReadFile>> open(const std::string& path) override;
  Result<FileIdentity> identity(const std::string& path) override;
  Result<void> write_atomically(const std::string& path, std::span<const std::byte> content) override;
  Result<std::vector<std::string>> list(const std::string& folder) override;

 private:
  struct State;
  class FaultyReadFile;
  FileSystem& under_;
  std::shared_ptr<State> state_;  // shared with the files that are open: they may outlive this object
};

}  // namespace ondol
