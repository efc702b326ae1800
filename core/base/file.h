// The seam to the file system: everything in core and app that reads or writes a file goes through
// FileSystem, so that tests can inject faults (a static binary cannot be preloaded).
// Paths are byte strings as the operating system knows them. All methods may be called from any thread.
// Errors: kNotFound (no such file), kInvalidArgument (a folder, a pipe), kResourceExhausted (no memory, no
// descriptors), kDataLoss (shorter than it was), kIo (anything else); `where` is the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace ondol {

// Which file an open handle is, and in what state: a change of any field means that the file was
// cut, rewritten or replaced since.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t bytes = 0;
  int64_t modified_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};

// A file open for reading.
class ReadFile {
 public:
  virtual ~ReadFile() = default;
  virtual int64_t bytes() const = 0;  // length when it was opened
  virtual FileIdentity identity() const = 0;
  // Fills `out` from `offset`; fewer bytes than asked for is kDataLoss.
  virtual Result<void> read_at(int64_t offset, std::span<std::byte> out) const = 0;
  // Reads up to out.size() bytes from `offset`; 0 at the end. For files that do not know their length (/proc,
  // /sys).
  virtual Result<int64_t> read_some(int64_t offset, std::span<std::byte> out) const = 0;
  // The whole file, mapped read-only; valid while this object lives.
  virtual Result<std::span<const std::byte>> map() = 0;
  // A hint that these bytes will be read soon: the system may start to fetch them. Never fails, never waits
  // long.
  virtual void will_need(int64_t /*offset*/, int64_t /*bytes*/) const {}
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual Result<std::unique_ptr<ReadFile>> open(const std::string& path) = 0;
  virtual Result<FileIdentity> identity(const std::string& path) = 0;
  // Replaces `path` whole: temporary file beside it, fsync, rename, fsync of the folder. Afterwards `path`
  // holds the old content or the new, never a mixture. Mode bits of an existing file stay; a link stays a
  // link.
  virtual Result<void> write_atomically(const std::string& path, std::span<const std::byte> content) = 0;
  virtual Result<std::vector<std::string>> list(
      const std::string& folder) = 0;  // names, not paths; sorted bytes
};

// The real one. It has no state of its own.
FileSystem& real_file_system();

// Reads a whole file of at most `bytes_max` bytes; a longer one is kInvalidArgument.
Result<std::string> read_text(FileSystem& files, const std::string& path, int64_t bytes_max);

}  // namespace ondol
