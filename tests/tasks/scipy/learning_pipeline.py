import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, confusion_matrix, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=42, stratify=y)
print(X_train.shape, y_test.value_counts().to_dict())
models = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "svc": make_pipeline(StandardScaler(), SVC(probability=True, random_state=0)),
    "forest": RandomForestClassifier(n_estimators=50, random_state=0, n_jobs=-1),
    "boosting": GradientBoostingClassifier(n_estimators=30, random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=30, random_state=0),
}
for name, model in models.items():
    model.fit(X_train, y_train)
    print(f"{name}: {model.score(X_test, y_test):.4f} {roc_auc_score(y_test, model.predict_proba(X_test)[:, 1]):.4f}")
predicted = models["logistic"].predict(X_test)
print(confusion_matrix(y_test, predicted))
print(classification_report(y_test, predicted, target_names=["malignant", "benign"]))

grid = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 1, 10]}, cv=3, n_jobs=-1)
grid.fit(*load_wine(return_X_y=True))
print(grid.best_params_, round(grid.best_score_, 4))

people = pd.DataFrame({
    "age": [22, 38, None, 35, 54, 2, 27, 14],
    "city": ["Oslo", "Rome", "Oslo", None, "Rome", "Oslo", "Kyiv", "Kyiv"],
    "bought": [0, 1, 1, 1, 0, 0, 1, 0],
})
columns = ColumnTransformer([
    ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["age"]),
    ("names", make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")), ["city"]),
])
chain = make_pipeline(columns, LogisticRegression())
chain.fit(people[["age", "city"]], people["bought"])
print(chain[0].get_feature_names_out().tolist())
print(chain.predict_proba(pd.DataFrame({"age": [30], "city": ["Bonn"]})).round(4))
print(cross_val_score(chain, people[["age", "city"]], people["bought"], cv=2).round(3))
