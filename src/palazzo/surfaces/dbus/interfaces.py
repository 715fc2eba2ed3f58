"""What stands on the bus: six interfaces with a method for every operation, as the registry declares them.

Owns names, signatures and the introspection document, and the way from the values of a message to arguments. Needs no
bus. A method takes what must be given in the types of the bus, and the rest by name; it answers with JSON, for results
are as deep as they are. Invariant: every operation is in exactly one interface.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args, get_origin
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import msgspec

from palazzo.errors import InvalidInput
from palazzo.operations.declared import Operation, Parameter
from palazzo.operations.registry import NOUNS

NAME: Final = "ai.palazzo.Memory1"
PATH: Final = "/ai/palazzo/Memory1"
SIGNAL: Final = "Changed"
OPTIONS: Final = "options"
INTERFACES: Final = ("Palace", "Provenance", "Snapshots", "Capabilities", "Events", "Admin")
_OF_NOUN: Final = {
    "snapshot": "Snapshots", "guard": "Capabilities", "spine": "Capabilities", "care": "Admin", "port": "Admin",
}  # fmt: skip
_OF_NAME: Final = {
    **dict.fromkeys(("why", "explain", "history", "origin_add", "origin_link"), "Provenance"), "events": "Events",
}  # fmt: skip
_TYPES: Final = {str: "s", int: "x", float: "d", bool: "b"}


def interface_of(noun: str, operation: Operation) -> str:
    """The interface an operation stands in."""
    return f"{NAME}.{_OF_NAME.get(operation.name) or _OF_NOUN.get(noun, 'Palace')}"


def member_of(operation: Operation) -> str:
    """Its name on the bus: snapshot_save is SnapshotSave."""
    return "".join(word.capitalize() for word in operation.name.split("_"))


METHODS: Final[Mapping[tuple[str, str], Operation]] = {
    (interface_of(noun, one), member_of(one)): one for noun, declared in NOUNS.items() for one in declared
}
"""Every operation by interface and member."""


def type_of(hint: Any) -> str:
    """How a parameter that must be given is typed on the bus; what the bus has no type for is JSON in a text."""
    if get_origin(hint) is tuple and get_args(hint)[0] is str:
        return "as"
    return _TYPES.get(hint, "s")


def signature_of(operation: Operation) -> str:
    """What a method takes: what must be given, in order, and the rest by name."""
    return "".join(type_of(one.type) for one in operation.parameters if one.required) + "a{sv}"


def arguments_of(operation: Operation, body: list[Any]) -> dict[str, Any]:
    """The arguments of a call from the values of its message.

    Raises: InvalidInput for a text that should be JSON and is none.
    """
    required = [one for one in operation.parameters if one.required]
    known = {one.name: one for one in operation.parameters}
    given = dict(zip((one.name for one in required), body, strict=False))
    for name, value in body[len(required)].items():
        if name in given:
            raise InvalidInput(f"{name} is given twice", field=name, hint="it stands before the options")
        given[name] = value.value
    return {name: _plain(known[name], value) if name in known else value for name, value in given.items()}


def _plain(parameter: Parameter, value: Any) -> Any:
    """A value as the operation takes it: JSON in a text for lists of objects and for objects."""
    inner = [one for one in (parameter.type, *get_args(parameter.type)) if get_origin(one) in (tuple, dict)]
    if not inner or not isinstance(value, str):
        return [getattr(one, "value", one) for one in value] if isinstance(value, list) else value
    try:
        return msgspec.json.decode(value)
    except msgspec.DecodeError as error:
        raise InvalidInput(
            f"{parameter.name} wants JSON in a text", field=parameter.name, hint=parameter.help
        ) from error


def introspected() -> str:
    """The document that says what stands on the bus."""
    root = Element("node", name=PATH)
    for name in INTERFACES:
        interface = SubElement(root, "interface", name=f"{NAME}.{name}")
        for (of, member), operation in METHODS.items():
            if of == f"{NAME}.{name}":
                method = SubElement(interface, "method", name=member)
                _told(method, operation.people)
                for one in operation.parameters:
                    if one.required:
                        _told(_argument(method, one.name, type_of(one.type), "in"), one.help)
                _told(
                    _argument(method, OPTIONS, "a{sv}", "in"),
                    ", ".join(one.name for one in operation.parameters if not one.required),
                )
                _argument(method, "result", "s", "out")
        if name == "Events":
            signal = SubElement(interface, "signal", name=SIGNAL)
            _told(signal, "Something in the journal of the palace: what happened, its number, and the event as JSON.")
            for argument in ("kind", "seq", "event"):
                SubElement(signal, "arg", name=argument, type="s")
        if name == "Admin":
            SubElement(interface, "property", name="Version", type="s", access="read")
    for name, members in _USUAL.items():
        interface = SubElement(root, "interface", name=name)
        for member, (given, told) in members.items():
            method = SubElement(interface, "method", name=member)
            for number, kind in enumerate(given):
                _argument(method, f"in{number}", kind, "in")
            for number, kind in enumerate(told):
                _argument(method, f"out{number}", kind, "out")
    indent(root)
    return f"{_DOCTYPE}\n{tostring(root, 'unicode')}\n"


_DOCTYPE: Final = (
    '<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"\n'
    ' "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">'
)
_USUAL: Final[Mapping[str, Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]]] = {
    "org.freedesktop.DBus.Introspectable": {"Introspect": ((), ("s",))},
    "org.freedesktop.DBus.Peer": {"Ping": ((), ()), "GetMachineId": ((), ("s",))},
    "org.freedesktop.DBus.Properties": {"Get": (("s", "s"), ("v",)), "GetAll": (("s",), ("a{sv}",))},
}


def _argument(method: Element, name: str, kind: str, direction: str) -> Element:
    return SubElement(method, "arg", name=name, type=kind, direction=direction)


def _told(element: Element, words: str) -> None:
    if words:
        SubElement(element, "annotation", name="org.gtk.GDBus.DocString", value=words)
