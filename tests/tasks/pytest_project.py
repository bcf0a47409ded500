"""A small project with its tests, run by pytest."""
from pathlib import Path

import pytest

root = Path("calc")
(root / "tests").mkdir(parents=True)
(root / "calc.py").write_text("def div(a, b):\n    return a / b\n")
(root / "tests" / "test_calc.py").write_text("""
import pytest
from calc import div

@pytest.mark.parametrize("a, b, expected", [(6, 3, 2), (1, 4, 0.25)])
def test_div(a, b, expected):
    assert div(a, b) == expected

def test_zero():
    with pytest.raises(ZeroDivisionError):
        div(1, 0)

def test_file(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("MODE", "test")
    (tmp_path / "x").write_text("data")
    print((tmp_path / "x").read_text())
    assert capsys.readouterr().out == "data\\n"
""")
(root / "conftest.py").write_text("import sys\nsys.path.insert(0, 'calc')\n")
code = pytest.main(["-q", "-p", "no:cacheprovider", "calc"])
print("exit code", int(code))
