"""Errors are exceptions with code, place and remedy."""
import warnings

from . import _library as b
from ._library import lib


class Problem:
    """One message: `code` ("C012"), `file`, `line`, `column`, `text`, `remedy`, `severity`."""

    def __init__(self, m):
        self.severity = ("note", "warning", "error")[m.severity]
        self.code, self.file = m.code.decode(), m.file.decode()
        self.line, self.column = m.line, m.column
        self.text, self.remedy = m.text.decode(), m.remedy.decode()

    def __str__(self):
        place = "%s:%d:%d: " % (self.file, self.line, self.column) if self.file else ""
        help_ = "\n  help: " + self.remedy if self.remedy else ""
        return "%s%s %s: %s%s" % (place, self.severity, self.code, self.text, help_)


class BondynWarning(UserWarning):
    pass


class BondynError(Exception):
    """`problems` has all messages; code, file, line, column, text and remedy are those of the first error."""

    def __init__(self, problems, text=""):
        first = next((p for p in problems if p.severity == "error"), None)
        self.problems = problems
        for name in ("code", "file", "line", "column", "text", "remedy"):
            setattr(self, name, getattr(first, name, None))
        super().__init__(text or "\n".join(str(p) for p in problems) or "it is not possible")


class Report:
    """A BdReport for the time of some calls."""

    def __enter__(self):
        self.handle = lib.bd_report_new()
        return self

    def __exit__(self, *_):
        lib.bd_report_free(self.handle)

    def problems(self):
        count = lib.bd_report_count(self.handle)
        return [Problem(lib.bd_report_message(self.handle, i).contents) for i in range(count)]

    def fail(self):
        raise BondynError(self.problems(), lib.bd_report_text(self.handle).decode())

    def warn(self):
        for p in self.problems():
            if p.severity != "note":
                warnings.warn(str(p), BondynWarning, stacklevel=4)


def explain(code):
    """What a code means and how to mend it; None: there is no such code."""
    text = lib.bd_explain(code.encode())
    return text.decode() if text else None
