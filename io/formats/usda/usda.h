#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/cache/cache_writer.h"

// USD as text (.usda): one Mesh with points.timeSamples, one sample a frame; time codes are frames.
//
// Read, as Blender, Houdini and USD itself write it:
//   layer      timeCodesPerSecond (else framesPerSecond, else 24), metersPerUnit (else 0.01, with a warning),
//              upAxis (else "Y"): the defaults are USD's own
//   the Mesh   points or points.timeSamples, faceVertexCounts and faceVertexIndices, the same in all samples,
//              orientation, velocities.timeSamples, the first primvar of texCoord2f[] with its indices,
//              primvars of floats and vectors with interpolation vertex or uniform over the same frames, and
//              their indices, if those are the same in all frames
//   transforms of the Mesh and the prims above it that do not change: xformOp:transform, translate, scale,
//              rotateX, rotateY, rotateZ, rotateXYZ
// Polygons become fans, as in obj.h. As USD has it, and with a warning, whole frames between two samples are
// filled linearly, and those before the first sample and behind the last one, where startTimeCode and
// endTimeCode go farther than the samples, hold its values. Points with one sample, or none, are one frame.
//
// Refused with line and column: more than one Mesh, composition (references, payload, inherits, specializes,
// subLayers, variants), transforms that move, samples between frames, topology that changes, binary .usd.
// Everything else is parsed, dropped, and named in a warning.
//
// Written: the same, with extent, velocities (is_velocity) and all other fields as primvars; texture
// coordinates as st, or st1, st2, .. where a field is called so.

namespace keydrape {

// In the file's own space and frames. `warnings` gains one sentence for what is not read; may be
// null. Throws InputError.
MeshCache read_usda(const std::filesystem::path& path, std::vector<std::string>* warnings = nullptr);

// Positions, texture coordinates and fields are single precision, in the header's space. Fields are kept in
// memory until the commit, since USD has attribute after attribute, not frame after frame.
std::unique_ptr<CacheWriter> open_usda_writer(const std::filesystem::path& path, const CacheHeader& header);

}  // namespace keydrape
