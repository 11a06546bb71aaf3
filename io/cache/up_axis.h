#pragma once

namespace keydrape {

// The axis of a file that points up. Right-handed in both cases.
enum class UpAxis { kY, kZ };

}  // namespace keydrape
