#pragma once

namespace keydrape {

// How much a sentence of a run matters.
enum class LogLevel { kInfo, kWarning, kError };

}  // namespace keydrape
