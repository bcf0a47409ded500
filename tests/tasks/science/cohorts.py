import numpy as np
import pandas as pd

rng = np.random.default_rng(7)
users = pd.DataFrame({"user": range(200), "joined": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, 200), unit="D")})
events = pd.DataFrame({"user": rng.integers(0, 200, 2000), "after": rng.exponential(40, 2000).astype(int)})
events = events.merge(users, on="user")
events["cohort"] = events["joined"].dt.to_period("M")
events["month"] = events["after"] // 30
cohorts = events.groupby(["cohort", "month"])["user"].nunique().unstack(fill_value=0)
retention = cohorts.div(users.assign(cohort=users["joined"].dt.to_period("M")).groupby("cohort").size(), axis=0)
print(retention.iloc[:, :3].round(2).to_string())
print(pd.cut(events["after"], [0, 7, 30, 90, np.inf], right=False, labels=["week", "month", "quarter", "later"]).value_counts(sort=False).to_dict())
events["rank"] = events.groupby("cohort")["after"].rank(pct=True)
print(events["rank"].describe()[["mean", "max"]].round(2).tolist())
print(events.sort_values(["cohort", "after"]).groupby("cohort").tail(1)[["user", "after"]].values.tolist())
