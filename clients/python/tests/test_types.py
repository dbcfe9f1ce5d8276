"""The types in world.pyi are those of world.py: the same methods with the same parameters, in both kinds of worlds. A project that uses them
passes mypy --strict."""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
from miniserver_testkit import world

TREE = ast.parse(Path(world.__file__).with_suffix(".pyi").read_text())
STUB = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef)}


def stubbed(name):
    """Return the methods of a class in the stub, each with the names of its parameters."""
    methods = {}
    for base in STUB[name].bases:
        if base.id in STUB:
            methods |= stubbed(base.id)
    for node in STUB[name].body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            args = node.args
            methods[node.name] = [arg.arg for arg in (*args.args, args.vararg, *args.kwonlyargs, args.kwarg) if arg]
    return methods


def defined(cls):
    """Return the same of a class."""
    methods = {}
    for name, member in inspect.getmembers(cls):
        function = member.fget if isinstance(member, property) else member
        if inspect.isfunction(function) and (not name.startswith("_") or name.endswith("enter__") or name.endswith("exit__")):
            methods[name] = list(inspect.signature(function).parameters)
    return methods


@pytest.mark.parametrize(
    "name, cls",
    [
        ("World", world.World),
        ("AsyncWorld", world.AsyncWorld),
        ("Clock", world.Clock),
        ("_AsyncClock", world.Clock),
        ("Faults", world.Faults),
        ("_AsyncFaults", world.Faults),
        ("Outage", world.Outage),
        ("_AsyncOutage", world.Outage),
        ("Chaos", world.Chaos),
        ("_AsyncChaos", world.Chaos),
    ],
)
def test_types(name, cls):
    methods = stubbed(name)
    methods.pop("__init__", None)
    assert methods == defined(cls)


@pytest.mark.skipif("site-packages" not in world.__file__, reason="mypy does not find a package that is installed with pip -e")
def test_a_project_with_types():
    project = Path(__file__).parent / "typed"
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "."]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
