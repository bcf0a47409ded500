import numpy as np
import pandas as pd

index = pd.date_range("2024-01-01", periods=365, freq="D")
temperature = pd.Series(10 + 10 * np.sin(np.arange(365) * 2 * np.pi / 365), index=index, name="temperature")
monthly = temperature.resample("MS").mean().round(2)
print(monthly.head(4))
print(temperature.rolling(7).mean().dropna().iloc[[0, -1]].round(3).tolist())
print(temperature.idxmax().strftime("%d %B"), temperature.between(15, 20).sum())
local = temperature.tz_localize("UTC").tz_convert("Europe/Berlin")
print(local.index[180])
