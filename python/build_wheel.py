#!/usr/bin/env python3
"""A wheel with the package, libbondyn and the component library, without the network or any tool.

    build_wheel.py LIBBONDYN_SO LIBRARY_FOLDER OUT_FOLDER
"""
import base64
import ctypes
import hashlib
import os
import platform
import sys
import zipfile

ABI = 1


def version_of(shared):
    lib = ctypes.CDLL(os.path.abspath(shared))
    lib.bd_version.restype = ctypes.c_char_p
    return lib.bd_version().decode()


def main(shared, library, out):
    here = os.path.dirname(os.path.abspath(__file__))
    version = version_of(shared)
    tag = "py3-none-linux_" + platform.machine()
    info = "bondyn-%s.dist-info" % version
    files = {}
    for name in sorted(os.listdir(os.path.join(here, "bondyn"))):
        if name.endswith(".py"):
            files["bondyn/" + name] = os.path.join(here, "bondyn", name)
    files["bondyn/libbondyn.so.%d" % ABI] = shared
    for folder, _, names in sorted(os.walk(library)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            files["bondyn/library/" + os.path.relpath(path, library)] = path
    texts = {
        info + "/METADATA": "Metadata-Version: 2.1\nName: bondyn\nVersion: %s\nSummary: Bond graphs and rigid "
                            "bodies\nRequires-Python: >=3.9\nRequires-Dist: numpy\n" % version,
        info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: bondyn\nRoot-Is-Purelib: false\nTag: %s\n" % tag,
    }
    path = os.path.join(out, "bondyn-%s-%s.whl" % (version, tag))
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        def put(name, data):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same bytes every time
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append("%s,sha256=%s,%d" % (name, digest, len(data)))
        for name in sorted(files):
            put(name, open(files[name], "rb").read())
        for name in sorted(texts):
            put(name, texts[name].encode())
        put(info + "/RECORD", ("\n".join(record) + "\n%s/RECORD,,\n" % info).encode())
    print(path)


main(*sys.argv[1:])
