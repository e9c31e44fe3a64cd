"""Many runs side by side, as a vector environment: reset and step have Gymnasium's signatures."""
import os
from concurrent.futures import ThreadPoolExecutor

import numpy

from ._errors import BondynError
from ._library import lib


class Box:
    """The few things of a space that learners ask for."""

    def __init__(self, shape):
        self.shape, self.dtype = shape, numpy.dtype(numpy.float64)
        self.low, self.high = numpy.full(shape, -numpy.inf), numpy.full(shape, numpy.inf)


class Batch:
    """Actions are the open inputs, observations the outputs (or `observations`), in units of their declaration.

    reward(obs, actions) gives a number per run; None: zero. A run is truncated at its stop, and terminated where it
    fails; it begins again with the next step.
    """

    metadata = {"autoreset_mode": "next_step"}
    render_mode = None

    def __init__(self, model, count, experiment, dt, actions, observations, reward, options):
        outputs = list(observations or model.outputs)
        if not outputs:
            raise BondynError([], "the model has no outputs: name variables as `observations`")
        options = dict(options, record=outputs)
        self.num_envs, self.dt, self._reward = count, dt, reward
        self._runs = [model.start(experiment, **options) for _ in range(count)]
        first = self._runs[0]
        self.actions = list(actions if actions is not None else
                            (n for n, v in model.inputs.items() if v.settable))
        named = all(n in first._index for n in outputs)  # or patterns
        self.observations = outputs if named else first.names[1:]
        self._order = [first._index[n] - 1 for n in self.observations]
        self._input = [first._input[n] for n in self.actions]
        self.single_observation_space = Box((len(self.observations),))
        self.single_action_space = Box((len(self.actions),))
        self.observation_space = Box((count, len(self.observations)))
        self.action_space = Box((count, len(self.actions)))
        self._obs = numpy.zeros((count, len(first.names) - 1))
        self._handles = [r._handle for r in self._runs]
        self._saved = [r.save() for r in self._runs[:1]][0]
        self._over = numpy.zeros(count, dtype=bool)
        self._step = numpy.zeros(count, dtype=int)
        self._begin = first.time
        cores = min(os.cpu_count() or 1, count)
        self._parts = [range(i * count // cores, (i + 1) * count // cores) for i in range(cores)]
        self._pool = ThreadPoolExecutor(cores) if cores > 1 else None

    def _look(self, i):
        lib.bd_outputs(self._handles[i], self._obs.ctypes.data + i * self._obs.strides[0])

    def _restart(self, i):
        self._runs[i].restore(self._saved)
        self._over[i] = False
        self._step[i] = 0
        self._look(i)

    def reset(self, *, seed=None, options=None):
        for i in range(self.num_envs):
            self._restart(i)
        return self._obs[:, self._order], {}

    def _advance(self, part, actions, ended, failed):
        for i in part:
            if self._over[i]:
                self._restart(i)
                continue
            handle = self._handles[i]
            for k, number in enumerate(self._input):
                lib.bd_set_input(handle, number, actions[i, k])
            self._step[i] += 1
            good = lib.bd_advance(handle, self._begin + self._step[i] * self.dt, None)
            ended[i] = lib.bd_status(handle) != 3
            failed[i] = not good
            self._look(i)

    def step(self, actions):
        actions = numpy.asarray(actions, dtype=float).reshape(self.num_envs, len(self.actions))
        if not numpy.isfinite(actions).all():
            raise BondynError([], "an action is not a finite number")
        ended, failed = numpy.zeros((2, self.num_envs), dtype=bool)
        if self._pool:
            list(self._pool.map(lambda p: self._advance(p, actions, ended, failed), self._parts))
        else:
            self._advance(self._parts[0], actions, ended, failed)
        self._over |= ended | failed
        obs = self._obs[:, self._order]  # a copy
        reward = numpy.zeros(self.num_envs) if self._reward is None else \
            numpy.asarray(self._reward(obs, actions), dtype=float)
        return obs, reward, failed, ended & ~failed, {}

    def close(self, **_):
        if self._pool:
            self._pool.shutdown()
        self._runs, self._handles = [], []
