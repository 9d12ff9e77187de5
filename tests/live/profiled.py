"""profiled.py FILE: trains a small network under torch.profiler and writes what that saw inside the scope "measured".

operators: depth, name, sequence number and input shapes, in the order in which they began; sizes: of the blocks allocated, in
order; peak: of the bytes allocated since the scope began.
"""
import json
import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function

torch.manual_seed(1)
torch.set_num_threads(1)
network = torch.nn.Sequential(
    torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 32), torch.nn.Linear(32, 10))
optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
images = torch.randn(16, 1, 8, 8)
labels = torch.randint(0, 10, (16,))


def step(number):
    with record_function("ProfilerStep#%d" % number):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()


step(0)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True) as profiler:
    with record_function("measured"):
        for i in range(1, 11):
            step(i)

operators = []
sizes = []
live = set()
current = peak = 0


def walk(event, depth):
    """Notes the event and what it encloses, in the order in which they began."""
    global current, peak
    if event.name == "[memory]":
        block = event.extra_fields
        if block.alloc_size > 0:
            live.add(block.ptr)
            sizes.append(block.alloc_size)
            current += block.alloc_size
            peak = max(peak, current)
        elif block.ptr in live:  # else it is older than the scope
            live.remove(block.ptr)
            current += block.alloc_size
        return
    fields = event.extra_fields
    shapes = ";".join(",".join(map(str, shape)) for shape in fields.inputs.shapes)
    operators.append("%d %s %d %s" % (depth, event.name, fields.sequence_number, shapes))
    for child in event.children:
        walk(child, depth + 1)


for root in profiler.profiler.kineto_results.experimental_event_tree():
    if root.name == "measured":
        walk(root, 0)
with open(sys.argv[1], "w") as file:
    json.dump({"operators": operators, "sizes": sizes, "peak": peak}, file)
