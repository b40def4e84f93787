"""The manifests of collected files."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from twin.feeds.dating.manifests import CollectionManifest, read_manifest
from twin.model.instants import parse_instant

TEXT = """script: twin collect-script --unix
host: h1
zone: CET+0100
TZ: Europe/Berlin
begin: 2026-01-31T02:13:00Z
qmgr: QM1, folder: QM1
file: QM1/display.txt, begin: 2026-01-31T02:13:01Z, end: 2026-01-31T02:13:02Z, exit code: 0
end: 2026-01-31T02:13:09Z
"""
END = parse_instant("2026-01-31T02:13:09Z", now=0)
BEGIN = parse_instant("2026-01-31T02:13:00Z", now=0)


def test_a_manifest_says_when_and_in_which_zone() -> None:
    """The end of the collection is the instant of its files."""
    assert read_manifest(TEXT) == CollectionManifest(END, ZoneInfo("Europe/Berlin"))


def test_a_collection_that_did_not_end_has_its_begin() -> None:
    """A manifest without an end was written by a script that was killed."""
    killed = TEXT.rpartition("end:")[0]
    assert read_manifest(killed) == CollectionManifest(
        BEGIN, ZoneInfo("Europe/Berlin"), ended=False
    )


def test_the_zone_of_a_hub_is_not_that_of_its_queue_managers() -> None:
    """The script for a hub runs elsewhere, and a TZ may be empty or no name of a zone."""
    assert read_manifest(TEXT.replace("--unix", "--hub")) == CollectionManifest(END, None)
    assert read_manifest(TEXT.replace("Europe/Berlin", "")) == CollectionManifest(END, None)
    assert read_manifest(TEXT.replace("Europe/Berlin", "../x")) == CollectionManifest(END, None)


def test_what_was_not_collected_is_known() -> None:
    """A command that failed, and a folder that was not found, are missing."""
    text = TEXT.replace("exit code: 0\n", "exit code: 0\nfile: QM1/x, exit code: 3, FAILED\n")
    manifest = read_manifest(text)
    assert manifest is not None
    assert manifest.missing == ("file: QM1/x, exit code: 3, FAILED",)


def test_other_texts_are_no_manifests() -> None:
    """A file of this name with another content, or without an instant, is no manifest."""
    assert read_manifest("Manifest-Version: 1.0\n") is None
    assert read_manifest("script: twin collect-script --unix\nbegin: then\n") is None
