#include "core/gguf/reader.h"

#include <cstdio>
#include <utility>

#include "core/gguf/part.h"

namespace ondol::gguf {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// How gguf-split ends the name of a part, counted from 1: "-00002-of-00003.gguf".
std::string part_suffix(int64_t part, int64_t parts) {
  char suffix[64];
  std::snprintf(suffix, sizeof suffix, "-%05lld-of-%05lld.gguf", static_cast<long long>(part),
                static_cast<long long>(parts));
  return suffix;
}

// What the metadata of `part` says about the split under `key`; 0 when it says nothing.
Result<int64_t> split_number(const Part& part, std::string_view key, const std::string& path,
                             int64_t number_max) {
  for (const auto& [name, value] : part.values) {
    if (name != key) continue;
    int64_t number = -1;
    if (const auto* as_unsigned = std::get_if<uint64_t>(&value.data))
      number = *as_unsigned <= static_cast<uint64_t>(number_max) ? static_cast<int64_t>(*as_unsigned) : -1;
    if (const auto* as_signed = std::get_if<int64_t>(&value.data)) number = *as_signed;
    if (number >= 0 && number <= number_max) return number;
    return Error{Code::kInvalidArgument, "must be a number from 0 to " + std::to_string(number_max),
                 path + ": " + std::string(key)};
  }
  return int64_t{0};
}

}  // namespace

int64_t Tensor::elements() const {
  int64_t count = 1;
  for (const int64_t length : shape) count *= length;
  return count;
}

Result<std::unique_ptr<File>> File::parse(std::span<const std::byte> bytes, const std::string& name) {
  ONDOL_TRY(Part part, parse_part(bytes, name));
  ONDOL_TRY(const int64_t parts, split_number(part, "split.count", name, kPartsMax));
  if (parts > 1)
    return Error{Code::kInvalidArgument, "is one part of a model in " + std::to_string(parts) + " files",
                 name};
  std::unique_ptr<File> file(new File);
  file->path_ = name;
  file->bytes_total_ = static_cast<int64_t>(bytes.size());
  ONDOL_RETURN_IF_ERROR(file->add_first_part(std::move(part)));
  return file;
}

Result<std::unique_ptr<File>> File::open(FileSystem& files, const std::string& path) {
  std::unique_ptr<File> file(new File);
  file->path_ = path;
  ONDOL_TRY(Part part, file->load_part(files, path));
  ONDOL_TRY(const int64_t index, split_number(part, "split.no", path, kPartsMax));
  ONDOL_TRY(const int64_t parts, split_number(part, "split.count", path, kPartsMax));
  ONDOL_TRY(const int64_t tensor_count, split_number(part, "split.tensors.count", path, kTensorsMax));
  ONDOL_RETURN_IF_ERROR(file->add_first_part(std::move(part)));
  if (parts > 1) {
    if (index >= parts)
      return Error{Code::kInvalidArgument,
                   "says that it is part " + std::to_string(index + 1) + " of " + std::to_string(parts),
                   path};
    const std::string suffix = part_suffix(index + 1, parts);
    if (!path.ends_with(suffix))
      return Error{Code::kInvalidArgument,
                   "is one part of " + std::to_string(parts) + "; its name must end with " + suffix +
                       " for the others to be found",
                   path};
    const std::string stem = path.substr(0, path.size() - suffix.size());
    if (index != 0)
      return Error{Code::kInvalidArgument,
                   "is part " + std::to_string(index + 1) + " of " + std::to_string(parts) +
                       "; open the first one, " + file_name(stem + part_suffix(1, parts)),
                   path};
    ONDOL_RETURN_IF_ERROR(file->load_other_parts(files, stem, parts));
    if (tensor_count != 0 && static_cast<size_t>(tensor_count) != file->tensors_.size())
      return Error{Code::kDataLoss,
                   "the parts hold " + std::to_string(file->tensors_.size()) + " tensors together, but " +
                       std::to_string(tensor_count) + " are expected: parts of different models?",
                   path + ": split.tensors.count"};
  }
  if (!file->unchanged(files))
    return Error{Code::kDataLoss, "the file changed while it was opened: is it still being copied?", path};
  return file;
}

Result<Part> File::load_part(FileSystem& files, const std::string& path) {
  ONDOL_TRY(std::unique_ptr<ReadFile> opened, files.open(path));
  ONDOL_TRY(const auto bytes, opened->map());
  ONDOL_TRY(Part part, parse_part(bytes, path));
  bytes_total_ += static_cast<int64_t>(bytes.size());
  parts_.push_back(std::move(opened));
  part_paths_.push_back(path);
  return part;
}

Result<void> File::add_first_part(Part part) {
  values_ = std::move(part.values);
  for (size_t i = 0; i < values_.size(); ++i) value_index_.emplace(values_[i].first, i);
  return add_tensors(std::move(part.tensors), path_);
}

Result<void> File::load_other_parts(FileSystem& files, const std::string& stem, int64_t parts) {
  for (int64_t index = 1; index < parts; ++index) {
    const std::string path = stem + part_suffix(index + 1, parts);
    const std::string which = "part " + std::to_string(index + 1) + " of " + std::to_string(parts);
    auto part = load_part(files, path);
    if (!part) {
      if (part.error().code != Code::kNotFound) return Error(part.error());
      return Error{Code::kNotFound, which + " is missing: " + file_name(path) + " must be in the same folder",
                   path_};
    }
    ONDOL_TRY(const int64_t says_index, split_number(*part, "split.no", path, kPartsMax));
    ONDOL_TRY(const int64_t says_parts, split_number(*part, "split.count", path, kPartsMax));
    if (says_index != index || says_parts != parts)
      return Error{Code::kInvalidArgument,
                   "is named " + which + ", but says that it is part " + std::to_string(says_index + 1) +
                       " of " + std::to_string(says_parts),
                   path};
    ONDOL_RETURN_IF_ERROR(add_tensors(std::move(part->tensors), path));
  }
  return {};
}

Result<void> File::add_tensors(std::vector<Tensor> tensors, const std::string& part_path) {
  for (Tensor& tensor : tensors) {
    if (!tensor_index_.emplace(tensor.name, tensors_.size()).second)
      return Error{Code::kInvalidArgument, "is there twice, in another part too",
                   part_path + ": tensor " + quoted(tensor.name)};
    tensors_.push_back(std::move(tensor));
  }
  return {};
}

const Value* File::find(std::string_view key) const {
  const auto found = value_index_.find(key);
  return found == value_index_.end() ? nullptr : &values_[found->second].second;
}

const Tensor* File::tensor(std::string_view name) const {
  const auto found = tensor_index_.find(name);
  return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

bool File::unchanged(FileSystem& files) const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    const auto now = files.identity(part_paths_[i]);
    if (!now || !(*now == parts_[i]->identity())) return false;
  }
  return true;
}

void File::will_need() const {
  for (const auto& part : parts_) part->will_need(0, part->bytes());
}

}  // namespace ondol::gguf
