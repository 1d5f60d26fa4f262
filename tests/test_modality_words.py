"""The quick look for words of a modality in source, beside the names that count."""

from __future__ import annotations

import pytest

from mmcodemod.project.modality import MODALITY, POINTS, asks

WORDS = (
    "pixel_values",
    "images",
    "img",
    "visual",
    "video",
    "frames",
    "audios",
    "speech",
    "mel",
    "mm",
    "multi_modal",
)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", ["{}", "{}_x", "x_{}", "{}2", "x_{}_y"])
def test_source_with_a_name_of_a_modality_asks(word, name):
    for written in (name.format(word), name.format(word).upper()):
        assert MODALITY.search(written) and asks(f"if batch.{written}:".encode())


@pytest.mark.parametrize(
    "word", ["points", "point_cloud", "pointclouds", "pcd", "pcds", "lidar", "lidar_points", "x_pcd"]
)
def test_source_with_points_asks(word):
    assert POINTS.fullmatch(word) and asks(f"if {word}:".encode())


@pytest.mark.parametrize(
    "source", ["if imagination:", "if comma:", "x = 2images", "if melody", "xpoints", "pixie", ""]
)
def test_parts_of_other_words_do_not(source):
    assert not asks(source.encode())
