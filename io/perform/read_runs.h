#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/formats/read_cache.h"
#include "io/run/scene_files.h"

namespace keydrape {

// Adds to `warnings` what is doubtful about the runs whose results are read, a sentence each: drafts, and
// what is read by way of a link `latest` that leads to a run of another scene than the folder is called
// after. `files`: results in folders of runs, or anything else, of which nothing is said.
void add_doubts_of_read_runs(const std::vector<SceneFile>& files, std::vector<std::string>& warnings);

// Of a file in the folder of a run, or in a folder of it, what its format does not say and the run's record
// does, unless it is asked for otherwise. Throws InputError as read_shot_record.
void add_what_run_says(const std::filesystem::path& file, ReadCacheOptions& options);

}  // namespace keydrape
