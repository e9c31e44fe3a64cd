#!/usr/bin/env python3
"""Pages and pictures as a browser shows them. usage: browser_test.py BONDYN FOLDER_OF_THIS_TEST

The page measures itself by a script that is appended to it; Chromium prints the result with --dump-dom. Dots over letters are
looked for in the pixels of a screenshot.
"""
import json, math, os, re, shutil, struct, subprocess, sys, tempfile, zlib

bondyn, here = sys.argv[1], sys.argv[2]
if "built without the studio" in subprocess.run([bondyn, "studio", "/no/such/folder/x.bond", "--no-open"], capture_output=True, text=True).stderr:
    print("skipped: the scripts of pages were left out, there is no node")
    sys.exit(0)
work = tempfile.mkdtemp()
failures = []

def check(good, what):
    if not good: failures.append(what)

def chromium(page, *options):
    profile = tempfile.mkdtemp(dir=work)
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
               "--user-data-dir=" + profile, *options, "file://" + page]
    return subprocess.run(command, capture_output=True, timeout=240).stdout.decode("utf8", "replace")

def measure(html, script, *options):
    page = os.path.join(work, "measured.html")
    with open(page, "w") as f:
        f.write(html + "<script>document.title = 'M' + JSON.stringify((function () { try {" + script + "} catch (e) { return {error: '' + e}; } })());</script>")
    found = re.search(r"<title>M(.*?)</title>", chromium(page, "--dump-dom", *options), re.S)
    if not found: return {}
    return json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))

