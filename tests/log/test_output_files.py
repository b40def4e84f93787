"""Output files are written whole, and never through a link."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.output_files import OutputIsLink, whole_file, write_whole


def test_a_file_is_replaced_when_the_new_one_is_complete(tmp_path: Path) -> None:
    """A regular file is replaced; after a failure it has its old content, and nothing is left."""
    file = tmp_path / "report.csv"
    write_whole(file, "old")
    write_whole(file, "new")
    assert file.read_text() == "new"
    with pytest.raises(ValueError, match="closed file"), whole_file(file) as broken:  # noqa: PT012
        broken.close()
        broken.write(b"half")
    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("exists", [True, False])
def test_nothing_is_written_through_a_link(tmp_path: Path, *, exists: bool) -> None:
    """A link in the place of the file is refused, whether it leads anywhere or not."""
    other, file = tmp_path / "other", tmp_path / "report.csv"
    if exists:
        other.write_text("precious")
    file.symlink_to(other)
    with pytest.raises(OutputIsLink, match="never goes through a link"):
        write_whole(file, "new")
    assert file.is_symlink()
    assert not exists or other.read_text() == "precious"


def test_a_link_in_the_place_of_the_new_file_is_removed(tmp_path: Path) -> None:
    """The name of the unfinished file cannot be used to have another file overwritten."""
    other, file = tmp_path / "other", tmp_path / "report.csv"
    other.write_text("precious")
    (tmp_path / ".report.csv.new").symlink_to(other)
    write_whole(file, "new")
    assert (file.read_text(), other.read_text()) == ("new", "precious")
