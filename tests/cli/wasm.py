"""Wasm modules by hand, for tests of what no compiler would make."""

TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, CODE, DATA = range(1, 12)
NOTHING = b"\x01\x60\x00\x00"            # the type section with () -> ()
ONE_FUNCTION = b"\x01\x00"               # of that type
UNREACHABLE, END = b"\x00", b"\x0b"


def number(value):
    """LEB128 without a sign."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def sized(content):
    return number(len(content)) + content


def section(identity, content):
    return bytes([identity]) + sized(content)


def vector(*items):
    return number(len(items)) + b"".join(items)


def exported(name, kind=0, index=0):
    return sized(name) + bytes([kind]) + number(index)


def constant(value):
    """An offset: i32.const, whose number has a sign, which must not be set by accident."""
    digits = number(value)
    if digits[-1] & 0x40:
        digits = digits[:-1] + bytes([digits[-1] | 0x80, 0])
    return b"\x41" + digits + END


def module(sections, body=END, export=b"_start", imports=0):
    """One function without parameters, exported; `sections` by number are added or replace."""
    parts = {TYPE: NOTHING, FUNCTION: ONE_FUNCTION,
             EXPORT: vector(exported(export, index=imports)),
             CODE: vector(sized(b"\x00" + body))} | sections
    return b"\0asm\1\0\0\0" + b"".join(section(i, parts[i]) for i in sorted(parts) if parts[i])


def importing(space, name, kind=b"\x00\x00"):
    """A module with one import; a function of type () -> () unless `kind` says otherwise."""
    is_function = kind[0] == 0
    return module({IMPORT: vector(sized(space) + sized(name) + kind)}, imports=int(is_function))
