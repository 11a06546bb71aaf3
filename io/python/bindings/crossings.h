#pragma once

#include "core/contact/pairs/exemptions.h"
#include "io/python/bindings/built_task.h"

namespace keydrape::python {

// Of a state, for the step from it: which of the crossings that the task begins with have not come apart.
struct Crossings {
  TaskPointer of;
  ExemptionsPointer left;
};

}  // namespace keydrape::python
