"""The calls of bondyn.h, for ctypes; nothing else."""
import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_size_t,
                    c_void_p)

ABI = 1
PARAMETER, INPUT, OUTPUT, STATE, VARIABLE = range(5)
TEXT, LATEX, JSON, SVG, DOT, CAUSALITY, HTML, ABOUT = range(8)
DONE, ENDED_EARLY, CANCELLED, GOING = range(4)
NOTE, WARNING, ERROR = range(3)


class Message(Structure):
    _fields_ = [("severity", c_int), ("code", c_char_p), ("file", c_char_p), ("line", c_int),
                ("column", c_int), ("text", c_char_p), ("remedy", c_char_p)]


class LoadOptions(Structure):
    _fields_ = [("model", c_char_p), ("experiment", c_char_p), ("set", POINTER(c_char_p)),
                ("set_count", c_int), ("library", c_char_p), ("read", c_void_p),
                ("read_context", c_void_p), ("added", c_char_p)]


class Variable(Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("text", c_char_p), ("value", c_double),
                ("settable", c_bool)]


class Setting(Structure):
    _fields_ = [("name", c_char_p), ("value", c_double)]


class Rows(Structure):
    _fields_ = [("columns", c_int), ("name", POINTER(c_char_p)), ("unit", POINTER(c_char_p)),
                ("rows", c_int), ("value", POINTER(POINTER(c_double)))]


class RunOptions(Structure):
    _fields_ = [("solver", c_char_p), ("engine", c_char_p), ("stop", c_double), ("rtol", c_double),
                ("atol", c_double), ("record", POINTER(c_char_p)), ("record_count", c_int),
                ("set", POINTER(Setting)), ("set_count", c_int), ("rows", c_void_p),
                ("progress", c_void_p), ("message", c_void_p), ("context", c_void_p)]


class Summary(Structure):
    _fields_ = [("solver", c_char_p), ("steps", ctypes.c_long), ("evaluations", ctypes.c_long),
                ("events", ctypes.c_long), ("reached", c_double), ("supplied", c_double),
                ("dissipated", c_double), ("stored", c_double), ("residual", c_double),
                ("balanced", c_bool), ("expectations", c_int), ("failed", c_int)]


