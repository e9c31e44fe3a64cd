"""Many runs side by side, as a vector environment of Gymnasium: one of its own where that package is installed."""
import ctypes
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy

from ._errors import BondynError, Report
from ._library import INPUT, lib
from ._run import run_options

GOES_ON, ENDED, FAILED = 0, 1, 2


def _of_gymnasium():
    """Its base class, its space and its word for runs that begin again with the next step; None without it."""
    try:
        from gymnasium.spaces import Box
        from gymnasium.vector import AutoresetMode, VectorEnv
    except ImportError:
        return None
    return VectorEnv, Box, AutoresetMode.NEXT_STEP


class _Space:
    """What learners ask of a space of any numbers."""

    def __init__(self, low, high, shape, dtype=numpy.float64):
        self.shape, self.dtype = shape, numpy.dtype(dtype)
        self.low, self.high = (numpy.full(shape, x, dtype) for x in (low, high))
        self._np_random = None

    def __contains__(self, x):
        return self.contains(x)

    def __eq__(self, other):
        return isinstance(other, _Space) and self.shape == other.shape and self.dtype == other.dtype

    def __repr__(self):
        return "Box(-inf, inf, %r, %s)" % (self.shape, self.dtype)

    def contains(self, x):
        return numpy.shape(x) == self.shape and not numpy.isnan(x).any()

    def seed(self, seed=None):
        self._np_random = numpy.random.default_rng(seed)
        return seed

    @property
    def np_random(self):
        if self._np_random is None:
            self.seed()
        return self._np_random

    def sample(self):
        return self.np_random.normal(size=self.shape).astype(self.dtype)


class _Environment:
    """What environments have beside reset and step."""

    metadata, spec, render_mode, closed = {}, None, None, False
    _np_random = _np_random_seed = None

    @property
    def unwrapped(self):
        return self

    @property
    def np_random(self):
        if self._np_random is None:
            self._seed(None)
        return self._np_random

    @property
    def np_random_seed(self):
        if self._np_random_seed is None:
            self._seed(None)
        return self._np_random_seed

    def _seed(self, seed):
        self._np_random_seed = numpy.random.SeedSequence(seed).entropy
        self._np_random = numpy.random.default_rng(self._np_random_seed)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self._seed(seed)

    def render(self):
        return None

    def close(self, **kwargs):
        if not self.closed:
            self.close_extras(**kwargs)
        self.closed = True

    def __repr__(self):
        return "%s(num_envs=%d)" % (type(self).__name__, self.num_envs)


_base, _box, _next_step = _of_gymnasium() or (_Environment, _Space, "NextStep")


