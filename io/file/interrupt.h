#pragma once

namespace keydrape {

// Thrown to abandon a run when somebody asked for it. Not an error, hence no std::exception.
struct Interrupted {};

// From now on SIGINT, SIGTERM and SIGUSR1 only set a flag; a second SIGINT ends the program at once. A full
// disk or a closed pipe (SIGXFSZ, SIGPIPE) becomes an error of the write.
void catch_signals();

// Whether SIGINT or SIGTERM has arrived.
bool interrupt_requested();

// Whether SIGUSR1 has arrived since the last call.
bool checkpoint_requested();

// Throws Interrupted if interrupt_requested().
void throw_if_interrupted();

}  // namespace keydrape
