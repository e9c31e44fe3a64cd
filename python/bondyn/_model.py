"""Models: never changed, any number of runs."""
import ctypes
import json
import re

from . import _library as b
from ._errors import BondynError, Report
from ._library import lib
from ._run import Result, Run, run_options

_KINDS = {"parameters": b.PARAMETER, "inputs": b.INPUT, "outputs": b.OUTPUT, "states": b.STATE,
          "variables": b.VARIABLE}


class Variable:
    """name, unit (for people), text, value (SI, of a parameter), settable (between runs, or of an input)."""

    def __init__(self, v):
        self.name, self.unit, self.text = (x.decode() for x in (v.name, v.unit, v.text))
        self.value, self.settable = v.value, v.settable

    def __repr__(self):
        value = " = %r" % self.value if self.value == self.value else ""
        return self.name + value + (" {%s}" % self.unit if self.unit else "")


def _strings(texts):
    return (ctypes.c_char_p * len(texts))(*[t.encode() for t in texts])


def _open(path, text, model, experiment, settings, library):
    texts = _strings(settings)
    o = b.LoadOptions(model.encode() if model else None, experiment.encode() if experiment else None,
                      texts, len(settings), library.encode() if library else b.component_library())
    with Report() as r:
        if text is None:
            handle = lib.bd_load(path.encode(), ctypes.byref(o), r.handle)
        else:
            data = text.encode()
            handle = lib.bd_load_text(path.encode(), data, len(data), ctypes.byref(o), r.handle)
        if not handle:
            r.fail()
        r.warn()
    return handle