class Option(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class VerbOptions(Structure):
    _fields_ = [("argument", POINTER(c_char_p)), ("argument_count", c_int),
                ("option", POINTER(Option)), ("option_count", c_int), ("json", c_bool),
                ("terminal", c_bool), ("cancel", c_void_p), ("read", c_void_p),
                ("read_context", c_void_p), ("text", c_void_p), ("aside", c_void_p),
                ("progress", c_void_p), ("agrees", c_void_p), ("file", c_void_p),
                ("context", c_void_p)]


BATCH_DONE = CFUNCTYPE(c_bool, c_void_p, c_int, c_void_p, c_void_p)

CALLS = {
    "bd_version": (c_char_p, []),
    "bd_abi": (c_int, []),
    "bd_report_new": (c_void_p, []),
    "bd_report_free": (None, [c_void_p]),
    "bd_report_count": (c_int, [c_void_p]),
    "bd_report_message": (POINTER(Message), [c_void_p, c_int]),
    "bd_report_text": (c_char_p, [c_void_p]),
    "bd_explain": (c_char_p, [c_char_p]),
    "bd_load": (c_void_p, [c_char_p, POINTER(LoadOptions), c_void_p]),
    "bd_load_text": (c_void_p, [c_char_p, c_char_p, c_size_t, POINTER(LoadOptions), c_void_p]),
    "bd_model_free": (None, [c_void_p]),
    "bd_model_name": (c_char_p, [c_void_p]),
    "bd_model_experiment": (c_char_p, [c_void_p]),
    "bd_experiment_count": (c_int, [c_void_p]),
    "bd_experiment_name": (c_char_p, [c_void_p, c_int]),
    "bd_count": (c_int, [c_void_p, c_int]),
    "bd_variable": (c_bool, [c_void_p, c_int, c_int, POINTER(Variable)]),
    "bd_find": (c_int, [c_void_p, c_int, c_char_p]),
    "bd_text": (c_void_p, [c_void_p, c_int]),
    "bd_graph": (c_void_p, [c_void_p, c_void_p]),
    "bd_free": (None, [c_void_p]),
    "bd_run": (c_void_p, [c_void_p, POINTER(RunOptions), c_void_p]),
    "bd_run_free": (None, [c_void_p]),
    "bd_status": (c_int, [c_void_p]),
    "bd_rows": (POINTER(Rows), [c_void_p]),
    "bd_summary": (Summary, [c_void_p]),
    "bd_page": (c_void_p, [c_void_p, POINTER(RunOptions), c_void_p]),
    "bd_verb": (c_int, [c_char_p, POINTER(VerbOptions), POINTER(c_void_p), c_void_p]),
    "bd_start": (c_void_p, [c_void_p, POINTER(RunOptions), c_void_p]),
    "bd_advance": (c_bool, [c_void_p, c_double, c_void_p]),
    "bd_set_input": (c_bool, [c_void_p, c_int, c_double]),
    "bd_value": (c_double, [c_void_p, c_char_p]),
    "bd_crowd_new": (c_void_p, [c_void_p, c_int, c_double, c_void_p, c_int, POINTER(RunOptions), c_void_p]),
    "bd_crowd_free": (None, [c_void_p]),
    "bd_crowd_lanes": (c_int, [c_void_p]),
    "bd_crowd_groups": (c_int, [c_void_p]),
    "bd_crowd_columns": (c_int, [c_void_p]),
    "bd_crowd_name": (c_char_p, [c_void_p, c_int]),
    "bd_crowd_reset": (None, [c_void_p, c_int, c_int, c_void_p]),
    "bd_crowd_restart": (None, [c_void_p, c_int, c_int, c_void_p, c_void_p]),
    "bd_crowd_step": (None, [c_void_p, c_int, c_int, c_void_p, c_void_p, c_void_p]),
    "bd_open": (c_void_p, [c_void_p, POINTER(RunOptions), c_void_p]),
    "bd_time": (c_double, [c_void_p]),
    "bd_get_states": (None, [c_void_p, c_void_p]),
    "bd_set": (c_bool, [c_void_p, c_char_p, c_double]),
    "bd_reset": (c_bool, [c_void_p, c_double]),
    "bd_rates": (c_bool, [c_void_p, c_void_p]),
    "bd_outputs": (c_bool, [c_void_p, c_void_p]),
    "bd_jacobian": (c_bool, [c_void_p, c_void_p]),
    "bd_set_point": (None, [c_void_p, c_double, c_void_p]),
    "bd_saved_size": (c_size_t, [c_void_p]),
    "bd_save": (None, [c_void_p, c_void_p]),
    "bd_restore": (c_bool, [c_void_p, c_void_p, c_size_t]),
}

HERE = os.path.dirname(os.path.abspath(__file__))


def _places():
    if os.environ.get("BONDYN_SO"):
        yield os.environ["BONDYN_SO"]
        return
    yield os.path.join(HERE, "libbondyn.so.%d" % ABI)  # of a wheel
    folder = HERE
    for _ in range(4):  # .../lib[/x86_64-linux-gnu]/python3/dist-packages/bondyn
        folder = os.path.dirname(folder)
        yield os.path.join(folder, "libbondyn.so.%d" % ABI)
        for name in ("x86_64-linux-gnu", "aarch64-linux-gnu"):
            yield os.path.join(folder, name, "libbondyn.so.%d" % ABI)
    yield "libbondyn.so.%d" % ABI


def _open():
    for place in _places():
        if os.path.sep in place and not os.path.exists(place):
            continue
        return ctypes.CDLL(place)
    raise ImportError("libbondyn.so.%d is not found: set BONDYN_SO to its path" % ABI)


lib = _open()
for _name, (_result, _arguments) in CALLS.items():
    _call = getattr(lib, _name)
    _call.restype = _result
    _call.argtypes = _arguments
if lib.bd_abi() != ABI:
    raise ImportError("libbondyn has ABI %d, this package wants %d" % (lib.bd_abi(), ABI))


def component_library():
    """The folder of the component library in a wheel, or None: the library finds its own."""
    folder = os.path.join(HERE, "library")
    return folder.encode() if os.path.isdir(folder) and not os.environ.get("BONDYN_LIBRARY") else None
