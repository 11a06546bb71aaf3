#include "io/cli/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "io/file/file.h"
#include "io/file/printable.h"

namespace keydrape {
namespace {

// "error: " and "warning: " in front of these, nothing in front of the rest: what a person reads in a shell.
class LevelPrefix final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string_view prefix = message.level >= spdlog::level::err    ? "error: "
                                    : message.level == spdlog::level::warn ? "warning: "
                                                                           : "";
    out.append(prefix.data(), prefix.data() + prefix.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<LevelPrefix>(); }
};

// The message, as it may be shown.
class PrintableMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string text = printable({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableMessage>();
  }
};

// `pattern`: spdlog's, with LevelPrefix as %* and PrintableMessage as %~.
std::unique_ptr<spdlog::formatter> formatter(std::string pattern) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<LevelPrefix>('*').add_flag<PrintableMessage>('~').set_pattern(std::move(pattern));
  return formatter;
}

}  // namespace

void log_text(LogLevel level, const std::string& text) {
  switch (level) {
    case LogLevel::kInfo:
      return spdlog::default_logger_raw()->log(spdlog::level::info, text);
    case LogLevel::kWarning:
      return spdlog::default_logger_raw()->log(spdlog::level::warn, text);
    case LogLevel::kError:
      return spdlog::default_logger_raw()->log(spdlog::level::err, text);
  }
}

void open_log(bool quiet) {
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_st>();
  sink->set_formatter(formatter("%*%~"));
  sink->set_level(quiet ? spdlog::level::warn : spdlog::level::info);
  auto logger = std::make_shared<spdlog::logger>("keydrape", std::move(sink));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void log_to_file(const std::filesystem::path& path) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_st>(path.string());
    sink->set_formatter(formatter("%Y-%m-%d %H:%M:%S.%e %l: %~"));
    spdlog::default_logger()->sinks().push_back(std::move(sink));
    // A log that cannot be written (the disk is full) stops nothing: the results will, with a
    // message that tells.
    spdlog::default_logger()->set_error_handler([](const std::string&) {});
  } catch (const spdlog::spdlog_ex& error) {
    throw OutputError(std::string(error.what()) + "; choose an output folder that you may write to");
  }
}

void log_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) log_text(LogLevel::kWarning, warning);
}

}  // namespace keydrape
