"""How JSON of the bridge becomes shapes."""

import contextlib
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


@settings(max_examples=60)
@given(raw=JSON | st.fixed_dictionaries({"scene": JSON, "arguments": JSON, "prompt": JSON}))
def test_any_json_becomes_a_shape_or_an_error(raw: Any) -> None:
    """Structuring never fails in another way than by a UsageError."""
    for shape in set(methods.SHAPES.values()):
        with contextlib.suppress(UsageError):
            wire.structured(shape, raw)
