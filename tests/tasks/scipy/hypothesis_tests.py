import numpy as np
import pandas as pd
from scipy import stats

rng = np.random.default_rng(7)
control = rng.normal(100, 15, 80)
treated = rng.normal(107, 15, 85)
t = stats.ttest_ind(control, treated, equal_var=False)
print(f"Welch: t = {t.statistic:.4f}, p = {t.pvalue:.5f}, df = {t.df:.2f}")
u = stats.mannwhitneyu(control, treated)
print(f"Mann-Whitney: U = {u.statistic}, p = {u.pvalue:.5f}")
print("Shapiro:", round(stats.shapiro(control).pvalue, 4))
print("Levene:", round(stats.levene(control, treated).pvalue, 4))
groups = [rng.normal(mean, 1, 30) for mean in (0, 0.2, 0.9)]
print("ANOVA:", *(f"{value:.6f}" for value in stats.f_oneway(*groups)))
print("Kruskal:", f"{stats.kruskal(*groups).pvalue:.6f}")
table = pd.crosstab(pd.Series(["a", "a", "b", "b", "a", "b"] * 20), pd.Series(["x", "y", "x", "x", "x", "y"] * 20))
chi2 = stats.chi2_contingency(table)
print("Chi²:", round(chi2.statistic, 4), chi2.dof, round(chi2.pvalue, 4))
x = np.arange(30)
y = 3 * x + 5 + rng.normal(0, 4, 30)
line = stats.linregress(x, y)
print(f"y = {line.slope:.3f} x + {line.intercept:.3f}, r = {line.rvalue:.4f}, p = {line.pvalue:.3e}")
print("Pearson, Spearman, Kendall:", *(round(f(x, y).statistic, 5) for f in (stats.pearsonr, stats.spearmanr, stats.kendalltau)))
low, high = stats.t.interval(0.95, 79, loc=control.mean(), scale=stats.sem(control))
print(f"95 %: {low:.2f} … {high:.2f}")
print("Kolmogorov-Smirnov:", round(stats.ks_2samp(control, treated).pvalue, 5))
