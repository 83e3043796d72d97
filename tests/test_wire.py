"""How JSON of the bridge becomes shapes."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces.host import methods, wire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def made_of(shape: type, raw: Any) -> type:
    """Return the type of what raw JSON becomes, or of the error with a message that it becomes instead."""
    try:
        return type(wire.structured(shape, raw))
    except UsageError as error:
        return type(error) if str(error) else type(None)


@settings(max_examples=60)
@given(raw=JSON | st.fixed_dictionaries({"scene": JSON, "arguments": JSON, "prompt": JSON}))
def test_any_json_becomes_a_shape_or_an_error(raw: Any) -> None:
    """Structuring gives the shape that was asked for, or fails by a UsageError that says why, and in no other way."""
    for shape in set(methods.SHAPES.values()):
        assert made_of(shape, raw) in (shape, UsageError)
