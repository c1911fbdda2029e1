"""The paper that leaves are painted on: its colours, which no theme changes, and the device's own pixels."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from readdesk.gui.theme import LIGHT

_SAME_SIZE = 2  # Pixels by which whoever draws may round otherwise than we do.


def on_pixels(painter: QPainter, box: QRectF, image: QImage | None) -> tuple[QRectF, bool]:
    """The box on whole device pixels, lest a drawn leaf blur, and whether the image fits it pixel for pixel."""
    device = painter.deviceTransform()
    exact = device.mapRect(box)
    spot = QRect(round(exact.x()), round(exact.y()), max(1, round(exact.width())), max(1, round(exact.height())))
    fits = image is not None and _is_close(image.width(), spot.width()) and _is_close(image.height(), spot.height())
    if image is not None and fits:
        spot.setSize(image.size())
    return device.inverted()[0].mapRect(QRectF(spot)), fits


def _is_close(one: int, other: int) -> bool:
    return abs(one - other) <= _SAME_SIZE


def ink(name: str) -> QColor:
    """A colour on paper, which is white in every theme."""
    return QColor(getattr(LIGHT, name))
