"""Runs: whole ones with their results, and those that are advanced in pieces."""
import ctypes

import numpy

from . import _library as b
from ._errors import BondynError, Report
from ._library import lib

_STATUS = ("done", "ended early", "cancelled", "going")


def run_options(numbers, stop=0, rtol=0, atol=0, solver=None, engine=None, record=None):
    """The options, and what has to live as long as they do."""
    record = [record] if isinstance(record, str) else list(record or [])
    texts = (ctypes.c_char_p * len(record))(*[t.encode() for t in record])
    setting = (b.Setting * len(numbers))(*[(k.encode(), v) for k, v in numbers.items()])
    o = b.RunOptions(solver.encode() if solver else None, engine.encode() if engine else None, stop, rtol,
                     atol, texts, len(record), setting, len(numbers))
    return o, (texts, setting)


class _Owner:
    """The memory of a run, which arrays that show it keep alive."""

    def __init__(self, model, handle):
        self.users, self.handle = model._users.join(), handle

    def __del__(self):
        if lib is not None:
            lib.bd_run_free(self.handle)
            self.users.leave()


class _Column:
    """A column of results as NumPy reads it, without a copy."""

    def __init__(self, owner, address, rows):
        self._owner = owner
        self.__array_interface__ = {"shape": (rows,), "typestr": "<f8", "data": (address, True),
                                    "version": 3}


class _Handle:
    def __init__(self, model, handle):
        self.model = model
        self._owner = _Owner(model, handle)
        self._handle = handle
        rows = lib.bd_rows(handle).contents
        self.names = [rows.name[i].decode() for i in range(rows.columns)]
        self._unit = [rows.unit[i].decode() for i in range(rows.columns)]
        self._index = {name: i for i, name in enumerate(self.names)}

    @property
    def status(self):
        return _STATUS[lib.bd_status(self._handle)]

    @property
    def summary(self):
        """Solver, steps, events, energy audit, expectations, by name."""
        s = lib.bd_summary(self._handle)
        return {name: getattr(s, name).decode() if name == "solver" else getattr(s, name)
                for name, _ in b.Summary._fields_}

    def unit(self, name):
        return self._unit[self._at(name)]

    def _at(self, name):
        if name not in self._index:
            raise KeyError("'%s' is not recorded" % name)
        return self._index[name]

    def _array(self, name):
        rows = lib.bd_rows(self._handle).contents
        at = self._at(name)
        if rows.rows == 0:
            return numpy.empty(0)
        address = ctypes.cast(rows.value[at], ctypes.c_void_p).value
        return numpy.asarray(_Column(self._owner, address, rows.rows))


class Result(_Handle):
    """What a run recorded: r["q[1]"] is an array in the unit of its declaration, r.unit("q[1]")."""

    def __init__(self, model, handle, problems):
        super().__init__(model, handle)
        self.problems = problems

    def __getitem__(self, name):
        return self._array(name)

    def __contains__(self, name):
        return name in self._index

    def __len__(self):
        return lib.bd_rows(self._handle).contents.rows

    @property
    def time(self):
        return self._array("time")

    def get(self, name, unit):
        """In another unit ("deg"); "" is SI."""
        from ._model import convert
        return convert(self._array(name), self.unit(name), unit)

    def final(self, name):
        return float(self._array(name)[-1])

    def to_pandas(self):
        import pandas
        return pandas.DataFrame({n: self[n] for n in self.names[1:]}, index=pandas.Index(self.time, name="time"))

    def plot(self, *names, ax=None):
        import matplotlib.pyplot as pyplot
        ax = ax or pyplot.gca()
        for name in names:
            ax.plot(self.time, self[name], label="%s [%s]" % (name, self.unit(name)))
        ax.set_xlabel("time [s]")
        ax.legend()
        return ax


class Run(_Handle):
    """A run that is advanced in pieces: run["u"] = 1; run.advance(0.1); run["y"]. All values are SI."""

    def __init__(self, model, handle):
        super().__init__(model, handle)
        self._input = {name: i for i, name in enumerate(model.inputs)}
        self._names = {name: name.encode() for name in self.names}
        self._outputs = [n for n in model.outputs if n in self._index]

    @property
    def time(self):
        return lib.bd_time(self._handle)

    def advance(self, time):
        """On to this time. Raises BondynError."""
        with Report() as r:
            if not lib.bd_advance(self._handle, time, r.handle):
                r.fail()
            r.warn()
        return self

    def __getitem__(self, name):
        self._at(name)
        return lib.bd_value(self._handle, self._names[name])

    def __setitem__(self, name, value):
        """An open input, or a parameter."""
        if name in self._input:
            good = lib.bd_set_input(self._handle, self._input[name], value)
        else:
            good = lib.bd_set(self._handle, name.encode(), value)
        if not good:
            raise BondynError([], "'%s' cannot be set to %r here: inputs that are open and parameters that are "
                              "settable take finite numbers while the run goes on" % (name, value))

    def outputs(self):
        return {name: self[name] for name in self._outputs}

    def states(self):
        x = numpy.empty(lib.bd_count(self.model._handle, b.STATE))
        lib.bd_get_states(self._handle, x.ctypes.data)
        return x

    def column(self, name):
        """What was recorded so far."""
        return self._array(name).copy()

    def reset(self):
        if not lib.bd_reset(self._handle, 0):
            raise BondynError([], "the run cannot start again with its present parameters")

    def save(self):
        data = ctypes.create_string_buffer(lib.bd_saved_size(self._handle))
        if not len(data):
            raise BondynError([], "a run that is over cannot be saved")
        lib.bd_save(self._handle, data)
        return data.raw

    def restore(self, saved):
        if not lib.bd_restore(self._handle, saved, len(saved)):
            raise BondynError([], "this was not saved from such a run")
