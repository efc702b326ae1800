#include "core/base/temporary_folder.h"

#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>

#include "core/base/check.h"
#include "core/base/file.h"

namespace ondol {

TemporaryFolder::TemporaryFolder() {
  const char* parent = std::getenv("TMPDIR");
  path_ = std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/ondol-XXXXXX";
  CHECK(::mkdtemp(path_.data()) != nullptr);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
  const std::string written = path(name);
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(written).parent_path(), ignored);
  CHECK(real_file_system().write_atomically(written, std::as_bytes(std::span(content))).has_value());
  return written;
}

}  // namespace ondol
