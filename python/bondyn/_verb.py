"""What the program `bondyn` does, as a call."""
import ctypes
import json

from . import _library as b
from ._errors import Report
from ._library import lib

USELESS = (1, 2)  # outcomes without an answer: wrong input, wrong use


def _options(options):
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None and one is not False:
                yield name.replace("_", "-").encode(), None if one is True else str(one).encode()


def verb(name, *arguments, **options):
    """verb("poles", "crane.bond", "Lift", at="2 {s}"): the JSON object of the verb as a dict.

    A switch is True, an option that may be repeated a list, "max-step" is max_step. The outcome is "exit"; wrong input
    and wrong use are exceptions.
    """
    words = (ctypes.c_char_p * len(arguments))(*[str(a).encode() for a in arguments])
    given = list(_options(options))
    folder = b.component_library()
    if folder and "library" not in options:
        given.append((b"library", folder))
    pairs = (b.Option * len(given))(*given)
    o = b.VerbOptions(argument=words, argument_count=len(words), option=pairs,
                      option_count=len(given), json=True)
    text = ctypes.c_void_p()
    with Report() as r:
        outcome = lib.bd_verb(name.encode(), ctypes.byref(o), ctypes.byref(text), r.handle)
        answer = ctypes.string_at(text).decode()
        lib.bd_free(text)
        if outcome in USELESS:
            r.fail()
        r.warn()
    return json.loads(answer)
