#include "core/base/fault_injection.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ondol {

struct FaultyFileSystem::State {
  mutable std::mutex mutex;
  std::map<std::string, Fault> faults;
  std::map<std::string, int64_t> operations;

  // Counts an operation, waits as told, and gives the fault that is in force now (an empty one for none).
  Fault begin(const std::string& path) {
    Fault fault;
    {
      const std::lock_guard lock(mutex);
      ++operations[path];
      const auto found = faults.find(path);
      if (found == faults.end()) return {};
      if (found->second.skip_count > 0) {
        --found->second.skip_count;
        return {};
      }
      fault = found->second;
    }
    if (fault.delay_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(fault.delay_ms));
    return fault;
  }
};

namespace {

int64_t cut_length(int64_t bytes, const Fault& fault) {
  return fault.bytes_max ? std::min(bytes, *fault.bytes_max) : bytes;
}

}  // namespace

class FaultyFileSystem::FaultyReadFile : public ReadFile {
 public:
  FaultyReadFile(std::unique_ptr<ReadFile> under, std::string path, std::shared_ptr<State> state,
                 int64_t bytes)
      : under_(std::move(under)), path_(std::move(path)), state_(std::move(state)), bytes_(bytes) {}

  int64_t bytes() const override { return bytes_; }
  FileIdentity identity() const override {
    FileIdentity identity = under_->identity();
    identity.bytes = bytes_;
    return identity;
  }
  Result<void> read_at(int64_t offset, std::span<std::byte> out) const override {
    const Fault fault = state_->begin(path_);
    if (fault.read_error) return *fault.read_error;
    const int64_t length = cut_length(bytes_, fault);
    if (offset + static_cast<int64_t>(out.size()) > length && length < under_->bytes())
      return Error{Code::kDataLoss, "the file ends at byte " + std::to_string(length), path_};
    return under_->read_at(offset, out);
  }
  Result<int64_t> read_some(int64_t offset, std::span<std::byte> out) const override {
    const Fault fault = state_->begin(path_);
    if (fault.read_error) return *fault.read_error;
    const int64_t length = cut_length(bytes_, fault);
    if (length < under_->bytes())
      out = out.first(
          static_cast<size_t>(std::clamp(length - offset, int64_t{0}, static_cast<int64_t>(out.size()))));
    return under_->read_some(offset, out);
  }
  Result<std::span<const std::byte>> map() override {
    const Fault fault = state_->begin(path_);
    if (fault.map_error) return *fault.map_error;
    ONDOL_TRY(const auto mapped, under_->map());
    return mapped.first(std::min(mapped.size(), static_cast<size_t>(bytes_)));
  }
  void will_need(int64_t offset, int64_t bytes) const override { under_->will_need(offset, bytes); }

 private:
  std::unique_ptr<ReadFile> under_;
  std::string path_;
  std::shared_ptr<State> state_;  // shared: the file system may be gone before the file
  int64_t bytes_;
};

FaultyFileSystem::FaultyFileSystem(FileSystem& under) : under_(under), state_(std::make_shared<State>()) {}
FaultyFileSystem::~FaultyFileSystem() = default;

void FaultyFileSystem::set(const std::string& path, Fault fault) {
  const std::lock_guard lock(state_->mutex);
  state_->faults[path] = std::move(fault);
}

void FaultyFileSystem::clear(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->faults.erase(path);
}

int64_t FaultyFileSystem::operations(const std::string& path) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->operations.find(path);
  return found == state_->operations.end() ? 0 : found->second;
}

Result<std::unique_ptr<ReadFile>> FaultyFileSystem::open(const std::string& path) {
  const Fault fault = state_->begin(path);
  if (fault.open_error) return *fault.open_error;
  ONDOL_TRY(std::unique_ptr<ReadFile> file, under_.open(path));
  const int64_t length = cut_length(file->bytes(), fault);
  return std::unique_ptr<ReadFile>(std::make_unique<FaultyReadFile>(std::move(file), path, state_, length));
}

Result<FileIdentity> FaultyFileSystem::identity(const std::string& path) {
  const Fault fault = state_->begin(path);
  if (fault.identity_error) return *fault.identity_error;
  ONDOL_TRY(FileIdentity identity, under_.identity(path));
  identity.bytes = cut_length(identity.bytes, fault);
  return identity;
}

Result<void> FaultyFileSystem::write_atomically(const std::string& path, std::span<const std::byte> content) {
  const Fault fault = state_->begin(path);
  if (fault.write_error) return *fault.write_error;
  return under_.write_atomically(path, content);
}

Result<std::vector<std::string>> FaultyFileSystem::list(const std::string& folder) {
  const Fault fault = state_->begin(folder);
  if (fault.list_error) return *fault.list_error;
  return under_.list(folder);
}

}  // namespace ondol
