"""Loads the shared libraries of `make lib`, and declares their functions."""

import ctypes
import os
from ctypes import c_char_p, c_size_t, c_uint64

ABI = (0, 2)  # major and minor version


class Error(Exception):
    """An error that a library reports."""
    __module__ = "paje"  # as users import it from there


def structure(name, *members):
    return type(name, (ctypes.Structure,), {"_fields_": list(members)})


def load(name, structures):
    file = "lib%s.so.%d.%d" % (name, *ABI)
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [os.environ.get("PAJE_LIBRARIES"), os.path.join(here, "..", "..", "..", "..", "build")]
    paths = [path for path in (os.path.join(folder, file) for folder in folders if folder) if os.path.exists(path)]
    try:
        # PyDLL holds the interpreter's lock during a call, so other threads cannot interfere except in callbacks.
        library = ctypes.PyDLL(paths[0] if paths else file)
    except OSError as error:
        raise ImportError("%s: run `make lib`, or let PAJE_LIBRARIES name its folder" % error) from None
    sizeof = library[name + "_sizeof"]
    sizeof.restype, sizeof.argtypes = c_size_t, [c_char_p]
    for one in structures:
        if sizeof(one.__name__.encode()) != ctypes.sizeof(one):
            raise ImportError("%s: its %s is another one; is it of another version?" % (file, one.__name__))
    library.sizeof = lambda name: sizeof(name.encode())
    return library


def declare(library, prefix, functions):
    for name, (result, *arguments) in functions.items():
        function = library[prefix + name]
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    return library


def room(size):
    return (c_uint64 * ((size + 7) // 8))()
