#include "core/base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <utility>

namespace ondol {
namespace {

Error system_error(int error_number, const char* action, const std::string& path) {
  Code code = Code::kIo;
  if (error_number == ENOENT || error_number == ENOTDIR) code = Code::kNotFound;
  if (error_number == ENOMEM || error_number == EMFILE || error_number == ENFILE)
    code = Code::kResourceExhausted;
  return {code, std::string("cannot ") + action + ": " + std::generic_category().message(error_number), path};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

FileIdentity identity_of(const struct stat& status) {
  return {.device = static_cast<uint64_t>(status.st_dev),
          .inode = static_cast<uint64_t>(status.st_ino),
          .bytes = static_cast<int64_t>(status.st_size),
          .modified_ns = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

class RealReadFile : public ReadFile {
 public:
  RealReadFile(Descriptor descriptor, std::string path, FileIdentity identity)
      : descriptor_(std::move(descriptor)), path_(std::move(path)), identity_(identity) {}
  ~RealReadFile() override {
    if (mapping_ != nullptr) ::munmap(mapping_, static_cast<size_t>(identity_.bytes));
  }

  int64_t bytes() const override { return identity_.bytes; }
  FileIdentity identity() const override { return identity_; }

  Result<int64_t> read_some(int64_t offset, std::span<std::byte> out) const override {
    while (true) {
      const ssize_t count = ::pread(descriptor_.get(), out.data(), out.size(), offset);
      if (count >= 0) return static_cast<int64_t>(count);
      if (errno != EINTR) return system_error(errno, "read", path_);
    }
  }

  Result<void> read_at(int64_t offset, std::span<std::byte> out) const override {
    int64_t bytes_read = 0;
    const auto bytes_wanted = static_cast<int64_t>(out.size());
    while (bytes_read < bytes_wanted) {
      ONDOL_TRY(const int64_t count,
                read_some(offset + bytes_read, out.subspan(static_cast<size_t>(bytes_read))));
      if (count == 0) {
        return Error{Code::kDataLoss,
                     "the file ends at byte " + std::to_string(offset + bytes_read) + ", but byte " +
                         std::to_string(offset + bytes_wanted) + " was expected to be its end or before it",
                     path_};
      }
      bytes_read += count;
    }
    return {};
  }

  Result<std::span<const std::byte>> map() override {
    const auto length = static_cast<size_t>(identity_.bytes);
    if (length == 0) return std::span<const std::byte>();
    const std::lock_guard lock(mutex_);
    if (mapping_ == nullptr) {
      void* address = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, descriptor_.get(), 0);
      if (address == MAP_FAILED) return system_error(errno, "map", path_);
      ::madvise(address, length, MADV_DONTDUMP);  // a core dump must not carry gigabytes of weights
      mapping_ = address;
    }
    return std::span<const std::byte>(static_cast<const std::byte*>(mapping_), length);
  }

  void will_need(int64_t offset, int64_t bytes) const override {
    ::posix_fadvise(descriptor_.get(), offset, bytes, POSIX_FADV_WILLNEED);
  }

 private:
  Descriptor descriptor_;
  std::string path_;
  FileIdentity identity_;
  std::mutex mutex_;         // of mapping_
  void* mapping_ = nullptr;  // made by the first map()
};

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Where a write to `path` must land: the end of its chain of links, so that a linked file stays linked.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

std::string temporary_name() {
  uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) random = static_cast<uint64_t>(::getpid());
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), ".ondol-%016llx.tmp", static_cast<unsigned long long>(random));
  return name.data();
}

Result<void> write_all(const Descriptor& descriptor, std::span<const std::byte> content,
                       const std::string& path) {
  while (!content.empty()) {
    const ssize_t count = ::write(descriptor.get(), content.data(), content.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return system_error(errno, "write", path);
    }
    content = content.subspan(static_cast<size_t>(count));
  }
  return {};
}

Result<void> write_and_rename(const std::string& temporary, const std::string& target,
                              std::span<const std::byte> content) {
  const Descriptor descriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (descriptor.get() < 0) return system_error(errno, "create a file beside it", target);
  ONDOL_RETURN_IF_ERROR(write_all(descriptor, content, target));
  struct stat old {};
  if (::stat(target.c_str(), &old) == 0 && ::fchmod(descriptor.get(), old.st_mode & 07777) != 0)
    return system_error(errno, "keep the mode of", target);
  if (::fsync(descriptor.get()) != 0) return system_error(errno, "write to the disk", target);
  if (::rename(temporary.c_str(), target.c_str()) != 0) return system_error(errno, "replace", target);
  return {};
}

class RealFileSystem : public FileSystem {
 public:
  Result<std::unique_ptr<ReadFile>> open(const std::string& path) override {
    // Not blocking: opening a pipe that nobody writes to must not hang.
    Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (descriptor.get() < 0) return system_error(errno, "open", path);
    struct stat status {};
    if (::fstat(descriptor.get(), &status) != 0) return system_error(errno, "open", path);
    if (S_ISDIR(status.st_mode)) return Error{Code::kInvalidArgument, "is a folder, not a file", path};
    if (!S_ISREG(status.st_mode)) return Error{Code::kInvalidArgument, "is not a regular file", path};
    return std::unique_ptr<ReadFile>(
        std::make_unique<RealReadFile>(std::move(descriptor), path, identity_of(status)));
  }

