import tempfile

from sandbox import ExecutionPolicy, RuntimeType, create_sandbox

workspace = tempfile.mkdtemp()


def open_session(language):
    # The default budget is used up within a second of computing.
    policy = ExecutionPolicy(fuel_budget=10**12)
    runtime = RuntimeType.PYTHON if language == "python" else RuntimeType.JAVASCRIPT
    return create_sandbox(runtime=runtime, policy=policy, workspace_root=workspace)


def run(session, code):
    result = session.execute(code)
    if not result.success:
        raise RuntimeError(result.stderr[-200:])
    return result.stdout
