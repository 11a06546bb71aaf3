#include "core/linear/symmetric_matrix.h"

#include <cassert>

namespace keydrape {

SymmetricMatrix::SymmetricMatrix(const BlockMatrix& symmetric) : pattern_(&symmetric.pattern()) {
  values_.reserve(memory_bytes(*pattern_) / sizeof(double));
  for (int i = 0; i < pattern_->rows(); ++i)
    for (int s = pattern_->diagonal_slot(i); s < pattern_->row_end(i); ++s) {
      const auto block = symmetric.block(s);
      values_.insert(values_.end(), block.data(), block.data() + 9);
    }
}

SymmetricMatrix::SymmetricMatrix(const BlockPattern& pattern, PageVector<double> values)
    : pattern_(&pattern), values_(std::move(values)) {
  assert(memory_bytes() == memory_bytes(pattern));
}

size_t SymmetricMatrix::memory_bytes(const BlockPattern& pattern) {
  return 9 * sizeof(double) *
         static_cast<size_t>(pattern.rows() + (pattern.block_count() - pattern.rows()) / 2);
}

BlockMatrix SymmetricMatrix::expanded() const {
  BlockMatrix whole(*pattern_);
  const double* value = values_.data();
  for (int i = 0; i < pattern_->rows(); ++i)
    for (int s = pattern_->diagonal_slot(i); s < pattern_->row_end(i); ++s, value += 9)
      whole.block(s) = Eigen::Map<const Mat3>(value);
  whole.mirror_upper();
  return whole;
}

void SymmetricMatrix::multiply(const VecX& x, VecX& out) const {
  assert(x.size() == 3 * pattern_->rows() && &x != &out);
  out.setZero(x.size());
  const double* value = values_.data();
  for (int i = 0; i < pattern_->rows(); ++i) {
    const int diagonal = pattern_->diagonal_slot(i);
    const Vec3 x_i = x.segment<3>(3 * i);
    Vec3 sum = Eigen::Map<const Mat3>(value) * x_i;
    value += 9;
    for (int s = diagonal + 1; s < pattern_->row_end(i); ++s, value += 9) {
      const Eigen::Map<const Mat3> A(value);
      const int j = 3 * pattern_->column(s);
      sum += A * x.segment<3>(j);
      out.segment<3>(j) += A.transpose() * x_i;
    }
    out.segment<3>(3 * i) += sum;
  }
}

void SymmetricMatrix::multiply_absolute(const VecX& x, VecX& out) const {
  assert(x.size() == 3 * pattern_->rows() && &x != &out);
  out.setZero(x.size());
  const double* value = values_.data();
  for (int i = 0; i < pattern_->rows(); ++i) {
    const int diagonal = pattern_->diagonal_slot(i);
    const Vec3 x_i = x.segment<3>(3 * i).cwiseAbs();
    Vec3 sum = Eigen::Map<const Mat3>(value).cwiseAbs() * x_i;
    value += 9;
    for (int s = diagonal + 1; s < pattern_->row_end(i); ++s, value += 9) {
      const Mat3 A = Eigen::Map<const Mat3>(value).cwiseAbs();
      const int j = 3 * pattern_->column(s);
      sum += A * x.segment<3>(j).cwiseAbs();
      out.segment<3>(j) += A.transpose() * x_i;
    }
    out.segment<3>(3 * i) += sum;
  }
}

}  // namespace keydrape
