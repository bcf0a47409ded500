/** scikit-learn, which is in builds that have scipy; what it computes is among the tasks of scipy. */

import assert from "node:assert/strict";
import { type Reply, TestServer } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";
import { completed, inSession, testWithScipy as test } from "../support/scipy_programs.ts";

test("a session takes what it has to scikit-learn, and keeps what it has learned, also in a checkpoint", async () => {
  const moved = await inSession(
    "kept = [1, 2, 3]\ndef double(x): return 2 * x",
    "import numpy as np\nrows = np.arange(6.0).reshape(3, 2)",
    "from sklearn.linear_model import LinearRegression\nmodel = LinearRegression().fit(rows, kept)",
    "model.predict([[6.0, 7.0]]).round(6).tolist(), double(4)",
  );
  assert.equal(completed(moved).result, "([4.0], 8)");
  await using server = await TestServer.start();
  const session = { session_id: "a" };
  completed(
    await server.python(
      "from sklearn.datasets import load_iris\nfrom sklearn.ensemble import RandomForestClassifier\n" +
        "X, y = load_iris(return_X_y=True)\nmodel = RandomForestClassifier(10, random_state=0).fit(X, y)",
      { ...session, timeout: 60 },
    ),
  );
  await server.call("checkpoint_session", { ...session, name: "learned" });
  completed(await server.python("del model", session));
  await server.call("restore_session", { ...session, checkpoint: "learned" });
  assert.equal(completed(await server.python("model.score(X, y) > 0.95", session)).result, "True");
});

test("joblib is there without anything else, and more jobs than one give what one gives", async () => {
  const alone = await inSession(
    "import joblib\nfrom pathlib import Path\nPath(joblib.__file__).is_relative_to('/usr/lib')",
  );
  assert.equal(completed(alone).result, "True");
  const jobs = await inSession(
    "import joblib\nfrom sklearn.datasets import load_iris\nfrom sklearn.ensemble import RandomForestClassifier\n" +
      "from sklearn.model_selection import cross_val_score\nX, y = load_iris(return_X_y=True)\n" +
      "[cross_val_score(RandomForestClassifier(5, random_state=0, n_jobs=n), X, y, cv=3, n_jobs=n).round(4).tolist() for n in (1, 2, -1)] + " +
      "[joblib.Parallel(n_jobs=n)(joblib.delayed(pow)(i, 2) for i in range(4)) for n in (1, 2, -1)]",
  );
  const values = JSON.parse(completed(jobs).result!) as unknown[];
  assert.deepEqual(values.slice(1, 3), [values[0], values[0]]);
  assert.deepEqual(values.slice(3), Array(3).fill([0, 1, 4, 9]));
});

test("what scikit-learn finds for a program has 64 bits, as on other machines", async () => {
  const reply = await inSession(`
import numpy as np
from sklearn import cluster, datasets, metrics, mixture, neighbors, preprocessing, svm
X, y = datasets.make_blobs(60, random_state=0)
found = [cluster.DBSCAN().fit(X).labels_, cluster.AgglomerativeClustering(3).fit_predict(X), cluster.HDBSCAN().fit_predict(X),
  cluster.MeanShift(bandwidth=2).fit_predict(X), mixture.GaussianMixture(3, random_state=0).fit_predict(X),
  neighbors.NearestNeighbors().fit(X).kneighbors(X)[1], preprocessing.LabelEncoder().fit_transform(["b", "a"]),
  metrics.pairwise_distances_argmin(X, X), svm.OneClassSVM().fit_predict(X), datasets.make_moons(10)[1], metrics.confusion_matrix(y, y), y]
{str(each.dtype) for each in found}`);
  assert.equal(completed(reply).result, "{'int64'}");
});

test("data sets that are elsewhere are refused with the reason, and those that come with it are there", async () => {
  const refused = await inSession(
    "from sklearn import datasets\ndatasets.fetch_california_housing(n_retries=1, delay=0.1)",
  );
  assert.match(refused.error?.message ?? "", /there is no network here/);
  const there = await inSession(
    "from sklearn.datasets import *\n" +
      "[load().data.shape for load in (load_iris, load_digits, load_wine, load_breast_cancer, load_diabetes)], load_sample_image('china.jpg').shape",
  );
  assert.equal(
    completed(there).result,
    "([(150, 4), (1797, 64), (178, 13), (569, 30), (442, 10)], (427, 640, 3))",
  );
});

test("it is there for pip and for importlib, and nothing has to be installed for it", async () => {
  const server = await sharedServer();
  const session_id = `sklearn_${crypto.randomUUID()}`;
  const { stdout } = await server.call("execute_code", {
    session_id,
    language: "shell",
    code: "pip install scikit-learn joblib",
  }).then(({ structured }) => structured as unknown as Reply);
  assert.match(stdout, /already satisfied: scikit-learn.*\n.*already satisfied: joblib/);
  await server.call("destroy_session", { session_id });
  const version = await inSession(
    "import importlib.metadata, sklearn\nimportlib.metadata.version('scikit-learn') == sklearn.__version__",
  );
  assert.equal(completed(version).result, "True");
});

test("what is stopped within scikit-learn leaves the session as it was", async () => {
  await using server = await TestServer.start();
  const session = { session_id: "a" };
  completed(
    await server.python(
      "from sklearn import cluster, datasets, ensemble, manifold, svm\nX, y = datasets.make_classification(3000, 20, random_state=0)\nkept = 10",
      { ...session, timeout: 60 },
    ),
  );
  for (
    const program of [
      "ensemble.RandomForestClassifier(10**5).fit(X, y)",
      "while True: svm.SVC(C=1e6).fit(X, y)",
      "cluster.KMeans(500, n_init=10**5).fit(X)",
      "manifold.TSNE(max_iter=10**6).fit_transform(X)",
    ]
  ) {
    const stopped = await server.python(program, { ...session, timeout: 1 });
    assert.equal(stopped.status, "timeout", `${program}: ${JSON.stringify(stopped.error)}`);
    assert.equal(completed(await server.python("kept", session)).result, "10", program);
  }
});
