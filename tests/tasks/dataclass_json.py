"""Records to JSON and back, with checks."""
import json
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Self


class Level(str, Enum):
    LOW = "low"
    HIGH = "high"


@dataclass(order=True)
class Task:
    title: str
    level: Level = Level.LOW
    tags: list[str] = field(default_factory=list)

    def __post_init__(self):
        if not self.title:
            raise ValueError("title is empty")

    @classmethod
    def load(cls, text: str) -> Self:
        raw = json.loads(text)
        return cls(raw["title"], Level(raw["level"]), raw["tags"])


task = Task("write", Level.HIGH, ["a"])
text = json.dumps(asdict(task))
print(text, Task.load(text) == task)
match task:
    case Task(level=Level.HIGH, tags=[first, *_]):
        print("urgent", first)
try:
    Task("")
except ValueError as e:
    print("refused:", e)
