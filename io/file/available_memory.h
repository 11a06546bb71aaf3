#pragma once

namespace keydrape {

// Memory that programs of this machine may still take [bytes]; 0: not known.
double available_memory();

}  // namespace keydrape
