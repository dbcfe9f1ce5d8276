"""Frameworks that search. pip install './clients/python[apps]' installs them."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("redisvl") else ["test_apps.py"]
