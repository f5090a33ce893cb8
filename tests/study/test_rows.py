"""Rows as tables: groups, selections, text and CSV."""

import csv
import io

from hypothesis import given, strategies as st

from poise.study.experiment.table import (
    column_max,
    column_mean,
    column_total,
    group_rows,
    row_count,
    rows_by,
    rows_where,
    table_csv,
    table_text,
)

ROWS = [
    {"motion": "walk", "gamma": 0.1, "survived": True, "cost": 0.25},
    {"motion": "run", "gamma": 0.1, "survived": False, "cost": None},
    {"motion": "walk", "gamma": 0.1, "survived": False, "cost": 0.75},
]


def test_groups_are_in_order_with_their_gathered_values():
    columns = {
        "n": row_count,
        "survived": column_total("survived"),
        "cost": column_mean("cost"),
        "worst": column_max("cost"),
    }
    assert group_rows(ROWS, ("motion", "gamma"), columns) == [
        {"motion": "walk", "gamma": 0.1, "n": 2, "survived": 1, "cost": 0.5, "worst": 0.75},
        {"motion": "run", "gamma": 0.1, "n": 1, "survived": 0, "cost": None, "worst": None},
    ]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2)), min_size=1, max_size=30))
def test_no_row_is_lost_or_counted_twice(pairs):
    rows = [{"letter": letter, "number": number} for letter, number in pairs]
    found = group_rows(rows, ("letter", "number"), {"n": row_count})
    assert sum(row["n"] for row in found) == len(rows)
    assert len({(row["letter"], row["number"]) for row in found}) == len(found)


def test_rows_are_selected_by_values():
    assert rows_where(ROWS, motion="walk", survived=True) == ROWS[:1]
    assert rows_where(ROWS, cost=None) == [ROWS[1]]
    assert [labels["motion"] for labels, _ in rows_by(ROWS, ("motion",))] == ["walk", "run"]


def test_text_is_in_columns_with_numbers_to_the_right():
    assert table_text(ROWS).splitlines() == [
        "motion  gamma  survived  cost",
        "walk      0.1       yes  0.25",
        "run       0.1        no     -",
        "walk      0.1        no  0.75",
    ]


def test_csv_holds_numbers_in_full_and_nothing_for_none():
    third = 1 / 3
    read = list(csv.DictReader(io.StringIO(table_csv([{"a": third, "b": None}]))))
    assert float(read[0]["a"]) == third
    assert read[0]["b"] == ""
