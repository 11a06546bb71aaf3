#pragma once

#include <string_view>

namespace keydrape {

// Every key of every table, none with its default.
inline constexpr std::string_view kFullScene = R"toml([shot]
name = "twirl"
fps = 25
frames = "1001-1060"
substeps = 8
gravity = [[1001, [0, 0, -9.81]], [1030.5, [0, 0, -1.62]]]
meters_per_unit = 0.01
up_axis = "Z"

[cloth]
rest = "rest.obj"
initial = "start.obj"
rest_shape = "uv"
meters_per_uv = 2.5
warp = [0, 0, 3]
bending = "quadratic"
pressure = [[1001, 0], [1020, 300]]
[cloth.material]
preset = "denim"
density = 0.4
stretch = [2000, 1500.5]
shear = 300
bend = 1e-4
damping = 0.01
thickness = 0.001
strain_limit = 0.08
coupling = 0.2
stretch_scale = [[1001, [1, 1]], [1020, [0.9, 1.1]], [1040, 0.5]]
shear_hysteresis = 0.2
bend_hysteresis = 3e-4
model = "woven"
compression = "buckling"
fold_length = 0.03

[wind]
velocity = [1, 2, 3]
air_density = 1.3
drag = [[1001, 0], [1060, 2.0]]
lift = 0.5

[moving_frame]
translate = [[1001, [0, 0, 0]], [1010, [2, 0, 0]]]
rotate = [0, 10, 0]
pivot = [0, 1, 0]
inertia = [[1001, 1], [1010, 0.5]]
air = 0

[[pin]]
vertices = [9, 0, 4]
motion = "pins.pc2"
frames = "1001-1010"
stiffness = [[1001, 500], [1010, 0]]
damping = 0.1
axis = [0, 1, 0]
[[pin]]
group = "waist"
normal = [0, 0, 2]
[[pin]]
weights = "map.txt"

[[spring]]
pairs = [[0, 1], [7, 3]]
stiffness = 10
rest = "zero"
damping = 0.2
[[spring]]
lines = true
stiffness = 20

[[crease]]
edges = [[0, 1], [7, 1]]
angle = [[1001, 0], [1010, 90]]
stiffness = 20
[[crease]]
group = "pleat"
angle = -30

[[collider]]
sphere = {center = [0, 1, 0], radius = 0.5}
translate = [[1001, [0, 0, 0]], [1010, [0, 0.5, 0]]]
friction = 0.3
rotate = [0, 90, 0]
pivot = [0, 2, 0]
point_spacing = 0.02
[[collider]]
plane = {point = [0, 0, 1], normal = [0, 1, 0]}
[[collider]]
capsule = {start = [0, 0, 0], end = [0, 1, 0], radius = 0.1}
[[collider]]
box = {min = [0, 0, 0], max = [1, 2, 3]}
[[collider]]
mesh = "key.obj"
motion = "pins.pc2"
voxel = 0.05
as = "volume"
[[collider]]
vdb = "body.vdb"

[contact]
thickness = 0.004
self = true
repair = true
start_crossings = "exempt"
friction = [[1001, 0.6], [1010, 0.2]]
activation = 0.003
stiffness = 0.2
sliding_speed = 0.001

[[keyframe]]
frame = 1060
mesh = "key.obj"
weight = 2
velocity_weight = 0.5
velocity = [0, 0, 1]
group = "hem"
tolerance = 0.005
[[keyframe]]
frame = 1060
mesh = "rest.obj"
velocity_weight = 1
velocity = "velocity.npy"
velocity_weights = "map.txt"
weights = "map.txt"

[control]
method = "lbfgs"
gradient = "frozen-contact"
start = "zero"
hold = "step"
effort = "auto"
even = false
group = "hem"
frames = "1002-1050"
strength = [[1002, 1], [1050, 0.5]]
max_acceleration = 3
max_forward_simulations = 40
smooth_time = 0.1
smooth_space = 0.2

[solver]
integrator = "bdf2"
newton_tolerance = 1e-6
max_newton_iterations = 50
linear = "pcg"
memory_gb = 0.5
scratch_gb = 20
scratch_dir = "../fast"

[output]
dir = "../results/twirl"
caches = ["obj"]
every_step = true
)toml";

}  // namespace keydrape
