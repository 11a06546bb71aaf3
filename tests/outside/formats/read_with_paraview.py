"""Runs in pvbatch: positions of out.pvd and of the .ply and .obj sequences, and the fields of
small/simulated.pvd, to found.json."""

import json
import sys

from paraview import servermanager, simple

first, count = int(sys.argv[1]), int(sys.argv[2])
shown = (first, first + count // 2, first + count - 1)


def numbers(array):
    return [array.GetComponent(i, c) for i in range(array.GetNumberOfTuples()) for c in
            range(array.GetNumberOfComponents())]


def fetch(source, time=None):
    if time is None:
        source.UpdatePipeline()
    else:
        source.UpdatePipeline(time)
    data = servermanager.Fetch(source)
    if data.IsA("vtkMultiBlockDataSet"):
        data = data.GetBlock(0)
    return data


def positions(source, time=None):
    return numbers(fetch(source, time).GetPoints().GetData())


found = {}
pvd = simple.PVDReader(FileName="out.pvd")
assert list(pvd.TimestepValues) == [float(first + f) for f in range(count)], pvd.TimestepValues
found["PVD and VTP"] = {frame: positions(pvd, frame) for frame in shown}
found["PLY"] = {frame: positions(simple.PLYReader(FileNames=["out.%04d.ply" % frame])) for frame in shown}
found["OBJ"] = {frame: positions(simple.WavefrontOBJReader(FileName="out.%04d.obj" % frame))
                for frame in shown}

small = simple.PVDReader(FileName="small/simulated.pvd")
found["fields"] = {}
for frame in (int(time) for time in small.TimestepValues):
    data = fetch(small, frame)
    points, cells = data.GetPointData(), data.GetCellData()
    fields = {name: numbers(points.GetArray(name)) for name in ("velocity", "miss", "force", "acceleration")}
    fields["energy_density"] = numbers(cells.GetArray("energy_density"))
    # Lumped: a third of each triangle's, which is 0.15 kg/m^2 times half of 0.1 m by 0.1 m.
    mass = [0.0] * data.GetNumberOfPoints()
    for c in range(data.GetNumberOfCells()):
        for k in range(3):
            mass[data.GetCell(c).GetPointId(k)] += 0.15 * 0.005 / 3
    fields["mass"] = mass
    found["fields"][frame] = fields
json.dump(found, open("found.json", "w"))
