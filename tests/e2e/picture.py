# SPDX-License-Identifier: GPL-2.0-only
"""Checks PNG files: picture.py FILE... fails unless each is not blank, has more than one colour, and
nothing that runs off its edges. With --page: a screenshot of a page, whose edges are not checked."""

import sys

from PIL import Image

EDGE = 3  # pixels
INK_MIN = 0.002  # share of the pixels


def is_ink(pixel):
    return min(pixel) < 200


def look(path, edges):
    image = Image.open(path).convert("RGB")
    width, height = image.size
    if min(width, height) < 200:
        return f"is only {width} x {height}"
    pixels = list(image.getdata())
    if len(set(pixels)) < 8:
        return "has hardly any colours"
    ink = sum(map(is_ink, pixels)) / len(pixels)
    if ink < INK_MIN:
        return f"is nearly blank: {ink:.4%} ink"
    for y in range(height if edges else 0):
        row = pixels[y * width : (y + 1) * width]
        outer = row if y < EDGE or y >= height - EDGE else row[:EDGE] + row[-EDGE:]
        if any(map(is_ink, outer)):
            return f"runs off its edge at line {y}"
    return None


def main():
    edges = "--page" not in sys.argv
    bad = 0
    for path in (a for a in sys.argv[1:] if a != "--page"):
        complaint = look(path, edges)
        if complaint:
            print(f"{path} {complaint}")
            bad = 1
    return bad


sys.exit(main())
