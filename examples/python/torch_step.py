#!/usr/bin/python3
"""Cloth within PyTorch: a rollout as an autograd.Function, held against gradcheck."""

import keydrape
import numpy as np
import torch
from sheet import sheet


class Rollout(torch.autograd.Function):
    """Positions of all states (steps + 1, n, 3) from the forces (steps, n, 3) [N]."""

    @staticmethod
    def forward(ctx, forces, task):
        ctx.run = keydrape.rollout(task, forces.detach().numpy())
        return torch.from_numpy(np.stack(ctx.run.positions))

    @staticmethod
    def backward(ctx, dJ_dx):
        return torch.from_numpy(ctx.run.vjp(dJ_dx.numpy()).forces), None


vertices, triangles = sheet(2, 0.2)
vertices[:, 2] = 0.01 * np.sin(30.0 * vertices[:, 0] + 20.0 * vertices[:, 1])
task = keydrape.Task(vertices, triangles, frames=2, substeps=2, fabric="wool", pins=[keydrape.Pin([0, 2])],
                     newton_tolerance=1e-14)
torch.manual_seed(1)
forces = (1e-3 * torch.randn(task.step_count, task.vertex_count, 3, dtype=torch.float64)).requires_grad_()
assert torch.autograd.gradcheck(lambda u: Rollout.apply(u, task), (forces,), eps=1e-5, atol=1e-5, rtol=1e-5)
print("gradcheck passed")

# A loss of one's own, and its gradient by the forces.
target = torch.from_numpy(vertices + [0.0, 0.0, 0.05])
optimizer = torch.optim.Adam([forces], lr=2e-3)
first = None
for _ in range(40):
    optimizer.zero_grad()
    loss = ((Rollout.apply(forces, task)[-1] - target)[3:] ** 2).sum()
    loss.backward()
    optimizer.step()
    first = first if first is not None else loss.item()
print(f"loss {first:.3g} before, {loss.item():.3g} after 40 steps of Adam")
assert loss.item() < 0.5 * first