class _Parts:
    """Work on ranges of numbers, over the cores where it is worth their waking up."""

    LEAST = 1e-3  # seconds

    def __init__(self, count):
        cores = min(os.cpu_count() or 1, count)
        self._all = [(0, count)]
        self._parts = [(i * count // cores, (i + 1) * count // cores) for i in range(cores)]
        self._pool, self._seconds = None, 0

    def each(self, work):
        parts = self._parts if self._seconds > self.LEAST else self._all
        begin = time.perf_counter()
        if len(parts) > 1:
            self._pool = self._pool or ThreadPoolExecutor(len(parts))
            list(self._pool.map(lambda p: work(*p), parts))
        else:
            work(*parts[0])
            self._seconds = time.perf_counter() - begin

    def close(self):
        if self._pool:
            self._pool.shutdown()


class _Lanes:
    """Runs over SIMD lanes. Raises BondynError where they cannot go so."""

    _handle = _parts = None

    def __init__(self, model, count, experiment, dt, actions, options):
        options = dict(options)
        model, numbers = model._prepare(experiment, options.pop("set", None))
        o, keep = run_options(numbers, **options)
        inputs = numpy.array([lib.bd_find(model._handle, INPUT, n.encode()) for n in actions], dtype=numpy.int32)
        with Report() as r:
            self._handle = lib.bd_crowd_new(model._handle, count, dt, inputs.ctypes.data, len(inputs),
                                            ctypes.byref(o), r.handle)
            if not self._handle:
                r.fail()
        self._users = model._users.join()
        self.lanes = lib.bd_crowd_lanes(self._handle)
        self.names = [lib.bd_crowd_name(self._handle, i).decode()
                      for i in range(lib.bd_crowd_columns(self._handle))]
        self._parts = _Parts(lib.bd_crowd_groups(self._handle))

    def reset(self, obs, which=None):
        chosen = which.ctypes.data if which is not None else None
        self._parts.each(lambda a, b: lib.bd_crowd_restart(self._handle, a, b, chosen, obs.ctypes.data))

    def step(self, actions, obs, state):
        u, y, s = actions.ctypes.data, obs.ctypes.data, state.ctypes.data
        self._parts.each(lambda a, b: lib.bd_crowd_step(self._handle, a, b, u, y, s))

    def close(self):
        if self._parts:
            self._parts.close()
        if self._handle and lib is not None:
            lib.bd_crowd_free(self._handle)
            self._users.leave()
        self._handle = None

    __del__ = close


class _Singly:
    """Each run by itself, with any solver, and with laws that switch."""

    lanes = 1

    def __init__(self, model, count, experiment, dt, actions, options):
        self._runs = [model.start(experiment, **options) for _ in range(count)]
        first = self._runs[0]
        self.names = first.names[1:]
        self._input = [first._input[n] for n in actions]
        self._dt, self._begin = dt, first.time
        self._handles = [r._handle for r in self._runs]
        self._saved = first.save()
        self._step = numpy.zeros(count, dtype=int)
        self._over = numpy.zeros(count, dtype=bool)
        self._parts = _Parts(count)

    def _look(self, i, obs):
        lib.bd_outputs(self._handles[i], obs.ctypes.data + i * obs.strides[0])

    def _restart(self, i, obs):
        self._runs[i].restore(self._saved)
        self._step[i], self._over[i] = 0, False
        self._look(i, obs)

    def reset(self, obs, which=None):
        for i in range(len(self._runs)):
            if which is None or which[i]:
                self._restart(i, obs)

    def _advance(self, first, last, actions, obs, state):
        for i in range(first, last):
            state[i] = GOES_ON
            if self._over[i]:
                self._restart(i, obs)
                continue
            handle = self._handles[i]
            for k, number in enumerate(self._input):
                lib.bd_set_input(handle, number, actions[i, k])
            self._step[i] += 1
            good = lib.bd_advance(handle, self._begin + self._step[i] * self._dt, None)
            if not good or lib.bd_status(handle) != 3:
                state[i] = ENDED if good else FAILED
                self._over[i] = True
            self._look(i, obs)

    def step(self, actions, obs, state):
        self._parts.each(lambda a, b: self._advance(a, b, actions, obs, state))

    def close(self):
        self._parts.close()
        self._runs, self._handles = [], []


class Batch(_base):
    """Actions are the open inputs (SI), observations the outputs (or `observations`), in units of their declaration.

    reward(obs, actions) gives a number per run; None: zero. A run is truncated at its stop, and terminated where it
    fails; it begins again with the next step. Runs go over SIMD lanes where they can: a fixed-step solver whose grid
    dt is on, laws that do not switch; `lanes` says how many at a time, `why` why it is one.
    """

    metadata = {"autoreset_mode": _next_step, "render_modes": []}

    def __init__(self, model, count, experiment, dt, actions, observations, reward, options):
        outputs = list(observations or model.outputs)
        if not outputs:
            raise BondynError([], "the model has no outputs: name variables as `observations`")
        options = dict(options, record=outputs)
        dt = model._own_step(experiment) if dt is None else dt
        self.num_envs, self.dt, self._reward, self.why = count, dt, reward, ""
        self.actions = list(actions if actions is not None else
                            (n for n, v in model.inputs.items() if v.settable))
        try:
            self._runs = _Lanes(model, count, experiment, dt, self.actions, options)
        except BondynError as e:
            self.why = e.text
            self._runs = _Singly(model, count, experiment, dt, self.actions, options)
        names = self._runs.names
        self.lanes = self._runs.lanes
        self.observations = outputs if all(n in names for n in outputs) else names  # or patterns
        self._order = [names.index(n) for n in self.observations]
        self.single_observation_space, self.observation_space, self.single_action_space, self.action_space = \
            (_box(-numpy.inf, numpy.inf, (*many, len(list_)), dtype=numpy.float64)
             for list_ in (self.observations, self.actions) for many in ((), (count,)))
        self._obs = numpy.zeros((count, len(names)))
        self._state = numpy.zeros(count, dtype=numpy.uint8)
        self._runs.reset(self._obs)

    def _which(self, options):
        """The runs that are reset; None: all."""
        which = (options or {}).get("reset_mask")
        if which is None:
            return None
        which = numpy.ascontiguousarray(which)
        if which.dtype != bool or which.shape != (self.num_envs,):
            raise BondynError([], "options['reset_mask'] is a truth value for each of the %d runs" % self.num_envs)
        return which

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        which = self._which(options)
        self._runs.reset(self._obs, which)
        self._state[slice(None) if which is None else which] = GOES_ON
        return self._obs[:, self._order], {}

    def step(self, actions):
        actions = numpy.ascontiguousarray(actions, dtype=float).reshape(self.num_envs, len(self.actions))
        if not numpy.isfinite(actions).all():
            raise BondynError([], "an action is not a finite number")
        begin = self._state != GOES_ON  # again, which has no reward
        self._runs.step(actions, self._obs, self._state)
        obs = self._obs[:, self._order]  # a copy
        reward = numpy.zeros(self.num_envs) if self._reward is None else \
            numpy.where(begin, 0.0, numpy.asarray(self._reward(obs, actions), dtype=float))
        return obs, reward, self._state == FAILED, self._state == ENDED, {}

    def close_extras(self, **kwargs):
        self._runs.close()
