"""A step of 1024 runs side by side from Python, against a loop over single calls."""
import time

import numpy

import bondyn

MODEL = """model Pendulum
  param c = 0.1
  input u
  var x initial 0, v initial 1
  output y
  der(x) = v/(1 {s})
  der(v) = (u - sin(x) - c*v)/(1 {s})
  y = x
end
experiment E of Pendulum
  stop 100 {s}
  solver rk4 step 0.01 {s}
end
"""
RUNS, SINGLE, ROUNDS = 1024, 64, 100


def least(work):
    best = 1e9
    for i in range(ROUNDS):
        begin = time.perf_counter()
        work(i)
        best = min(best, time.perf_counter() - begin)
    return best


m = bondyn.load(text=MODEL)
env = m.batch(RUNS, dt=0.01, observations=["x", "v"])
force = numpy.random.default_rng(1).random((ROUNDS, RUNS, 1))
batch = least(lambda i: env.step(force[i])) / RUNS
runs = [m.start(record=["x", "v"]) for _ in range(SINGLE)]


def loop(i):
    for k, run in enumerate(runs):
        run["u"] = force[i, k, 0]
        run.advance((i + 1) * 0.01)
        run["x"], run["v"]


single = least(loop) / SINGLE
print("Python, a step of one of %d runs of a pendulum: %.3f us over %d lanes, %.2f us by single calls, %.0f times"
      % (RUNS, 1e6 * batch, env.lanes, 1e6 * single, single / batch))
