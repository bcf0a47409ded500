"""pandas' Parquet: `filters` are of rows, as with pyarrow, which most programs are written for. By itself fastparquet only
leaves out groups of rows in which nothing can be wanted, and tells nobody of the others."""


def change_pandas(module):
    engine = module.FastParquetImpl
    real = engine.read

    def read(self, path, columns=None, filters=None, *arguments, **named):
        if filters:
            named.setdefault("row_filter", True)
        return real(self, path, columns, filters, *arguments, **named)

    engine.read = read
