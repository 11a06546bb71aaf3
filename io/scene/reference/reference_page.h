#pragma once

#include <string>

#include "io/scene/scene_reference.h"

// The scene file's reference in two forms, all from scene_reference().

namespace keydrape {

// Markdown: a table for each table of the file, then the fabrics.
std::string reference_page();

// For a terminal, a block of lines: "[shot] substeps", meaning, type, unit, range, default, when to change
// it. A table is listed with its keys.
std::string explanation(const ReferenceMatch& match);

}  // namespace keydrape