def pixels(path):
    """Rows of RGB of a PNG with 8 bits."""
    data, at, body = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        part = data[at + 8:at + 8 + size]
        if kind == b"IHDR": width, height, depth, colour = struct.unpack(">IIBB", part[:10])
        if kind == b"IDAT": body += part
        at += 12 + size
    per, raw, rows = (4 if colour == 6 else 3), zlib.decompress(body), []
    before = bytearray(width * per)
    for y in range(height):
        line = raw[y * (width * per + 1):(y + 1) * (width * per + 1)]
        row, how = bytearray(line[1:]), line[0]
        for i in range(len(row)):
            a = row[i - per] if i >= per else 0
            b, c = before[i], (before[i - per] if i >= per else 0)
            if how == 1: row[i] = (row[i] + a) & 255
            elif how == 2: row[i] = (row[i] + b) & 255
            elif how == 3: row[i] = (row[i] + (a + b) // 2) & 255
            elif how == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                row[i] = (row[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        rows.append(row)
        before = row
    return rows, per

model = os.path.join(here, "browser.bond")
page = os.path.join(work, "page.html")
subprocess.run([bondyn, "report", model, "--out", page], check=True, capture_output=True)
html = open(page).read()
if "graph-view" not in html: # a build without node: the page has its pictures, and no script
    check("the moving view is left out" in html or 'id="motion"' not in html, "a page without its scripts says so")
    check(html.count("<svg") > 3 and "<script>" not in html, "pictures are there all the same")
    for f in failures: print("FAIL", f)
    sys.exit(1 if failures else 0)
short = re.sub(r'<h2 id="(plots|motion)">.*?(?=<h2 id="graph">)', "", html, flags=re.S)

# --- what a reader does: look for reasons, open parts, play the strokes, go to a heading
m = measure(html, r"""
  const field = document.querySelector('.graph-view'), graph = field.shadowRoot, figure = field.parentNode, all = (q) => [...graph.querySelectorAll(q)];
  const bonds = all('.bond[data-order]');
  const out = {};
  out.bonds = bonds.length;
  out.reasons = bonds.filter((b) => { // on hover, and on a click beside the tools
    b.dispatchEvent(new PointerEvent('pointerenter', { clientX: 50, clientY: 50 }));
    const tip = document.querySelector('.tip');
    b.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    return !tip.hidden && [tip, document.querySelector('.said')].every((e) => /stroke|effort|flow|because/.test(e.textContent));
  }).length;
  out.signals = all('.signal').length;
  out.apart = Math.min(...bonds.flatMap((b) => {
    const bars = [...b.querySelectorAll('.bar')], barb = b.querySelector('.barb').getPointAtLength(0);
    return bars.map((bar) => Math.abs(bar.getPointAtLength(0).x - barb.x));
  }));
  out.under = 0;
  const lines = all('path.line, path.thin');
  for (const t of all('text.number, text.sub')) {
    const r = t.getBBox();
    for (const l of lines) for (let s = 0; s < l.getTotalLength(); s += 2) {
      const p = l.getPointAtLength(s);
      if (p.x > r.x + 1 && p.x < r.x + r.width - 1 && p.y > r.y + 2 && p.y < r.y + r.height - 2) { out.under++; break; }
    }
  }
  document.querySelector('.fold-all').click();
  out.boxes = all('.fold').length;
  out.ports = all('.port').map((p) => p.textContent);
  graph.querySelector('.fold').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
  out.inside = figure.dataset.scope;
  document.querySelector('.up').click();
  out.up = figure.dataset.view;
  document.querySelector('.fold-all').click();
  document.querySelector('.step').click();
  document.querySelector('.step').click();
  out.now = all('.bond.now').length;
  out.later = all('.bond.later').length;
  out.said = document.querySelector('.said').textContent;
  document.querySelector('#equations').scrollIntoView();
  out.heading = document.querySelector('#equations').getBoundingClientRect().top - document.querySelector('nav').getBoundingClientRect().bottom;
  const d = document.querySelector('#expectations + details');
  out.folded = !!d && !d.open;
  out.closer = /closer/.test(document.querySelector('#plots').parentNode.textContent);
  const plot = document.querySelector('.plots figure');
  plot.click();
  const box = document.querySelector('dialog.explore');
  out.close = !!box && box.open && box.querySelectorAll('canvas').length === 1 && box.querySelectorAll('.key').length === 2;
  box.close();
  const dots = [...document.querySelectorAll('mover > mo')].map((e) => e.getBoundingClientRect());
  out.dots = dots.length;
  return out;""", "--window-size=1200,900")
check("error" not in m, m.get("error"))
check(m.get("bonds", 0) > 10 and m.get("reasons") == m.get("bonds"), f"every bond says why on hover: {m.get('reasons')} of {m.get('bonds')}")
check(m.get("signals", 0) >= 2, "signals are drawn as arrows")
check(m.get("apart", 0) >= 5, f"half-arrow and stroke are apart: {m.get('apart')}")
check(m.get("under") == 0, f"{m.get('under')} labels lie under lines")
check(m.get("boxes", 0) >= 1 and m.get("inside") == "m" and m.get("up") == "folded", f"parts fold and open: {m.get('inside')}, {m.get('up')}")
check("k" in m.get("ports", []), f"ports of parts have names: {m.get('ports')}")
check(m.get("now") == 1 and m.get("later", 0) > 5 and m.get("said", "").startswith("2 of"), f"strokes one by one: {m.get('said')}")
check(m.get("heading", -1) >= 0, f"headings do not lie under the bar: {m.get('heading')}")
check(m.get("folded"), "expectations are folded where all hold")
check(m.get("close"), "a plot can be looked at closely, with a key for each curve")
check(m.get("closer"), "the page says that a click looks closer")

# --- power: ribbons, the ranking, and the bond graph played over the run
power = measure(html, r"""
  const field = document.querySelector('.graph-view'), graph = field.shadowRoot, moment = document.querySelector('#moment-power'), out = {};
  const said = JSON.parse(document.querySelector('#powers').textContent), rows = said.time.length;
  const seek = (row) => { moment.value = said.time[row]; moment.dispatchEvent(new Event('input')); };
  const look = () => Object.fromEntries([...graph.querySelectorAll('g[data-bond]')].map((g) => {
    const f = g.querySelector('path.flow'), h = g.querySelector('path.head');
    return [g.dataset.bond, { on: f.style.display !== 'none' && h.style.display !== 'none', wide: +f.style.strokeWidth || 0, back: f.classList.contains('back') && h.classList.contains('back') }];
  }));
  out.bonds = Object.keys(said.bonds).length;
  out.wrong = 0; out.order = 0; out.seen = 0;
  const top = Math.max(...Object.values(said.bonds).flat().map(Math.abs));
  for (const row of [1, Math.floor(rows / 3), rows - 1]) {
    seek(row);
    const now = look(), list = Object.entries(said.bonds).map(([b, p]) => ({ p: p[row], ...now[b] })).sort((x, y) => Math.abs(x.p) - Math.abs(y.p));
    for (const x of list) { if (x.on !== Math.abs(x.p) > 1e-4 * top || (x.on && x.back !== x.p < 0)) out.wrong++; out.seen += x.on; }
    list.filter((x) => x.on).forEach((x, i, all) => { if (i && x.wide < all[i - 1].wide) out.order++; });
    out.clock = document.querySelector('#clock-power').textContent;
  }
  out.motion = document.querySelector('#clock') ? document.querySelector('#clock').textContent === out.clock : true; // one clock for both
  const svg = document.querySelector('#power ~ .wide svg.flow');
  out.ribbons = svg.querySelectorAll('path').length;
  out.said = [...svg.querySelectorAll('path > title')].map((t) => t.textContent);
  out.paths = document.querySelectorAll('table.paths tr').length - 1;
  const shares = [...document.querySelectorAll('#power ~ table')][0];
  out.ranked = [...shares.querySelectorAll('tr')].slice(1).map((r) => [...r.children].map((c) => c.textContent));
  return out;""", "--window-size=1200,900")
check("error" not in power, power.get("error"))
check(power.get("bonds", 0) > 10 and power.get("wrong") == 0 and power.get("order") == 0 and power.get("seen", 0) > 5, f"bonds show their power: {power}")
check(power.get("motion"), "motion and bond graph show the same moment")
check(power.get("ribbons", 0) >= 1 and all(" -> " in t and " J" in t for t in power.get("said", [])), f"ribbons say what they are: {power.get('said')}")
got = [float(r[5]) for r in power.get("ranked", []) if r[5] != "-"]
check(got and abs(sum(got) - 100) < 1e-2, f"what all elements got is what was given: {sum(got)} %")
share = [float(r[7].split()[0]) for r in power.get("ranked", []) if r[7]]
check(share and share == sorted(share, reverse=True) and abs(sum(share) - 100) < 0.5, f"shares are ranked: {share}")

# --- modes: a list to choose from, and the mechanism that swings. By hand: the masses go together, or against each other, 0.1 m
swing_page = os.path.join(work, "swing.html")
subprocess.run([bondyn, "report", os.path.join(here, "swing.bond"), "--out", swing_page], check=True, capture_output=True)
swing_html = open(swing_page).read()
modes = measure(swing_html, r"""
  const out = { shown: [] }, rows = [...document.querySelectorAll('table.modes tr[data-row]')];
  const place = (i) => modes.viewer.bodies[i].matrix.elements[12];
  out.begins = modes.player.playing && !!document.querySelector('tr.chosen');
  modes.player.play(false);
  for (const row of rows) {
    const hertz = +row.cells[2].textContent;
    if (!(hertz > 1)) continue;
    row.querySelector('button').click();
    const playing = modes.player.playing, said = document.querySelector('#mode').textContent, at = [];
    modes.player.play(false);
    for (const part of [0, 0.125, 0.25, 0.4, 0.5, 0.77]) { modes.player.seek(2*part); at.push([part, place(0) - 1, place(1) - 2]); }
    out.shown.push({ hertz, playing, said, at, chosen: row.classList.contains('chosen') });
  }
  out.unfold = document.documentElement.scrollWidth <= innerWidth;
  return out;""", "--window-size=400,800", "--enable-unsafe-swiftshader")
check("error" not in modes, modes.get("error"))
check(modes.get("begins"), "a mode is played at once")
check(modes.get("unfold"), "modes fit on a telephone")
hertz = [x["hertz"] for x in modes.get("shown", [])]
check(len(hertz) == 2 and all(abs(a - math.sqrt(b)/(2*math.pi)) < 1e-5 for a, b in zip(hertz, (100, 300))), f"frequencies of the modes: {modes}")
for x, way in zip(modes.get("shown", []), (1, -1)):
    check(x["playing"] and x["chosen"] and "Hz" in x["said"], f"a click plays a mode: {x}")
    first = x["at"][0][1]
    for part, left, right in x["at"]:
        good = abs(left - first*math.cos(2*math.pi*part)) < 2e-6 and abs(right - way*left) < 2e-6 and abs(abs(first) - 0.1) < 2e-6
        check(good, f"mode {x['hertz']} Hz at {part} of a swing: {left}, {right}") # poses have six digits

# --- a telephone, and a dark room
narrow = measure(html, """
  const svg = document.querySelector('#power ~ .wide svg.flow'), text = svg.querySelector('text');
  return {wide: innerWidth, all: document.documentElement.scrollWidth, letters: parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width};""", "--window-size=400,800")
check(narrow.get("letters", 0) >= 8, f"words of ribbons have {narrow.get('letters')} px on a telephone")
check(narrow.get("all", 9999) <= narrow.get("wide", 0), f"at {narrow.get('wide')} px the page is {narrow.get('all')} px wide")
dark = measure(html, """
  const c = (e, p) => getComputedStyle(e)[p].match(/[0-9.]+/g).slice(0, 3).reduce((a, b) => a + +b, 0) / 3;
  const graph = document.querySelector('.graph-view').shadowRoot, name = graph.querySelector('.bg .name');
  return {back: c(document.body, 'backgroundColor'), ink: c(document.body, 'color'), paper: c(document.body, 'backgroundColor'), name: c(name, 'fill'),
    ribbon: c(document.querySelector('svg.flow text'), 'fill'), soft: c(document.querySelector('svg.flow tspan'), 'fill')};
  """, "--blink-settings=preferredColorScheme=0")
check(dark.get("back", 255) < 60 and dark.get("ink", 0) > 180 and dark.get("paper", 255) < 60 and dark.get("name", 0) > 180 and dark.get("ribbon", 0) > 180 and dark.get("soft", 0) > 120, f"dark: {dark}")

# --- dots over derivatives, in pixels
alone = os.path.join(work, "dots.html")
style = html[html.index("<style>"):html.index("</style>") + 8]
equations = html[html.index('<h2 id="equations">'):html.index('<h2 id="parameters">')]
where = measure("<!doctype html><meta charset=utf-8>" + style + "<body>" + equations,
                "return [...document.querySelectorAll('mover')].map((e) => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; });",
                "--window-size=1000,700")
open(alone, "w").write("<!doctype html><meta charset=utf-8>" + style + "<body>" + equations)
shot = os.path.join(work, "dots.png")
chromium(alone, "--window-size=1000,700", "--screenshot=" + shot)
rows, per = pixels(shot)
check(len(where) >= 3, f"{len(where)} derivatives")
for x, y, w, h in where or []:
    # the dot has ink of its own above the letter: dark rows, a gap of light ones or the letter's body further down
    dark_rows = [r for r in range(int(y) - 6, int(y + h) + 2)
                 if any(sum(rows[r][per * c:per * c + 3]) < 330 for c in range(int(x + w / 2) - 3, int(x + w / 2) + 4))]
    gaps = [b for a, b in zip(dark_rows, dark_rows[1:]) if b - a > 1]
    first = len([r for r in dark_rows if not gaps or r < gaps[0]])
    check(gaps and 1 <= first <= 6, f"a dot is seen over the letter at {x:.0f}, {y:.0f}: rows {dark_rows[:12]}")

# --- print
pdf = os.path.join(work, "page.pdf")
chromium(page, "--print-to-pdf=" + pdf)
check(os.path.exists(pdf) and open(pdf, "rb").read(5) == b"%PDF-", "the page prints")

# --- plots: jumps are upright, wish and value share a colour, units take prefixes
out = os.path.join(work, "plots")
subprocess.run([bondyn, "run", model, "--out", out], check=True, capture_output=True)
svg = open(os.path.join(out, "wish_and_speed.svg")).read()
curves = re.findall(r'<path stroke="(#\w+)" stroke-width="1.6"( stroke-dasharray="[^"]*")? d="([^"]*)"><title>([^<]*)', svg)
check(len(curves) == 2 and curves[0][0] == curves[1][0] and curves[0][1] and not curves[1][1], "a wish has the colour of its value, dashed")
points = [tuple(map(float, p.split())) for p in re.findall(r"[ML]([\d. -]+)", curves[0][2])] if curves else []
steps = [(a, b) for a, b in zip(points, points[1:]) if abs(b[1] - a[1]) > 20]
check(len(steps) >= 4 and all(abs(b[0] - a[0]) < 0.05 for a, b in steps), f"jumps are drawn upright: {steps}")

shutil.rmtree(work, ignore_errors=True)
for f in failures: print("FAIL", f)
sys.exit(1 if failures else 0)
