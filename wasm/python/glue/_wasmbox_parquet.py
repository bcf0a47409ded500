"""pandas' Parquet: `filters` are of rows, as with pyarrow, for which most programs are written. By itself fastparquet only
leaves out groups of rows in which nothing can be wanted; asked for rows it takes one list of conditions for alternatives,
and forgets those of partitions."""

import operator

OPERATORS = {
    "=": operator.eq, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}


def change_pandas(module):
    from pandas import RangeIndex

    engine = module.FastParquetImpl
    real = engine.read

    def read(self, path, columns=None, filters=None, *arguments, **named):
        if not filters or "row_filter" in named:
            return real(self, path, columns, filters, *arguments, **named)
        choices = alternatives(filters)
        asked = {name for conditions in choices for name, _, _ in conditions}
        wanted = None if columns is None else [*columns, *sorted(asked.difference(columns))]
        frame = real(self, path, wanted, choices, *arguments, **named)
        rows = frame[matching(frame, choices)]
        if isinstance(frame.index, RangeIndex):
            rows = rows.reset_index(drop=True)
        return rows if columns is None else rows[list(columns)]

    engine.read = read


def alternatives(filters):
    """Lists of conditions, of which one has to hold; a list of conditions is the only one."""
    try:
        choices = [filters] if isinstance(filters[0][0], str) else filters
        choices = [[(name, relation, value) for name, relation, value in conditions] for conditions in choices]
    except (IndexError, KeyError, TypeError, ValueError):
        raise ValueError("Malformed filters: they are [(column, op, value), …], or a list of such lists") from None
    for conditions in choices:
        for _, relation, _ in conditions:
            if relation not in OPERATORS and relation not in ("in", "not in"):
                raise ValueError(f'"{relation}" is not a valid operator in predicates.')
    return choices


def matching(frame, choices):
    found = False
    for conditions in choices:
        holds = True
        for name, relation, value in conditions:
            holds = holds & compared(column_of(frame, name), relation, value)
        found = found | holds
    return found


def column_of(frame, name):
    return frame[name] if name in frame else frame.index.get_level_values(name).to_series(index=frame.index)


def compared(column, relation, value):
    if hasattr(column, "cat"):
        column = column.astype(column.cat.categories.dtype)
    if relation in OPERATORS:
        return OPERATORS[relation](column, value).fillna(False).astype(bool) & column.notna()
    return column.isin(value) ^ (relation == "not in")
