#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace keydrape::bench {

// One result of the benchmark, for people and for scripts.
struct Table {
  std::string name;                  // key in the JSON
  std::vector<std::string> notes;    // what was measured, one sentence each
  std::vector<std::string> columns;  // headings with their units, the keys of a row in the JSON
  // As many cells a row as columns. A cell is a number, a text, a list of numbers, or null: does not apply.
  std::vector<std::vector<nlohmann::ordered_json>> rows;
};

// On stdout, columns aligned, four digits.
void print(const Table& table);
// {"notes": [...], "rows": [{column: cell, ...}, ...]}, cells with all their digits.
nlohmann::ordered_json to_json(const Table& table);

}  // namespace keydrape::bench
