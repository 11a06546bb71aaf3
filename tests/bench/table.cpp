#include "tests/bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdio>

namespace keydrape::bench {
namespace {

std::string text_of(const nlohmann::ordered_json& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return cell.get<std::string>();
  if (cell.is_number_float()) return fmt::format("{:.4g}", cell.get<double>());
  if (!cell.is_array()) return cell.dump();
  std::string text;
  for (const auto& part : cell) {
    if (!text.empty()) text += '/';
    text += text_of(part);
  }
  return text;
}

}  // namespace

void print(const Table& table) {
  std::vector<std::vector<std::string>> lines{table.columns};
  for (const auto& row : table.rows) {
    assert(row.size() == table.columns.size());
    lines.emplace_back();
    for (const auto& cell : row) lines.back().push_back(text_of(cell));
  }
  std::vector<size_t> width(table.columns.size(), 0);
  for (const auto& line : lines)
    for (size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], line[c].size());

  fmt::print("\n== {} ==\n", table.name);
  for (const std::string& note : table.notes) fmt::print("{}\n", note);
  for (const auto& line : lines) {
    for (size_t c = 0; c < line.size(); ++c) fmt::print("{}{:>{}}", c ? "  " : "", line[c], width[c]);
    fmt::print("\n");
  }
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const Table& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object;
    for (size_t c = 0; c < row.size(); ++c) object[table.columns[c]] = row[c];
    rows.push_back(std::move(object));
  }
  return {{"notes", table.notes}, {"rows", std::move(rows)}};
}

}  // namespace keydrape::bench
