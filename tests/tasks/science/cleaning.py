import numpy as np
import pandas as pd

people = pd.DataFrame({
    "name": [" Alice ", "BOB", "carol", "Dave", "alice"],
    "age": ["34", "n/a", "29", "", "34"],
    "city": ["Berlin", "Paris", None, "Rome", "Berlin"],
    "joined": ["2021-03-01", "2020-12-24", "not known", "2022-07-15", "2021-03-01"],
})
people["name"] = people["name"].str.strip().str.title()
people["age"] = pd.to_numeric(people["age"], errors="coerce")
people["joined"] = pd.to_datetime(people["joined"], errors="coerce")
people = people.drop_duplicates().reset_index(drop=True)
people["age"] = people["age"].fillna(people["age"].median())
print(people)
print(people.dtypes)
print(people.isna().sum().to_dict())
people.to_csv("people.csv", index=False)
print(open("people.csv").read())
