"""Task queues. pip install './clients/python[queues]' installs them, with a redis-py that suits them all."""

from importlib.util import find_spec

collect_ignore = [f"test_{name}.py" for name in ("arq", "celery", "dramatiq", "rq") if find_spec(name) is None]
