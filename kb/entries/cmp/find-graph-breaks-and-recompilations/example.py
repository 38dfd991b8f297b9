"""Finds the graph breaks of a function, removes one, and counts how often a function is compiled. Needs no compiler."""

import torch
from torch._dynamo.utils import counters


def step(x, scale):
    y = torch.relu(x)
    if y.sum() > 0:  # the decision depends on a tensor's value: graph break
        y = y * scale
    return y + 1


report = torch._dynamo.explain(step)(torch.ones(4), 2)
print(f"step: {report.graph_count} graphs, {report.graph_break_count} break")
for reason in report.break_reasons:
    print("  ", reason.reason, "at line", reason.user_stack[-1].lineno)


def branchless(x, scale):
    y = torch.relu(x)
    return torch.where(y.sum() > 0, y * scale, y) + 1


report = torch._dynamo.explain(branchless)(torch.ones(4), 2)
print(f"branchless: {report.graph_count} graph, {report.graph_break_count} breaks")


def compilations(inputs, **options):
    torch._dynamo.reset()
    counters.clear()
    compiled = torch.compile(branchless, backend="eager", fullgraph=True, **options)
    for x in inputs:
        compiled(x, 2)
    return counters["stats"]["unique_graphs"]


lengths = [torch.ones(n) for n in range(2, 9)]
print("static shapes: ", compilations(lengths, dynamic=False), "compilations for 7 lengths")
print("default:       ", compilations(lengths))
print("dynamic=True:  ", compilations(lengths, dynamic=True))
for x in lengths:
    torch._dynamo.mark_dynamic(x, 0)
print("mark_dynamic:  ", compilations(lengths))