_QUANTITY = re.compile(r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*\{?([^{}]*)\}?\s*$")


def _setting(name, value):
    """"187 bar" as the language has it: 187 {bar}. Other texts are expressions of the language."""
    match = _QUANTITY.match(value)
    if match and match.group(2).strip():
        value = "%s {%s}" % (match.group(1), match.group(2).strip())
    return "%s = %s" % (name, value)


def load(path=None, *, text=None, model=None, experiment=None, set=None, library=None):
    """A model from a file, or from `text`. Raises BondynError."""
    settings = [_setting(k, str(v)) for k, v in (set or {}).items()]
    return Model(str(path or "text.bond"), text, model, experiment, settings, library)


class _Users:
    """Of a model in memory: itself and its runs. The last one frees it, as a collector of garbage ends objects
    that know each other in any order."""

    def __init__(self, handle):
        self.handle, self.count = handle, 1

    def join(self):
        self.count += 1
        return self

    def leave(self):
        self.count -= 1
        if self.count == 0:
            lib.bd_model_free(self.handle)


class Model:
    def __init__(self, path, text, model, experiment, settings, library):
        self._source = (path, text, model, library)
        self._settings = settings
        self._others = {}
        self._run = None
        self._handle = _open(path, text, model, experiment, settings, library)
        self._users = _Users(self._handle)
        self.name = lib.bd_model_name(self._handle).decode()
        self.experiment = lib.bd_model_experiment(self._handle).decode()
        self.experiments = [lib.bd_experiment_name(self._handle, i).decode()
                            for i in range(lib.bd_experiment_count(self._handle))]

    def __del__(self):
        if "_users" in self.__dict__ and lib is not None:
            self._users.leave()

    def __repr__(self):
        return "<bondyn model %s, %d states>" % (self.name, lib.bd_count(self._handle, b.STATE))

    def __getattr__(self, name):
        if name not in _KINDS:
            raise AttributeError(name)
        kind, v, found = _KINDS[name], b.Variable(), {}
        for i in range(lib.bd_count(self._handle, kind)):
            lib.bd_variable(self._handle, kind, i, ctypes.byref(v))
            found[v.name.decode()] = Variable(v)
        return found

    # --- texts

    def _text(self, form):
        memory = lib.bd_text(self._handle, form)
        try:
            return ctypes.string_at(memory).decode()
        finally:
            lib.bd_free(memory)

    def equations(self, form="text"):
        """"text", "latex" or "json"."""
        return self._text({"text": b.TEXT, "latex": b.LATEX, "json": b.JSON}[form])

    def causality(self):
        """Who sets what on every bond, and why."""
        return self._text(b.CAUSALITY)

    def graph(self, form="svg"):
        return self._text({"svg": b.SVG, "dot": b.DOT}[form])

    def _repr_svg_(self):
        return self._text(b.SVG)

    def _repr_latex_(self):
        return self._text(b.LATEX)

    # --- runs

    def _for(self, experiment, texts):
        """The model of an experiment with settings that are texts: those may decide the structure."""
        experiment = experiment or self.experiment or None
        if not texts and experiment == (self.experiment or None):
            return self
        key = (experiment, tuple(texts))
        if key not in self._others:
            path, text, model, library = self._source
            # an experiment names its model
            other = Model(path, text, None if experiment else model, experiment, self._settings + texts,
                          library)
            self._others[key] = other
        return self._others[key]

    def _prepare(self, experiment, set):
        texts = [_setting(k, v) for k, v in (set or {}).items() if isinstance(v, str)]
        numbers = {k: float(v) for k, v in (set or {}).items() if not isinstance(v, str)}
        return self._for(experiment, texts), numbers

    def _begin(self, call, experiment, set, options):
        """What `call` of the library makes of the experiment, and the messages about it."""
        model, numbers = self._prepare(experiment, set)
        o, keep = run_options(numbers, *options)
        with Report() as r:
            handle = call(model._handle, ctypes.byref(o), r.handle)
            if not handle:
                r.fail()
            r.warn()
            return model, handle, r.problems()

    def run(self, experiment=None, *, set=None, stop=0, rtol=0, atol=0, solver=None, engine=None,
            record=None):
        """The experiment from its start to its stop. Values of `set`: SI numbers, or "187 bar"."""
        options = stop, rtol, atol, solver, engine, record
        return Result(*self._begin(lib.bd_run, experiment, set, options))

    def start(self, experiment=None, *, set=None, stop=0, rtol=0, atol=0, solver=None, engine=None,
              record=None):
        """The experiment at its start: a Run, which is advanced in pieces."""
        options = stop, rtol, atol, solver, engine, record
        model, handle, _ = self._begin(lib.bd_start, experiment, set, options)
        return Run(model, handle)

    def reset(self, experiment=None, **options):
        """Begins the run of `step`; gives its outputs."""
        self._run = self.start(experiment, **options)
        return self._run.outputs()

    def step(self, dt, inputs=None):
        """A piece of length dt (s) with these inputs (SI); gives the outputs after it (SI), by name."""
        if self._run is None:
            self.reset()
        run = self._run
        for name, value in (inputs or {}).items():
            run[name] = value
        run._steps = getattr(run, "_steps", 0) + 1
        if getattr(run, "_dt", dt) != dt or not hasattr(run, "_begin"):
            run._begin, run._steps = run.time, 1
        run._dt = dt
        run.advance(run._begin + run._steps * dt)  # counted, so that rounding does not add up
        return run.outputs()

    def _own_step(self, experiment):
        """Of fixed-step methods, in seconds."""
        return json.loads(self._for(experiment, [])._text(b.ABOUT))["step"]

    def batch(self, count, experiment=None, *, dt=None, actions=None, observations=None, reward=None,
              **options):
        """`count` runs side by side, as a vector environment of Gymnasium. dt: seconds of a step; None: the solver's."""
        from ._batch import Batch
        return Batch(self, count, experiment, dt, actions, observations, reward, options)

    def page(self, experiment=None, set=None):
        """A page for the browser, as text of HTML."""
        model, numbers = self._prepare(experiment, set)
        o, keep = run_options(numbers)
        with Report() as r:
            memory = lib.bd_page(model._handle, ctypes.byref(o), r.handle)
            if not memory:
                r.fail()
        try:
            return ctypes.string_at(memory).decode()
        finally:
            lib.bd_free(memory)


_UNITS = {}


def _unit(unit):
    """SI = value*scale + offset; found by the language itself."""
    if unit not in _UNITS:
        text = "model U\n  param one = 1 {%s}, zero = 0 {%s}\nend\n" % (unit, unit)
        try:
            p = load(text=text).parameters if unit else None
        except BondynError as e:
            raise ValueError("there is no unit '%s'" % unit) from e
        _UNITS[unit] = (p["one"].value - p["zero"].value, p["zero"].value) if p else (1.0, 0.0)
    return _UNITS[unit]


def convert(value, unit, to):
    """From one unit to another of the same dimension: convert(180, "deg", "rad"). "" is SI."""
    if unit == to:
        return value
    if unit and to:
        try:
            load(text="model U\n  param a {%s} = 1 {%s}\nend\n" % (to, unit))
        except BondynError as e:
            raise ValueError("'%s' cannot be shown in '%s'" % (unit, to)) from e
    a, c = _unit(unit)
    d, e = _unit(to)
    return (value * a + c - e) / d
