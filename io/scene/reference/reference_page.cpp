#include "io/scene/reference/reference_page.h"

#include <fmt/format.h>

#include "core/cloth/material.h"

namespace keydrape {
namespace {

constexpr std::string_view kPageHead =
    R"(<!-- Written by `keydrape reference`; the source is io/scene/scene_keys.h. -->
# The scene file

TOML; numbers in SI units; file names relative to the scene file. What is not said has its default, what is
not listed here is refused. `[table]` stands once, `[[table]]` as often as there are such things. A value
that can change in time takes `[[frame, value], ...]` as well: linear between its frames, constant before
and after; `translate` and `rotate` are so at whole frames, and go by cubics from one to the next. Numbers
beyond 1e30, and positive ones below 1e-30, are refused: no shot means them. What is not usual is warned of.
`keydrape explain KEY` prints a line of this page, `keydrape schema` all of it for editors.
)";

// Text in a cell: a bar would end it.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::string range_cell(const KeyReference& key) {
  if (key.usual.empty()) return key.range;
  return fmt::format("{}{}usual: {}", key.range, key.range.empty() ? "" : "; ", key.usual);
}

std::string key_row(const KeyReference& key) {
  return fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", key.name, cell(key.type), cell(key.unit),
                     cell(key.default_text), cell(range_cell(key)), cell(key.meaning), cell(key.when));
}

std::string materials() {
  std::string text =
      "\n## Fabrics\n\nWhat `preset` stands for (`core/cloth/material.cpp` says where each number comes "
      "from).\n\n"
      "| preset | density kg/m^2 | stretch N/m | shear N/m | bend N m | damping s | thickness m |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const MaterialPreset& preset : material_presets()) {
    const Material& m = preset.material;
    text += fmt::format("| `{}` | {} | [{}, {}] | {} | {} | {} | {} |\n", preset.name, m.density, m.k_warp,
                        m.k_weft, m.k_shear, m.bend, m.damping, m.thickness);
  }
  std::string coupled;
  for (const MaterialPreset& preset : material_presets())
    if (preset.material.coupling > 0.0)
      coupled += fmt::format("{}`{}` {}", coupled.empty() ? "" : ", ", preset.name, preset.material.coupling);
  if (!coupled.empty()) text += fmt::format("\nCoupling of warp and weft: {}; the others 0.\n", coupled);
  return text;
}

std::string line(std::string_view label, std::string_view text) {
  return text.empty() ? "" : fmt::format("  {:<9} {}\n", label, text);
}

std::string short_row(const KeyReference& key) { return fmt::format("  {:<24} {}\n", key.name, key.meaning); }

}  // namespace

std::string reference_page() {
  std::string text(kPageHead);
  for (const TableReference& table : scene_reference()) {
    text += fmt::format(
        "\n## {}\n\n{}\n\n"
        "| key | type | unit | default | range | meaning | when to change it |\n"
        "|---|---|---|---|---|---|---|\n",
        table.title, table.meaning);
    for (const KeyReference& key : table.keys) text += key_row(key);
  }
  return text + materials();
}

std::string explanation(const ReferenceMatch& match) {
  if (match.key == nullptr) {
    std::string text = fmt::format("{}\n  {}\n\n", match.table->title, match.table->meaning);
    for (const KeyReference& key : match.table->keys) text += short_row(key);
    return text;
  }
  const KeyReference& key = *match.key;
  return fmt::format("{} {}\n  {}\n", match.table->title, key.name, key.meaning) + line("type", key.type) +
         line("unit", key.unit) + line("range", key.range) + line("usual", key.usual) +
         line("default", key.default_text) + line("change it", key.when);
}

}  // namespace keydrape
