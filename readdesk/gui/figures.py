"""Figures as people say them, in the window's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

_translate = QCoreApplication.translate


def duration(seconds: float) -> str:
    """A length of time: "40 s", "12 min", "2 h 05 min"."""
    if seconds < 90:
        return _translate("Figures", "{seconds} s").format(seconds=max(1, round(seconds)))
    minutes = round(seconds / 60)
    if minutes < 90:
        return _translate("Figures", "{minutes} min").format(minutes=minutes)
    return _translate("Figures", "{hours} h {minutes:02d} min").format(hours=minutes // 60, minutes=minutes % 60)


def percent(share: float) -> str:
    """A share in whole per cent, never "100" before the end."""
    return str(100 if share >= 1 else min(99, int(share * 100)))


def size(count: int) -> str:
    """A number of bytes: "491 MB", "1.1 GB"."""
    if count >= 1e9:
        return _translate("Figures", "{size:.1f} GB").format(size=count / 1e9)
    return _translate("Figures", "{size:.0f} MB").format(size=count / 1e6)


def pages(count: int) -> str:
    """A number of pages."""
    if count == 1:
        return _translate("Figures", "1 page")
    return _translate("Figures", "{count} pages").format(count=count)


def words(count: int) -> str:
    """A number of words."""
    if count == 1:
        return _translate("Figures", "1 word")
    return _translate("Figures", "{count} words").format(count=f"{count:,}")
