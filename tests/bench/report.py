"""The figures of a bench with their targets, and the line of JSON that it ends with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Report:
    """Figures with the targets that they must meet."""

    figures: dict[str, float] = field(default_factory=dict)
    targets: dict[str, tuple[str, float]] = field(default_factory=dict)

    def figure(self, name: str, value: float, target: tuple[str, float] | None = None) -> None:
        """Keep a figure, and what it must be."""
        self.figures[name] = value
        if target is not None:
            self.targets[name] = target

    @property
    def is_met(self) -> bool:
        """Whether every target is met."""
        return all(
            self.figures[name] >= limit if relation == ">=" else self.figures[name] <= limit
            for name, (relation, limit) in self.targets.items()
        )

    def told(self, bench: str, on: Mapping[str, object]) -> str:
        """The last line of a bench; `on` says what was measured, and with what."""
        figures = {name: round(value, 5) for name, value in self.figures.items()}
        return json.dumps(
            {"bench": bench, "figures": figures, "targets": self.targets, "met": self.is_met, "on": dict(on)}
        )
