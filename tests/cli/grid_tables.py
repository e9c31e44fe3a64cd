"""Random tables of several variables as CSV files here, and a model on standard output that expects what straight lines give."""
import bisect
import itertools
import random

random.seed(11)
names, units = "abcd", (("s", "ms", 1e-3), ("Pa", "bar", 1e5), ("m", "mm", 1e-3), ("1", None, 1))


def share(axis, x):
    """Where x lies: the point before it and the part of the way to the next, kept inside."""
    x = min(max(x, axis[0]), axis[-1])
    i = min(max(bisect.bisect_right(axis, x) - 1, 0), len(axis) - 2)
    return i, (x - axis[i]) / (axis[i + 1] - axis[i])


def between(axes, value, at):
    places = [share(axis, x) for axis, x in zip(axes, at)]
    total = 0
    for corner in itertools.product((0, 1), repeat=len(axes)):
        weight = 1
        for (_, part), side in zip(places, corner):
            weight *= part if side else 1 - part
        total += weight * value[tuple(i + side for (i, _), side in zip(places, corner))]
    return total


expectations = []
for t in range(20):
    rank = random.choice((2, 2, 3, 4))
    axes = [sorted(random.sample(range(-20, 40), random.randint(2, 5))) for _ in range(rank)]
    value = {p: random.uniform(-5, 5) for p in itertools.product(*(range(len(a)) for a in axes))}
    points = list(value)
    random.shuffle(points)
    order = random.sample(range(rank), rank)  # of the columns
    with open(f"t{t}.csv", "w", encoding="ascii") as file:
        head = [f"{names[k]}" + (f" [{units[k][1]}]" if units[k][1] else "") for k in order]
        file.write("; ".join(head + ["z [mV]"]) + "\n")
        for p in points:
            file.write("; ".join([str(axes[k][p[k]]) for k in order] + [f"{value[p]:.17g}"]) + "\n")
    formals = ", ".join(f"{names[k]} {{{units[k][0]}}}" for k in range(rank))
    over = ", ".join(f'"{names[k]}"' for k in range(rank))
    print(f'table t{t}({formals}) {{V}} linear from "t{t}.csv" column "z" over {over} beyond hold')
    for _ in range(3):
        at = [random.uniform(a[0] - 3, a[-1] + 3) for a in axes]
        args = ", ".join(f"{x * units[k][2]:.17g} {{{units[k][0]}}}" for k, x in enumerate(at))
        expectations.append((f"t{t}({args})", between(axes, value, at) * 1e-3))
print("model M")
print(f"  var v[{len(expectations)}] {{V}}")
for i, (call, _) in enumerate(expectations):
    print(f"  v[{i + 1}] = {call}")
print("end\nexperiment E of M\n  stop 1 {s}\n  points 1")
for i, (_, wanted) in enumerate(expectations):
    print(f"  expect v[{i + 1}](end) = {wanted:.17g} {{V}} within 1e-14")
print("end")
