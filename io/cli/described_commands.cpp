#include "io/cli/described_commands.h"

namespace keydrape {
namespace {

OptionReference described_option(const CLI::Option& option) {
  OptionReference reference;
  for (const std::string& name : option.get_snames()) reference.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) reference.names.push_back("--" + name);
  if (option.get_expected_max() > 0) reference.value = option.get_type_name();
  reference.meaning = option.get_description();
  reference.required = option.get_required();
  return reference;
}

}  // namespace

ProgramReference described_commands(const CLI::App& app) {
  ProgramReference program;
  for (const CLI::App* command : app.get_subcommands({})) {
    CommandReference& reference = program.commands.emplace_back(
        CommandReference{command->get_name(), command->get_description(), {}, {}});
    for (const CLI::Option* option : command->get_options())
      (option->nonpositional() ? reference.options : reference.arguments)
          .push_back(described_option(*option));
  }
  program.exit_codes = app.get_footer();
  return program;
}

}  // namespace keydrape