  Result<FileIdentity> identity(const std::string& path) override {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return system_error(errno, "look at", path);
    return identity_of(status);
  }

  Result<void> write_atomically(const std::string& path, std::span<const std::byte> content) override {
    const std::string target = resolved(path);
    const std::string folder = folder_of(target);
    const std::string temporary = folder + "/" + temporary_name();
    if (auto written = write_and_rename(temporary, target, content); !written) {
      ::unlink(temporary.c_str());
      return Error(written.error());
    }
    // The rename itself must survive a power cut.
    const Descriptor folder_descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder_descriptor.get() < 0) return system_error(errno, "open the folder of", path);
    if (::fsync(folder_descriptor.get()) != 0 && errno != EINVAL)  // EINVAL: this file system cannot
      return system_error(errno, "write the folder to the disk of", path);
    return {};
  }

  Result<std::vector<std::string>> list(const std::string& folder) override {
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), &::closedir);
    if (!stream) return system_error(errno, "list", folder);
    std::vector<std::string> names;
    while (true) {
      errno = 0;
      const dirent* entry = ::readdir(stream.get());
      if (entry == nullptr) {
        if (errno != 0) return system_error(errno, "list", folder);
        break;
      }
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace

FileSystem& real_file_system() {
  static RealFileSystem files;
  return files;
}

Result<std::string> read_text(FileSystem& files, const std::string& path, int64_t bytes_max) {
  ONDOL_TRY(const std::unique_ptr<ReadFile> file, files.open(path));
  // The length is only a guess: files of /proc say 0, files of /sys say 4096.
  constexpr int64_t kStepBytes = 64 * 1024;
  std::string text;
  while (true) {
    const auto bytes_read = static_cast<int64_t>(text.size());
    const int64_t bytes_missing = std::clamp(file->bytes() - bytes_read, int64_t{0}, bytes_max - bytes_read);
    const int64_t step = std::max(bytes_missing, std::min(kStepBytes, bytes_max - bytes_read)) + 1;
    text.resize(static_cast<size_t>(bytes_read + step));
    const auto out = std::as_writable_bytes(std::span(text)).subspan(static_cast<size_t>(bytes_read));
    ONDOL_TRY(const int64_t count, file->read_some(bytes_read, out));
    text.resize(static_cast<size_t>(bytes_read + count));
    if (count == 0) return text;
    if (bytes_read + count > bytes_max) {
      return Error{Code::kInvalidArgument,
                   "is longer than the " + std::to_string(bytes_max) + " bytes allowed", path};
    }
  }
}

}  // namespace ondol
