import json
import pandas as pd

text = '''[{"id": 1, "user": {"name": "Ann", "tags": ["a", "b"]}, "scores": [{"k": "x", "v": 1}, {"k": "y", "v": 2}]},
{"id": 2, "user": {"name": "Bo", "tags": []}, "scores": [{"k": "x", "v": 5}]}]'''
records = json.loads(text)
flat = pd.json_normalize(records, record_path="scores", meta=["id", ["user", "name"]])
print(flat)
wide = flat.pivot(index="user.name", columns="k", values="v")
print(wide)
print(wide.to_json())
print(wide.to_markdown() if False else wide.to_string(na_rep="-"))
