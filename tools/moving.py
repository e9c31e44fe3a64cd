#!/usr/bin/env python3
"""A picture that moves: moving.py PAGE.html OUT.svg [FRAMES]

Takes the recorded motion of a page that `bondyn report` has written (its element `scene`: poses of bodies over time) and draws it
as an animated SVG: every body as rods from its origin to its joints and frames, seen from the side and a little from above, with
the way of the last frame. No browser and no other program takes part.
"""
import json
import math
import re
import sys

WIDTH, HEIGHT, EDGE = 760, 430, 34
TURN, TILT = math.radians(35), math.radians(18)  # of the view
COLOURS = ("#35506b", "#c8642b", "#d98a2b", "#5b8c5a", "#7a6aa8", "#a84f63", "#4f8fa8")


def rotated(q, v):
    """v turned by the quaternion w x y z."""
    w, x, y, z = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]


def seen(p):
    """On the screen, in metres: right and down."""
    x = p[0] * math.cos(TURN) + p[1] * math.sin(TURN)
    depth = -p[0] * math.sin(TURN) + p[1] * math.cos(TURN)
    return x, -(p[2] * math.cos(TILT) + depth * math.sin(TILT))


def at(body, frame, point):
    pose = body["pose"][7 * frame:7 * frame + 7]
    return [a + b for a, b in zip(pose[:3], rotated(pose[3:], point))]


def rods_of(body):
    """Ends of its rods in its own axes: the joints that it carries, or its farthest frame."""
    ends = list(body["joints"])
    if not ends and body["frames"]:
        ends = [max(body["frames"], key=lambda p: sum(x * x for x in p))]
    return [end for end in ends if sum(x * x for x in end) > 1e-12]


def number(x):
    return f"{x:.1f}".rstrip("0").rstrip(".")


def animated(name, values, seconds):
    text = ";".join(number(v) for v in values)
    return f'<animate attributeName="{name}" dur="{seconds:g}s" repeatCount="indefinite" values="{text}"/>'


def main():
    page, out = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 120
    with open(page, encoding="utf-8") as file:
        scene = json.loads(re.search(r'id="scene">(.*?)</script>', file.read(), re.S)[1])
    last = len(scene["time"]) - 1
    frames = [round(i * last / count) for i in range(count + 1)]
    seconds = scene["time"][-1] - scene["time"][0]
    rods = [(i, end) for i, body in enumerate(scene["bodies"]) for end in rods_of(body)]
    if not rods:
        sys.exit(f"{page}: no body has a joint or a frame away from its origin")
    ways = []
    for i, end in rods:
        body = scene["bodies"][i]
        ways.append([(seen(at(body, f, [0, 0, 0])), seen(at(body, f, end))) for f in frames])
    points = [p for way in ways for pair in way for p in pair] + [seen([0, 0, 0])]
    low = [min(p[k] for p in points) for k in (0, 1)]
    high = [max(p[k] for p in points) for k in (0, 1)]
    scale = min((WIDTH - 2 * EDGE) / (high[0] - low[0]), (HEIGHT - 2 * EDGE) / (high[1] - low[1]))
    shift = [(WIDTH - scale * (low[0] + high[0])) / 2, (HEIGHT - scale * (low[1] + high[1])) / 2]

    def place(p):
        return [scale * p[k] + shift[k] for k in (0, 1)]

    base = place(seen([0, 0, 0]))
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f7f5f0"/>',
             f'<ellipse cx="{number(base[0])}" cy="{number(base[1])}" rx="46" ry="15" fill="#c9c4b8"/>']
    tip = [place(pair[1]) for pair in max(ways, key=lambda way: sum(math.dist(pair[1], way[0][1]) for pair in way))]
    trail = " ".join(f"{number(x)},{number(y)}" for x, y in tip)
    lines.append(f'<polyline points="{trail}" fill="none" stroke="#b0413e" stroke-width="1.2" stroke-dasharray="3 3" opacity="0.7"/>')
    length = [max(math.dist(*pair) for pair in way) for way in ways]
    # far from the base first, so that nearer rods lie over them
    order = sorted(range(len(rods)), key=lambda k: -math.dist(ways[k][0][0], seen([0, 0, 0])))
    for thick, lighten in ((1.0, False), (0.55, True)):
        for k in order:
            wide = scale * 0.085 * min(1.3, 0.6 + length[k]) * thick
            colour = COLOURS[rods[k][0] % len(COLOURS)]
            ends = [(place(a), place(b)) for a, b in ways[k]]
            moves = "".join(animated(word, [pair[e][c] for pair in ends], seconds)
                            for word, e, c in (("x1", 0, 0), ("y1", 0, 1), ("x2", 1, 0), ("y2", 1, 1)))
            look = 'stroke="#ffffff" opacity="0.28"' if lighten else f'stroke="{colour}"'
            lines.append(f'<line stroke-linecap="round" stroke-width="{number(wide)}" {look}>{moves}</line>')
    moves = animated("cx", [p[0] for p in tip], seconds) + animated("cy", [p[1] for p in tip], seconds)
    lines.append(f'<circle r="4.5" fill="#b0413e">{moves}</circle>')
    lines.append("</svg>")
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


main()
