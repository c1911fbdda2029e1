from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.reading import check_random_spans, pdf_resolver, read
from tests.samples.leaves import line, paragraphs_of, prose, table

SHIPS = [
    ["Ship", "Built", "Tons"],
    ["Alma", "1871", "402"],
    ["Berta", "", "1,380"],
    ["Clio", "1902", "96"],
    ["Dora", "1911", ""],
    ["Elsa", "1914", "77"],
]


@pytest.mark.parametrize("seed", range(3))
def test_rows_stay_rows_and_empty_cells_keep_their_place(seed: int) -> None:
    lines = [*prose("before", 6, 60, 80, 460), *table(SHIPS, [80, 240, 360], 200), *prose("after", 6, 60, 320, 460)]
    found = paragraphs_of(lines, seed=seed)
    rows = [text for kind, text in found if kind == "table"]
    assert rows == [
        "Ship\tBuilt\tTons",
        "Alma\t1871\t402",
        "Berta\t\t1,380",
        "Clio\t1902\t96",
        "Dora\t1911",
        "Elsa\t1914\t77",
    ]
    assert [kind for kind, _ in found] == ["text", *["table"] * 6, "text"]


def test_numbers_at_the_right_edge() -> None:
    rows = [("Alma", "402"), ("Berta", "11,380"), ("Clio", "96"), ("Dora", "1"), ("Elsa", "1,077")]
    lines = [line(name, 80, 100 + 14 * number) for number, (name, _) in enumerate(rows)]
    lines += [line(tons, 300 - 5 * len(tons), 100 + 14 * number) for number, (_, tons) in enumerate(rows)]
    assert paragraphs_of(lines) == [("table", f"{name}\t{tons}") for name, tons in rows]


def test_wrapped_cells_are_put_together() -> None:
    """A cell of two lines is one cell; its parted word is joined."""
    lines = [
        line("alpha", 80, 100),
        line("the first of all let-", 200, 100),
        line("ters", 200, 112),
        line("beta", 80, 132),
        line("the second one", 200, 132),
        line("gamma", 80, 152),
        line("the third, which", 200, 152),
        line("many forget", 200, 164),
    ]
    assert paragraphs_of(lines) == [
        ("table", "alpha\tthe first of all letters"),
        ("table", "beta\tthe second one"),
        ("table", "gamma\tthe third, which many forget"),
    ]


def test_a_heading_over_several_columns() -> None:
    lines = [line("Length", 240, 100, right=330), *table([["Ship", "feet", "inches"]], [80, 220, 320], 114)]
    lines += table([[f"Ship {number}", f"{90 + number}", f"{number}"] for number in range(5)], [80, 220, 320], 128)
    texts = [text for _, text in paragraphs_of(lines)]
    assert texts[1:3] == ["Ship\tfeet\tinches", "Ship 0\t90\t0"]


def test_a_full_cell_that_the_library_glues_to_the_next() -> None:
    """Where the next column begins is known from the other rows."""
    rows = [[f"Ship {number}", "a place", f"{40 + number}"] for number in range(6)]
    rows[3] = ["Ship 3", "", "43"]
    lines = [*table(rows, [60, 160, 300], 100), line("at the wall of the old Low Harbour", 160, 142, right=395)]
    lines = [one for one in lines if one.text != "43"]
    lines.append(line("7", 480, 142))
    lines += [line(f"{number}", 480, 100 + 14 * number) for number in (0, 1, 2, 4, 5)]
    found = [text for _, text in paragraphs_of(lines)]
    assert found[3] == "Ship 3\tat the wall of the old\tLow Harbour\t7"
    assert found[2] == "Ship 2\ta place\t42\t2"


def test_a_line_across_a_table_is_not_cut() -> None:
    rows = [[f"Ship {number}", "a place", f"{40 + number}"] for number in range(6)]
    lines = [*table(rows, [60, 160, 300], 100), line("and all that came later from other towns", 60, 184, right=420)]
    assert paragraphs_of(lines)[-1][1] == "and all that came later from other towns"


def test_contents_and_lists_are_no_tables() -> None:
    contents = [
        line(f"{number}. Chapter {number} . . . . . . . . . . . . . . {10 * number}", 60, 100 + 14 * number, right=500)
        for number in range(1, 8)
    ]
    found = paragraphs_of(contents)
    assert {kind for kind, _ in found} == {"text"}
    assert found[0][1] == "1. Chapter 1\t10"
    items = [
        one
        for number in range(5)
        for one in (line("•", 60, 100 + 14 * number), line("an entry", 80, 100 + 14 * number))
    ]
    assert paragraphs_of(items) == [("item", "• an entry")] * 5


def test_wide_spaces_between_sentences_are_no_columns() -> None:
    """Justified lines whose sentences stand far apart come from the library in parts."""
    lines = []
    for number in range(8):
        first = f"Here is sentence {3 * number * 'x'}."
        lines.append(line(first, 60, 100 + 13 * number))
        lines.append(
            line(
                "And so it goes on to the end of this line", 65 + 5 * len(first) + number, 100 + 13 * number, right=400
            )
        )
    assert not any(kind == "table" for kind, _ in paragraphs_of(lines))


def test_a_real_report_of_rows(shared_data: Path) -> None:
    """Sixteen leaves of one table: seven cells in each row, headings on each leaf."""
    path = shared_data / "documents" / "pdf" / "tables-warn-report.pdf"
    reading = read(path)
    rows = [text.split("\t") for kind, text in reading.kinds if kind == "table"]
    assert rows[2][:6] == ["06/30/2015", "08/29/2015", "07/01/2015", "McGraw-Hill Education", "Monterey", "137"]
    assert rows[0][0] == "Notice Date" and rows[0][-1] == "Layoff/Closure"
    assert {len(row) for row in rows if row[0][:1].isdigit()} == {7} and len(rows) > 600
    assert ["FAMIMA Corporation (700 Wilshire store)", "Los Angeles", "10"] in [row[3:6] for row in rows]
    check_random_spans(reading.document, pdf_resolver(path), 60)


@pytest.mark.parametrize("name", ["tables-nics", "tables-nics-rotated"])
def test_a_real_table_of_many_columns(shared_data: Path, name: str) -> None:
    """Trap 9 too: the same table set sideways reads the same."""
    reading = read(shared_data / "documents" / "pdf" / f"{name}.pdf")
    rows = {text.split("\t")[0]: text.split("\t") for kind, text in reading.kinds if kind == "table"}
    assert rows["Alabama"][1:4] == ["18,870", "23,022", "22,650"]
    assert {len(rows[state]) for state in ("Alabama", "Ohio", "Wyoming", "Totals")} == {25}
    heads = next(row for row in rows.values() if "Permit" in " ".join(row))
    assert heads[1].strip() == "Permit" and heads[24].strip() == "Totals"
