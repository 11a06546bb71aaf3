#include "core/step/round_matrix.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

namespace keydrape {

namespace {

constexpr size_t kMostMade = 4;  // sets of pins take turns rarely; a strength that changes, in every step

using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

}  // namespace

RoundMatrix::RoundMatrix(const Eigen::SparseMatrix<double>& P)
    : factor_(std::make_unique<const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>>(P)) {
  assert(factor_->info() == Eigen::Success);
}

void RoundMatrix::solve(const VecX& b, VecX& x) const {
  x.resize(b.size());
  if (!factor_) {
    for (Eigen::Index i = 0; i < diagonal_.size(); ++i)
      x.segment<3>(3 * i) = b.segment<3>(3 * i) / diagonal_(i);
    return;
  }
  const Eigen::Map<const Rows> rows(b.data(), b.size() / 3, 3);
  const Eigen::MatrixX3d solution = factor_->solve(Eigen::MatrixX3d(rows));
  Eigen::Map<Rows>(x.data(), x.size() / 3, 3) = solution;
}

RoundMatrices::RoundMatrices(const Model& model, double dt, RoundMatrixKind kind)
    : model_(model), dt_(dt), kind_(kind) {
  StiffnessBound bound(dt, 0.0);
  for (const auto& energy : model.energies())
    if (!energy->bound_depends_on_time()) energy->add_stiffness_bound(bound);
  const int n = model.vertex_count();
  Eigen::SparseMatrix<double> L(n, n);
  L.setFromTriplets(bound.entries().begin(), bound.entries().end());
  for (int j = 0; j < n; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator entry(L, j); entry; ++entry)
      lasting_.emplace_back(static_cast<int>(entry.row()), j, entry.value());
}

MatrixOfStep RoundMatrices::at(const StepConstraints& constraints, double end_time,
                               MadeMatrices& made) const {
  MadeMatrices::Key key{this, {}, {}, {}};
  for (const StepConstraints::Row& row : constraints.rows())
    (row.S.isZero(0.0) ? key.held : key.sliding).push_back(row.vertex);
  StiffnessBound coming(dt_, end_time);
  for (const auto& energy : model_.energies())
    if (energy->bound_depends_on_time()) energy->add_stiffness_bound(coming);
  for (const auto& entry : coming.entries())
    if (entry.value() != 0.0)
      key.coming.insert(key.coming.end(),
                        {static_cast<double>(entry.row()), static_cast<double>(entry.col()), entry.value()});
  auto& known = made.made_;
  const auto same = [&](const auto& each) { return each.first == key; };
  if (const auto found = std::find_if(known.begin(), known.end(), same); found != known.end())
    return found->second;
  if (known.size() == kMostMade) known.erase(known.begin());
  MatrixOfStep matrix = make(key);
  ++made.made_count_;
  known.emplace_back(std::move(key), matrix);
  return matrix;
}

MatrixOfStep RoundMatrices::make(const MadeMatrices::Key& key) const {
  const int n = model_.vertex_count();
  std::vector<bool> is_held(static_cast<size_t>(n), false);
  for (const int vertex : key.held) is_held[static_cast<size_t>(vertex)] = true;
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int i, int j, double value) {
    if (is_held[static_cast<size_t>(i)] || is_held[static_cast<size_t>(j)]) return;
    entries.emplace_back(i, j, value);
  };
  for (const auto& entry : lasting_) add(entry.row(), entry.col(), entry.value());
  for (size_t k = 0; k < key.coming.size(); k += 3)
    add(static_cast<int>(key.coming[k]), static_cast<int>(key.coming[k + 1]), key.coming[k + 2]);
  const VecX inertia = model_.vertex_mass() / (dt_ * dt_);
  Eigen::SparseMatrix<double> P(n, n);
  P.setFromTriplets(entries.begin(), entries.end());
  auto loose = std::make_shared<const LooseParts>(loose_parts(key));
  if (kind_ == RoundMatrixKind::kDiagonal) {
    VecX diagonal = inertia;
    for (int j = 0; j < n; ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator entry(P, j); entry; ++entry)
        diagonal(j) += std::abs(entry.value());
    return {std::make_shared<const RoundMatrix>(std::move(diagonal)), std::move(loose)};
  }
  for (int i = 0; i < n; ++i) P.coeffRef(i, i) += inertia(i);
  P.makeCompressed();
  return {std::make_shared<const RoundMatrix>(P), std::move(loose)};
}

LooseParts RoundMatrices::loose_parts(const MadeMatrices::Key& key) const {
  const int n = model_.vertex_count();
  const BlockPattern& pattern = model_.pattern();
  std::vector<bool> holds(static_cast<size_t>(n), false), seen(static_cast<size_t>(n), false);
  for (const auto* vertices : {&key.held, &key.sliding})
    for (const int vertex : *vertices) holds[static_cast<size_t>(vertex)] = true;
  for (size_t k = 0; k < key.coming.size(); k += 3) holds[static_cast<size_t>(key.coming[k])] = true;
  LooseParts parts;
  for (int first = 0; first < n; ++first) {
    if (seen[static_cast<size_t>(first)]) continue;
    std::vector<int> part{first};
    seen[static_cast<size_t>(first)] = true;
    for (size_t k = 0; k < part.size(); ++k)
      for (int s = pattern.row_begin(part[k]); s < pattern.row_end(part[k]); ++s) {
        const int other = pattern.column(s);
        if (seen[static_cast<size_t>(other)]) continue;
        seen[static_cast<size_t>(other)] = true;
        part.push_back(other);
      }
    std::sort(part.begin(), part.end());
    if (std::none_of(part.begin(), part.end(), [&](int i) { return holds[static_cast<size_t>(i)]; }))
      parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace keydrape
