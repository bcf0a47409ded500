import numpy as np
from scipy import stats

print(stats.norm.cdf(1.96), stats.norm.ppf(0.975))
print(stats.binom.pmf([0, 1, 2, 3], 3, 0.5), stats.poisson.sf(4, 2.5).round(8))
for distribution in (stats.gamma(2.5), stats.beta(2, 3), stats.lognorm(0.5), stats.weibull_min(1.7), stats.t(5), stats.expon(scale=2)):
    print(distribution.dist.name, [f"{float(value):.6f}" for value in distribution.stats("mvsk")], f"{distribution.median():.6f}")
sample = stats.gamma.rvs(2.5, scale=1.5, size=2000, random_state=3)
print([f"{value:.3f}" for value in stats.gamma.fit(sample, floc=0)])
kde = stats.gaussian_kde(sample)
print(kde([1, 3, 8]).round(5))
print(stats.multivariate_normal([0, 0], [[1, 0.5], [0.5, 2]]).pdf([[0, 0], [1, 1]]).round(6))
about = stats.describe([1, 2, 2, 3, 14])
print(about.nobs, about.minmax, round(about.mean, 6), round(about.variance, 6), round(about.skewness, 6), round(about.kurtosis, 6))
print(stats.zscore([1, 2, 3, 4]).round(4), stats.percentileofscore([1, 2, 3, 4], 3), stats.mode([1, 2, 2, 5]).mode)
