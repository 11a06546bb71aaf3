#pragma once

#include <string>

namespace keydrape {

// A number for people: three digits count, there is no exponent from 1e-6 to 1e9, and thousands are told
// apart from five digits on: "434", "0.00123", "1270", "12,700". Files and JSON keep all digits.
// `digits` >= 1.
std::string short_number(double value, int digits = 3);

// A length [m] with the unit that fits it: "0.4 mm", "25 cm", "1.41 m", "430 m".
std::string length_text(double metres);

}  // namespace keydrape
