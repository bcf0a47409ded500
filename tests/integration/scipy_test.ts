/** scipy, in builds that have it. */

import assert from "node:assert/strict";
import { TestServer } from "../support/harness.ts";
import { tasksOf } from "../support/tasks.ts";
import { completed, inSession, testWithScipy as test } from "../support/scipy_programs.ts";

test("everyday programs with scipy run at the first attempt, and print what they print elsewhere", async (t) => {
  const tasks = await tasksOf("scipy");
  assert.equal(tasks.length, 17);
  for (const { name, code, expected } of tasks) {
    await t.step(name, async () => {
      assert.equal(completed(await inSession(code)).stdout.trimEnd(), expected);
    });
  }
});

test("a session goes to the interpreter with scipy with what it has, from the plain one and from the one with numpy", async () => {
  const fromPlain = await inSession(
    "kept = {'a': [1, 2, 3]}\ndef double(x): return 2 * x",
    "from scipy import stats\nround(float(stats.gmean(kept['a']) ** 3), 6), double(4)",
  );
  assert.equal(completed(fromPlain).result, "(6.0, 8)");
  const fromNumpy = await inSession(
    "total = 0",
    "import numpy as np, pandas as pd\nframe = pd.DataFrame({'a': np.arange(4.0)})\ngenerator = np.random.default_rng(1)\ngenerator.random()",
    "from scipy.integrate import trapezoid\nfloat(trapezoid(frame.a)), round(generator.random(), 6), total",
    "int(np.sum([1, 2])), len(frame)",
  );
  assert.equal(completed(fromNumpy).result, "(3, 4)");
  const fromFigures = await inSession(
    "import pandas as pd, matplotlib.pyplot as plt, lxml.etree\nfigure, axes = plt.subplots()\naxes.plot(pd.Series([1, 2]))",
    "from scipy import stats\nlen(axes.lines), float(stats.norm.cdf(0))",
  );
  assert.equal(completed(fromFigures).result, "(1, 0.5)");
});

test("a program of numpy alone stays where there is no scipy, and is told where that is", async () => {
  const reply = await inSession("import numpy\n__import__('sci' + 'py')");
  assert.equal(reply.status, "failed");
  assert.match(reply.error!.message, /interpreter of its own.*run "import scipy" first/);
});

test("what is stopped within LAPACK, SuperLU or C++ leaves the session as it was", async () => {
  await using server = await TestServer.start();
  const session = { session_id: "a" };
  completed(
    await server.python(
      "import numpy as np\nfrom scipy import linalg, optimize, sparse, spatial, fft\nimport scipy.sparse.linalg\n" +
        "kept = np.arange(5)\nlarge = np.random.default_rng(1).random((1500, 1500))",
      session,
    ),
  );
  const endless = [
    "linalg.eig(large)",
    "while True: linalg.svd(large[:300, :300] + 1j)",
    "scipy.sparse.linalg.splu(sparse.random_array((3000, 3000), density=0.1, rng=np.random.default_rng(1), format='csc') + sparse.eye_array(3000))",
    "while True: spatial.ConvexHull(large[:, :3])",
    "while True: fft.fft2(large)",
    "optimize.milp(-large[0, :300], integrality=np.ones(300), bounds=(0, 1), constraints=(large[:300, :300], -np.inf, 30))",
    "optimize.minimize(lambda x: float(np.sum(np.sin(x))) - 1e-9 * next(steps), np.ones(9), method='Nelder-Mead', " +
    "options={'maxiter': 10**9, 'maxfev': 10**9, 'xatol': 0, 'fatol': -1})",
  ];
  completed(await server.python("import itertools\nsteps = itertools.count()", session));
  for (const program of endless) {
    const stopped = await server.python(program, { ...session, timeout: 1 });
    assert.equal(stopped.status, "timeout", `${program}: ${JSON.stringify(stopped.error)}`);
    assert.equal(completed(await server.python("int(kept.sum())", session)).result, "10", program);
  }
});

test("memory that is exhausted within scipy is an error that says so, or ends the heap, and nothing else", async () => {
  await using server = await TestServer.start();
  const session = { session_id: "a" };
  completed(
    await server.python("import numpy as np\nfrom scipy import fft, linalg, sparse, spatial", session),
  );
  for (
    const greedy of [
      "linalg.inv(np.ones((10000, 10000)))",
      "kept = [linalg.hadamard(1024) for _ in range(10**4)]",
      "fft.fft(np.ones(10**8))",
      "spatial.Delaunay(np.random.default_rng(1).random((10**6, 5)))",
      "sparse.eye_array(10**8)",
    ]
  ) {
    const { status, error } = await server.python(greedy, { ...session, timeout: 30 });
    // Libraries in C have errors of their own.
    const said = status === "failed" && /memory/i.test(`${error?.type} ${error?.message}`);
    const told = said || status === "out_of_memory" || status === "timeout";
    assert.ok(told, `${greedy}: ${status} ${JSON.stringify(error)}`);
    completed(await server.python("1", session));
  }
});

test("the same program consumes the same fuel, whatever ran before it elsewhere", async () => {
  await using server = await TestServer.start();
  const program =
    "import numpy as np\nfrom scipy import optimize, linalg\nr = np.random.default_rng(1).random((80, 80))\n" +
    "round(float(linalg.eigvals(r).real.max()), 6), optimize.minimize(optimize.rosen, [2, 2], method='COBYQA').nfev";
  const first = completed(await server.python(program, { session_id: "a", timeout: 60 }));
  const second = completed(await server.python(program, { session_id: "b", timeout: 60 }));
  assert.ok(first.fuel_consumed > 1_000_000);
  assert.deepEqual([second.result, second.fuel_consumed], [first.result, first.fuel_consumed]);
});
