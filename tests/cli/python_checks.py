"""The Python package against the language, and against itself."""
import inspect
import warnings

import numpy

import bondyn

OPEN = """model M
  param k = 2, c = 0.1
  input u
  var x initial 0, v initial 1
  output y
  der(x) = v/(1 {s})
  der(v) = (u - x - c*v^3)/(1 {s})
  y = x + u
end
experiment E of M
  stop 2 {s}
  points 20
  solver rk4 step 0.01 {s}
end
experiment F of M
  stop 1 {s}
  solver bdf
end
"""
CLOSED = OPEN.replace("  input u\n", "  var u discrete\n").replace(
    "  y = x + u\n", "  y = x + u\n  when sample(0.1 {s}) then\n    u = -k*x + 0.3*v\n  end\n")
o, closed = bondyn.load(text=OPEN), bondyn.load(text=CLOSED)


def raises(kind, call):
    try:
        call()
    except kind as e:
        return e
    raise AssertionError("nothing was raised")


def check_results():
    r = closed.run()
    assert r.status == "done" and len(r) == 21 and r.names[0] == "time"
    a, b = r["x"], r["x"]
    assert not a.flags.writeable and a.__array_interface__["data"] == b.__array_interface__["data"]
    del r, b
    assert numpy.isfinite(a).all()  # it keeps the memory of its run
    assert o.experiments == ["E", "F"] and o.run("F").summary["solver"] == "bdf"
    assert closed.run(set={"k": 3.0}).final("x") == closed.run(set={"k": "3"}).final("x")
    raises(KeyError, lambda: closed.run()["nothing"])
    assert "u" in o.inputs and o.inputs["u"].settable and o.parameters["k"].value == 2


def check_loop():
    for solver in (None, "euler", "heun"):
        run, whole = o.start(solver=solver), closed.run(solver=solver)
        for i in range(20):
            run["u"] = -2 * run["x"] + 0.3 * run["v"]
            run.advance((i + 1) * 0.1)
        assert run["x"] == whole.final("x") and run["v"] == whole.final("v")
        assert (run.column("time") == whole.time).all()
    o.reset()
    for i in range(20):
        y = o.step(0.1, {"u": 1.0})
    run = o.start()
    run["u"] = 1.0
    assert run.advance(2)["y"] == y["y"]


def check_saving():
    run = o.start("F")
    saved = run.advance(0.33).save()
    end = run.advance(1)["x"]
    other = o.start("F")
    other.restore(saved)
    assert other.time == 0.33 and other.advance(1)["x"] == end
    raises(bondyn.BondynError, lambda: other.restore(b"nothing"))
    run.reset()
    assert run.time == 0


def check_units():
    assert abs(bondyn.convert(180, "deg", "rad") - numpy.pi) < 1e-15
    assert abs(bondyn.convert(1.0, "bar", "") - 1e5) < 1e-9
    raises(ValueError, lambda: bondyn.convert(1, "deg", "kg"))
    raises(ValueError, lambda: bondyn.convert(1, "nonsense", ""))


def check_errors():
    e = raises(bondyn.BondynError, lambda: bondyn.load(text="model M\n  R r(1 {kg})\n  Se u = 1 {V}\n  u -> r\nend\n"))
    assert e.code and e.line > 0 and e.text and e.remedy and bondyn.explain(e.code)
    e = raises(bondyn.BondynError, lambda: o.start().advance(3))
    assert "stop" in e.remedy
    raises(bondyn.BondynError, lambda: o.run(set={"nothing": 1.0}))
    run = o.start()
    for name, value in (("u", float("nan")), ("x", 1.0), ("nothing", 1.0)):
        raises(bondyn.BondynError, lambda: run.__setitem__(name, value))
    assert bondyn.explain("X999") is None


