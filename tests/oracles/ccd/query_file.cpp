#include "tests/oracles/ccd/query_file.h"

#include <fmt/format.h>
#include <gmpxx.h>

#include <cmath>
#include <istream>
#include <ostream>
#include <string_view>

#include "core/base/error.h"

namespace keydrape::test {

namespace {

constexpr size_t kRowFields = 7;
constexpr size_t kRowsPerQuery = 8;
// Enough for fractions that are far from their lowest terms: a double needs 324 in these.
constexpr size_t kMostDigits = 4000;

std::vector<std::string> fields_of(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> fields{""};
  for (char c : line) {
    if (c == ',')
      fields.emplace_back();
    else if (c != ' ' && c != '\t')
      fields.back() += c;
  }
  return fields;
}

mpz_class integer(const std::string& text) {
  const size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
  const bool is_integer =
      text.size() > sign && text.find_first_not_of("0123456789", sign) == std::string::npos;
  if (!is_integer) throw InputError(fmt::format("'{}' is no integer", text.substr(0, 40)));
  if (text.size() > kMostDigits) throw InputError(fmt::format("an integer of {} digits", text.size()));
  return mpz_class(text, 10);  // else a leading 0 makes it octal
}

double exact_quotient(const std::string& numerator, const std::string& denominator) {
  const mpz_class below = integer(denominator);
  if (below == 0) throw InputError("a denominator is 0");
  mpq_class quotient(integer(numerator), below);
  quotient.canonicalize();
  const double d = quotient.get_d();
  if (!std::isfinite(d) || mpq_class(d) != quotient)
    throw InputError(
        fmt::format("{}/{} is not exactly a double", numerator.substr(0, 40), denominator.substr(0, 40)));
  return d;
}

struct Row {
  Vec3 position;
  bool touches;
};

Row parse_row(const std::string& line) {
  const std::vector<std::string> fields = fields_of(line);
  if (fields.size() != kRowFields)
    throw InputError(
        fmt::format("{} fields instead of {}: numerator and denominator of x, y, z, then the truth",
                    fields.size(), kRowFields));
  Row row;
  for (int k = 0; k < 3; ++k) row.position[k] = exact_quotient(fields[2 * k], fields[2 * k + 1]);
  if (fields[6] != "0" && fields[6] != "1")
    throw InputError(fmt::format("the truth is '{}', not 0 or 1", fields[6]));
  row.touches = fields[6] == "1";
  return row;
}

}  // namespace

std::vector<LabelledQuery> read_queries(std::istream& in, const std::string& name) {
  std::vector<LabelledQuery> queries;
  std::string line;
  size_t row_count = 0;
  try {
    while (std::getline(in, line)) {
      const size_t place = row_count++ % kRowsPerQuery;
      const Row row = parse_row(line);
      if (place == 0) queries.push_back({{Stencil<4>::Zero(), Stencil<4>::Zero()}, row.touches});
      LabelledQuery& query = queries.back();
      (place < 4 ? query.motion.start : query.motion.end).col(place % 4) = row.position;
      if (row.touches != query.touches)
        throw InputError("the truth differs from that of the query's first row");
    }
    if (in.bad()) throw InputError("cannot be read to its end");
    if (row_count % kRowsPerQuery != 0)
      throw InputError(fmt::format("the file ends after {} of the {} rows of a query",
                                   row_count % kRowsPerQuery, kRowsPerQuery));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}:{}: {}", name, row_count, error.what()));
  }
  return queries;
}

void write_query(std::ostream& out, const LabelledQuery& query) {
  for (const Stencil<4>* x : {&query.motion.start, &query.motion.end})
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) {
        const mpq_class exact((*x)(k, i));
        out << exact.get_num() << ',' << exact.get_den() << ',';
      }
      out << (query.touches ? 1 : 0) << '\n';
    }
}

}  // namespace keydrape::test
