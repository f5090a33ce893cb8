"""How an edit is written: NAME[:VALUE][@START[-END]][,key=value...]."""

from __future__ import annotations

from poise.reference.edit.span import EASE, Span


def number(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(value)).removesuffix(".0")


def numbers(values: object) -> str:
    """Numbers joined by colons."""
    return ":".join(number(v) for v in values)  # type: ignore[attr-defined]


def written(name: str, value: str = "", span: Span | None = None, **options: str | None) -> str:
    """The text of an edit; options that are None are left out."""
    span = span or Span()
    when = ""
    if span.start is not None or span.end is not None:
        when = f"@{number(span.start or 0.0)}" + ("" if span.end is None else f"-{number(span.end)}")
    if span.ease != EASE:
        options = {**options, "ease": number(span.ease)}
    return name + (value and f":{value}") + when + "".join(f",{k}={v}" for k, v in options.items() if v is not None)