def check_batch():
    env = o.batch(5, dt=0.1, reward=lambda obs, u: -obs[:, 0] ** 2)
    assert str(inspect.signature(type(env).reset)) == "(self, *, seed=None, options=None)"
    assert str(inspect.signature(type(env).step)) == "(self, actions)"
    obs, info = env.reset(seed=3)
    assert obs.shape == (5, 1) and env.num_envs == 5 and env.single_action_space.shape == (1,)
    runs = [o.start() for _ in range(5)]
    u = numpy.linspace(-1, 1, 5)
    for i in range(20):
        obs, reward, terminated, truncated, info = env.step((u * i)[:, None])
        for k, run in enumerate(runs):
            run["u"] = u[k] * i
            assert run.advance((i + 1) * 0.1)["y"] == obs[k, 0]
        assert (reward == -obs[:, 0] ** 2).all() and not terminated.any()
        assert truncated.all() == (i == 19)
    first, _ = env.reset()
    env.step(u[:, None])
    assert (env.reset()[0] == first).all()
    raises(bondyn.BondynError, lambda: env.step(u[:, None] * numpy.nan))
    env.close()


EVENTS = """model Cart
  param stiff = 5
  input u
  var x initial 0.1, v initial 0, n discrete, w initial 0
  output y
  der(x) = v/(1 {s})
  der(v) = (max(min(u, 2), -2) - 0.2*v - (if x > 0.3 then stiff*(x - 0.3) else 0))/(1 {s})
  der(w) = (n - w + sin(time/(1 {s})))/(1 {s})
  when sample(0.07 {s}) then
    n = pre(n) + x
  end
  when x < -0.2 then
    reinit(v, -0.5*v)
  end
  assert x < 0.4 "the cart has left its rail"
  y = w + x
end
experiment E of Cart
  stop 1.5 {s}
  solver rk4 step 0.01 {s}
end
"""


def check_lanes():
    """Runs over lanes, with relations, samples, resets and runs that fail, give the bits of single runs."""
    from bondyn import _batch
    m = bondyn.load(text=EVENTS)
    names = ["x", "v", "w", "n", "y"]
    options = dict(record=names)
    lanes = m.batch(11, dt=0.05, observations=names)
    assert lanes.lanes > 1 and not lanes.why, lanes.why
    single = _batch._Singly(m, 11, None, 0.05, ["u"], options)
    order = [single.names.index(n) for n in names]
    obs, state = numpy.zeros((11, len(single.names))), numpy.zeros(11, dtype=numpy.uint8)
    single.reset(obs)
    assert (obs[:, order] == lanes.reset()[0]).all()
    chance, failures, ends = numpy.random.default_rng(7), 0, 0
    for i in range(150):
        u = chance.uniform(-3, 3, (11, 1)).round(chance.integers(0, 3))
        found, _, failed, ended, _ = lanes.step(u)
        single.step(u, obs, state)
        assert (found == obs[:, order])[~failed].all(), (i, found - obs[:, order])
        assert (failed == (state == 2)).all() and (ended == (state == 1)).all(), i
        failures, ends = failures + failed.sum(), ends + ended.sum()
    assert failures > 5 and ends > 5, (failures, ends)
    lanes.close()
    single.close()
    assert "multiple" in m.batch(3, dt=0.003).why
    bdf = m.batch(3, dt=0.05, solver="bdf")
    assert bdf.lanes == 1 and "euler" in bdf.why and bdf.step(numpy.zeros((3, 1)))[0].shape == (3, 1)


def check_pictures():
    m = bondyn.load(text="model S\n  I m(1 {kg}, p0 = 1 {N.s})\n  C s(0.01 {m/N})\n  1 v\n  v -> m, s\nend\n")
    assert "<svg" in m._repr_svg_() and "\\" in m._repr_latex_() and "s.q" in m.equations()
    assert "<html" in m.page() and "digraph" in m.graph("dot") and m.causality()


warnings.simplefilter("error")
for check in (check_results, check_loop, check_saving, check_units, check_errors, check_batch, check_lanes, check_pictures):
    check()
