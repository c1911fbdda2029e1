"""How many layers go on a GPU, and what is said: with devices and models that are made up, and this build's own."""

from __future__ import annotations

import math

import pytest

from readdesk.errors import ModelError
from readdesk.llm.llama.devices import devices, gpus
from readdesk.llm.llama.offload import ALL, Sizes, knows, layers_that_fit, offloaded

GB = 1 << 30
FOUR_BILLION = Sizes(layers=36, weights=int(2.5 * GB), memory=int(1.2 * GB))


class Trial:
    """A GPU that takes so many layers and may compute nonsense."""

    def __init__(self, takes: int, *, computes: bool = True, computes_with: int = 99) -> None:
        self._takes = takes
        self._computes = computes
        self._computes_with = computes_with
        self.tried: list[int] = []
        self.loaded: set[int] = set()

    def load(self, layers: int) -> int:
        self.tried.append(layers)
        if layers > self._takes:
            raise ModelError("There is not enough memory.")
        self.loaded.add(layers)
        return layers

    def works(self, loaded: int) -> bool:
        if loaded > self._computes_with:
            self.unload(loaded)
            raise ModelError("The model could not go on computing.")
        return self._computes

    def unload(self, loaded: int) -> None:
        self.loaded.remove(loaded)


@pytest.mark.parametrize(("free", "least", "most"), [(8 * GB, 37, 37), (2 * GB, 12, 15), (GB // 2, 0, 0), (0, 0, 0)])
def test_as_many_layers_are_taken_as_the_free_memory_holds(free: int, least: int, most: int) -> None:
    assert least <= layers_that_fit(FOUR_BILLION, free) <= most


def test_a_model_that_fits_is_on_the_gpu_whole_and_nothing_is_said() -> None:
    trial = Trial(takes=99)
    assert offloaded(ALL, FOUR_BILLION, 8 * GB, trial) == (37, 37, "")


def test_trap_37_too_little_memory_means_fewer_layers_and_is_said() -> None:
    """Trap 37: out of memory falls back to fewer layers, and says so."""
    trial = Trial(takes=10)
    loaded, layers, said = offloaded(ALL, FOUR_BILLION, 8 * GB, trial)
    assert (loaded, layers, trial.tried) == (9, 9, [37, 18, 9])
    assert said == "The GPU has memory for 9 of the model's 37 layers; the CPU does the rest."


def test_a_model_that_loads_but_has_no_room_to_compute_gets_fewer_layers_too() -> None:
    trial = Trial(takes=99, computes_with=20)
    loaded, layers, said = offloaded(ALL, FOUR_BILLION, 8 * GB, trial)
    assert (loaded, layers, trial.tried, trial.loaded) == (18, 18, [37, 18], {18})
    assert said == "The GPU has memory for 18 of the model's 37 layers; the CPU does the rest."


def test_what_a_person_asks_for_is_tried_first_and_not_remarked_on() -> None:
    trial = Trial(takes=99)
    assert offloaded(5, FOUR_BILLION, 8 * GB, trial) == (5, 5, "")
    assert offloaded(0, FOUR_BILLION, 8 * GB, trial) == (0, 0, "")


def test_a_gpu_without_memory_leaves_the_work_to_the_cpu_and_that_is_said() -> None:
    loaded, layers, said = offloaded(ALL, FOUR_BILLION, 8 * GB, Trial(takes=0))
    assert (loaded, layers) == (0, 0)
    assert "the CPU works" in said


def test_a_gpu_that_computes_nonsense_is_not_used_and_that_is_said() -> None:
    """Models page, section 4, item 8: Gemma 4 on some Vulkan drivers."""
    trial = Trial(takes=99, computes=False)
    loaded, layers, said = offloaded(ALL, FOUR_BILLION, 8 * GB, trial)
    assert (loaded, layers) == (0, 0)
    assert trial.loaded == {0}, "two models would not fit into memory"
    assert said == "The GPU computes nonsense with this model, so the CPU does the work."


def test_a_model_that_loads_nowhere_is_an_error() -> None:
    with pytest.raises(ModelError):
        offloaded(ALL, FOUR_BILLION, 8 * GB, Trial(takes=-1))


@pytest.mark.parametrize(
    ("mean", "works"), [(-0.4, True), (-3.0, True), (-math.log(150_000), False), (-9.0, False), (math.nan, False)]
)
def test_a_model_works_when_it_knows_what_all_know(mean: float, works: bool) -> None:
    assert knows(mean, 150_000) is works


def test_this_build_names_its_devices() -> None:
    """Trap 37: a build for the CPU has no GPU to put layers on."""
    found = devices()
    assert [device.kind for device in found].count("CPU") == 1
    cpu = next(device for device in found if device.kind == "CPU")
    assert cpu.description and cpu.total > GB
    assert all(device.kind == "GPU" for device in gpus())
