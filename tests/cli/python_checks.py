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
    env.close()


# What gymnasium.vector.VectorEnv (1.x) has, by name and signature. A vector environment that lacks one is none.
VECTOR_ENV = {
    "reset": "(self, *, seed=None, options=None)", "step": "(self, actions)", "render": "(self)",
    "close": "(self, **kwargs)", "close_extras": "(self, **kwargs)"}


def plain(call):
    """The signature without what stands for types."""
    s = inspect.signature(call)
    empty = inspect.Signature.empty
    return str(s.replace(parameters=[p.replace(annotation=empty) for p in s.parameters.values()],
                         return_annotation=empty))


def check_environment():
    env = o.batch(6, reward=lambda obs, u: numpy.ones(len(obs)))
    assert env.dt == 0.01  # the step of the experiment
    for name, signature in VECTOR_ENV.items():
        assert plain(getattr(type(env), name)) == signature, name
    assert env.spec is None and env.render_mode is None and not env.closed and env.unwrapped is env
    mode = env.metadata["autoreset_mode"]
    assert getattr(mode, "value", mode) == "NextStep" and "num_envs=6" in repr(env)
    for space, shape in ((env.observation_space, (6, 1)), (env.action_space, (6, 1)),
                         (env.single_observation_space, (1,)), (env.single_action_space, (1,))):
        assert space.shape == shape and space.dtype == float and (space.low == -numpy.inf).all()
        assert (space.high == numpy.inf).all() and space.sample().shape == shape and space.sample() in space
        assert numpy.zeros((9, 9)) not in space
    env.action_space.seed(4)
    actions = env.action_space.sample()
    env.action_space.seed(4)
    assert (actions == env.action_space.sample()).all() and actions.dtype == float
    obs, info = env.reset(seed=11)
    chance = env.np_random.random()
    env.reset(seed=11)
    assert env.np_random.random() == chance and env.np_random_seed == 11 and info == {}
    out = env.step(actions)
    assert len(out) == 5 and out[0] in env.observation_space and out[4] == {}
    assert [x.dtype for x in out[1:4]] == [float, bool, bool] and all(x.shape == (6,) for x in out[1:4])
    env.close()
    assert env.closed


def check_restarts():
    """Runs that end begin again with the next step, which has no reward; some are reset by a mask."""
    for options in ({}, {"solver": "bdf"}):
        env = o.batch(7, dt=0.5, reward=lambda obs, u: numpy.ones(len(obs)), **options)
        first = env.reset()[0]
        u = numpy.zeros((7, 1))
        found = [env.step(u) for _ in range(5)]
        assert [x[3].all() for x in found] == [False, False, False, True, False]
        assert [x[1][0] for x in found] == [1, 1, 1, 1, 0] and (found[4][0] == first).all()
        for _ in range(2):
            obs = env.step(u)[0]
        which = numpy.array([1, 0, 0, 1, 0, 0, 1], dtype=bool)
        begun = env.reset(options={"reset_mask": which})[0]
        assert (begun[which] == first[which]).all() and (begun[~which] == obs[~which]).all()
        found = [env.step(u) for _ in range(4)]
        assert (found[1][3] == ~which).all() and (found[2][1] == which).all() and (found[3][3] == which).all()
        env.reset()
        assert (env.step(u)[0] == env.step(u)[0]).sum() == 0 and not env.step(u)[3].any()
        raises(bondyn.BondynError, lambda: env.reset(options={"reset_mask": [True]}))
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
for check in (check_results, check_loop, check_saving, check_units, check_errors, check_batch, check_environment, check_restarts, check_lanes,
              check_pictures):
    check()
