#pragma once

#include "control/task/task.h"

namespace keydrape {

// Throws InputError, which says what was found and what is expected, where the numbers of a task are not what
// task.h and keyframe.h say of them: those of its grid, start, pushing, targets and effort. Of its cloth,
// channels and take only building them (prepare) can tell.
void check(const Task& task);

}  // namespace keydrape
