// The packed form of weight matrices that every vector table reads: panels of 16 rows.
//
// Quantized types. A panel is, for each group of 32 columns, `bits` lines of 64 bytes, then the panel's
// scales. Byte 4r + b of a line belongs to row r; k(j) = 4j .. 4j+3 are four consecutive columns of the
// group.
//   4 bits: line j (0..3): low nibbles k(j), high nibbles k(j + 4) (columns 16 + 4j + b)
//   5 bits: the four lines above, then one line whose bit j of byte 4r + b is bit 4 of column 4j + b
//   6 bits: the four lines above, then two lines: bits 2j, 2j+1 of line h are bits 4, 5 of column 16h + 4j +
//   b 8 bits: line j (0..7): k(j)
// Quants are unsigned (kernels/base/blocks.h); code-book types keep their 4-bit index.
// Scales, [16] is a row each:
//   kHalf        per group f16 d[16]
//   kHalfMin     per group f16 d[16], f16 m[16]
//   kSuper       per 8 groups f16 d[16], then per group i8 sc[16]
//   kSuperMin    per 8 groups f16 d[16], f16 m[16], then per group i8 sc[16], u8 mn[16]
//   kSuper2      as kSuper with sc for columns 0..15, then sc for 16..31
//   kSuper2Min   per 8 groups d, m, then per group sc[16], sc[16], mn[16], mn[16]
// Float types. A panel is [cols][16] elements of the source type.
// Rows beyond the matrix are zero. Panels start on 64-byte lines.
#pragma once

#include <cstdint>

#include "kernels/base/kernel_table.h"

namespace ondol::kernels {

inline constexpr uint32_t kPackLayout = 1;  // grows with every change of the above

enum class QuantKind : uint8_t { kU4, kCode4, kU5, kU6, kU8 };
enum class ScaleKind : uint8_t { kHalf, kHalfMin, kSuper, kSuperMin, kSuper2, kSuper2Min };

struct PackFormat {
  QuantKind quants = QuantKind::kU4;
  ScaleKind scales = ScaleKind::kHalf;
  int32_t zero_point = 0;
  int32_t bits = 0;     // also: lines a group
  bool halves = false;  // a scale for each 16 columns
  bool has_minimum = false;
};

PackFormat pack_format(DType type);  // of a quantized type
int64_t pack_scale_bytes(ScaleKind kind, int64_t groups);
int64_t pack_panel_bytes(DType type, int64_t cols);

PackedMatrix pack_begin(DType type, int64_t rows, int64_t cols, const std::byte* source);
void pack_panels(PackedMatrix& matrix, const std::byte* source, int64_t panel_begin, int64_t panel_end);

// For tables that read the file's rows.
PackedMatrix pack_in_place(DType type, int64_t rows, int64_t cols, const std::byte* source);
void pack_nothing(PackedMatrix& matrix, const std::byte* source, int64_t panel_begin, int64_t panel_end);

}  // namespace ondol::kernels
