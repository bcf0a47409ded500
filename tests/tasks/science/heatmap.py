import numpy as np
import pandas as pd
import seaborn as sns
import matplotlib.pyplot as plt

rng = np.random.default_rng(0)
df = pd.DataFrame(rng.normal(size=(100, 4)), columns=list("abcd"))
df["e"] = df["a"] * 2 + rng.normal(scale=0.1, size=100)
correlation = df.corr()
sns.heatmap(correlation, annot=True, cmap="coolwarm", fmt=".2f")
plt.title("Correlation")
plt.show()
print(correlation.loc["a", "e"].round(2))
