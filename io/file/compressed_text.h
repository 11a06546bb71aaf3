#pragma once

#include <string>
#include <string_view>

// Bytes inside a text file.

namespace keydrape {

// Raw deflate (RFC 1951), best compression: what a browser's DecompressionStream("deflate-raw")
// takes. Throws OutputError.
std::string deflate_raw(std::string_view bytes);

// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace keydrape
