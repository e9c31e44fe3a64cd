"""Bondyn in Python: bond graphs and rigid bodies, one text file in, simulation out.

    import bondyn
    m = bondyn.load("titan4.bond")
    r = m.run("ClosedLoop", set={"P_s": "187 bar"})
    r["q[1]"]

docs/python.md tells more. Numbers that go in are SI; texts have a unit ("187 bar").
"""
from ._errors import BondynError, BondynWarning, Problem, explain
from ._library import lib as _lib
from ._model import Model, convert, load
from ._run import Result, Run
from ._verb import verb

__version__ = _lib.bd_version().decode()
__all__ = ["BondynError", "BondynWarning", "Model", "Problem", "Result", "Run", "convert", "explain",
           "load", "verb"]
