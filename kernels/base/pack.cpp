#include "kernels/base/pack.h"

#include <cstring>

#include "kernels/base/blocks.h"

namespace ondol::kernels {
namespace {

constexpr int kLine = 64;

// One row's quants of one group into its four bytes of each line; the panel starts zeroed.
void put_quants(QuantKind kind, const uint8_t q[32], int row, uint8_t* lines) {
  uint8_t* own = lines + 4 * row;
  if (kind == QuantKind::kU8) {
    for (int k = 0; k < 32; ++k) own[k / 4 * kLine + k % 4] = q[k];
    return;
  }
  for (int k = 0; k < 16; ++k) {
    own[k / 4 * kLine + k % 4] = static_cast<uint8_t>((q[k] & 15) | ((q[k + 16] & 15) << 4));
  }
  if (kind == QuantKind::kU5) {
    for (int b = 0; b < 4; ++b) {
      int bits = 0;
      for (int j = 0; j < 8; ++j) bits |= (q[4 * j + b] >> 4) << j;
      own[4 * kLine + b] = static_cast<uint8_t>(bits);
    }
  } else if (kind == QuantKind::kU6) {
    for (int h = 0; h < 2; ++h) {
      for (int b = 0; b < 4; ++b) {
        int bits = 0;
        for (int j = 0; j < 4; ++j) bits |= (q[16 * h + 4 * j + b] >> 4) << (2 * j);
        own[(4 + h) * kLine + b] = static_cast<uint8_t>(bits);
      }
    }
  }
}

uint8_t codebook_index(uint8_t shifted) {
  uint8_t index = 0;
  while (index < 15 && kIq4Values[index] != static_cast<int>(shifted) - 128) ++index;
  return index;
}

void put_u16(std::byte* at, uint16_t value) { std::memcpy(at, &value, sizeof value); }

// Bytes of the header of eight groups, and of each group's own part.
struct ScaleSizes {
  int64_t header;
  int64_t group;
};
ScaleSizes scale_sizes(ScaleKind kind) {
  switch (kind) {
    case ScaleKind::kHalf: return {0, 32};
    case ScaleKind::kHalfMin: return {0, 64};
    case ScaleKind::kSuper: return {32, 16};
    case ScaleKind::kSuperMin: return {64, 32};
    case ScaleKind::kSuper2: return {32, 32};
    case ScaleKind::kSuper2Min: return {64, 64};
  }
  return {0, 0};
}

void put_scales(ScaleKind kind, const GroupScales& s, int row, std::byte* scales, int64_t g) {
  const ScaleSizes sizes = scale_sizes(kind);
  std::byte* header = scales + g / 8 * (sizes.header + 8 * sizes.group);
  std::byte* group = header + sizes.header + g % 8 * sizes.group;
  auto* bytes = reinterpret_cast<uint8_t*>(group) + row;
  if (kind == ScaleKind::kHalf || kind == ScaleKind::kHalfMin) {
    put_u16(group + 2 * row, s.d);
    if (kind == ScaleKind::kHalfMin) put_u16(group + 32 + 2 * row, s.m);
    return;
  }
  put_u16(header + 2 * row, s.d);
  bytes[0] = static_cast<uint8_t>(s.sc[0]);
  switch (kind) {
    case ScaleKind::kSuperMin:
      put_u16(header + 32 + 2 * row, s.m);
      bytes[16] = s.mn[0];
      break;
    case ScaleKind::kSuper2: bytes[16] = static_cast<uint8_t>(s.sc[1]); break;
    case ScaleKind::kSuper2Min:
      put_u16(header + 32 + 2 * row, s.m);
      bytes[16] = static_cast<uint8_t>(s.sc[1]);
      bytes[32] = s.mn[0];
      bytes[48] = s.mn[1];
      break;
    default: break;
  }
}

void pack_float_panel(const PackedMatrix& w, const std::byte* source, int64_t panel, std::byte* out) {
  const int64_t element = dtype_traits(w.source)->block_bytes;
  for (int64_t r = 0; r < kPanelRows && panel * kPanelRows + r < w.rows; ++r) {
    const std::byte* row = source + (panel * kPanelRows + r) * w.cols * element;
    for (int64_t k = 0; k < w.cols; ++k) {
      std::memcpy(out + (k * kPanelRows + r) * element, row + k * element, static_cast<size_t>(element));
    }
  }
}

void pack_quantized_panel(const PackedMatrix& w, const std::byte* source, int64_t panel, std::byte* out) {
  const PackFormat format = pack_format(w.source);
  const int64_t row_bytes = dtype_bytes(w.source, w.cols);
  const int64_t groups = w.cols / kGroupColumns;
  const int64_t group_bytes = int64_t{format.bits} * kLine;
  std::byte* scales = out + groups * group_bytes;
  for (int64_t r = 0; r < kPanelRows && panel * kPanelRows + r < w.rows; ++r) {
    const std::byte* row = source + (panel * kPanelRows + r) * row_bytes;
    for (int64_t g = 0; g < groups; ++g) {
      uint8_t q[32];
      read_group_quants(w.source, row, g, q);
      if (format.quants == QuantKind::kCode4) {
        for (uint8_t& value : q) value = codebook_index(value);
      }
      put_quants(format.quants, q, static_cast<int>(r), reinterpret_cast<uint8_t*>(out + g * group_bytes));
      put_scales(format.scales, read_group_scales(w.source, row, g), static_cast<int>(r), scales, g);
    }
  }
}

}  // namespace

PackFormat pack_format(DType type) {
  using Q = QuantKind;
  using S = ScaleKind;
  const int32_t zero = zero_point(type);
  switch (type) {
    case DType::kQ4_0: return {Q::kU4, S::kHalf, zero, 4, false, false};
    case DType::kQ4_1: return {Q::kU4, S::kHalfMin, zero, 4, false, true};
    case DType::kQ5_0: return {Q::kU5, S::kHalf, zero, 5, false, false};
    case DType::kQ5_1: return {Q::kU5, S::kHalfMin, zero, 5, false, true};
    case DType::kQ8_0: return {Q::kU8, S::kHalf, zero, 8, false, false};
    case DType::kQ2_K: return {Q::kU4, S::kSuper2Min, zero, 4, true, true};
    case DType::kQ3_K: return {Q::kU4, S::kSuper2, zero, 4, true, false};
    case DType::kQ4_K: return {Q::kU4, S::kSuperMin, zero, 4, false, true};
    case DType::kQ5_K: return {Q::kU5, S::kSuperMin, zero, 5, false, true};
    case DType::kQ6_K: return {Q::kU6, S::kSuper2, zero, 6, true, false};
    case DType::kIQ4_NL: return {Q::kCode4, S::kHalf, zero, 4, false, false};
    case DType::kIQ4_XS: return {Q::kCode4, S::kSuper, zero, 4, false, false};
    default: return {};
  }
}

int64_t pack_scale_bytes(ScaleKind kind, int64_t groups) {
  const ScaleSizes sizes = scale_sizes(kind);
  return (groups + 7) / 8 * sizes.header + groups * sizes.group;
}

int64_t pack_panel_bytes(DType type, int64_t cols) {
  int64_t bytes = 0;
  if (is_quantized(type)) {
    const PackFormat format = pack_format(type);
    const int64_t groups = cols / kGroupColumns;
    bytes = groups * format.bits * kLine + pack_scale_bytes(format.scales, groups);
  } else {
    bytes = cols * kPanelRows * dtype_traits(type)->block_bytes;
  }
  return (bytes + kLine - 1) / kLine * kLine;
}

PackedMatrix pack_begin(DType type, int64_t rows, int64_t cols, const std::byte*) {
  PackedMatrix w;
  w.source = type;
  w.rows = rows;
  w.cols = cols;
  w.layout = kPackLayout;
  w.storage.allocate(w.panels() * pack_panel_bytes(type, cols));
  return w;
}

void pack_panels(PackedMatrix& w, const std::byte* source, int64_t panel_begin, int64_t panel_end) {
  const int64_t panel_bytes = pack_panel_bytes(w.source, w.cols);
  for (int64_t p = panel_begin; p < panel_end; ++p) {
    std::byte* out = w.storage.data() + p * panel_bytes;
    if (is_quantized(w.source)) {
      pack_quantized_panel(w, source, p, out);
    } else {
      pack_float_panel(w, source, p, out);
    }
  }
}

PackedMatrix pack_in_place(DType type, int64_t rows, int64_t cols, const std::byte* source) {
  PackedMatrix w;
  w.source = type;
  w.rows = rows;
  w.cols = cols;
  w.in_place = source;
  return w;
}

void pack_nothing(PackedMatrix&, const std::byte*, int64_t, int64_t) {}

}  // namespace ondol::kernels
