"""Why pip took an older release than the newest one: what it has turned down since no index could help.

That releases contradict each other is pip's daily work; told is only what can't be had here at all.
"""

MAX_TEXT = 300
NOT_PURE = "has no wheel in pure Python"


class HeldBack:
    def __init__(self):
        # Per project: what the host said of its files, and the files.
        self.pages = {}
        self.files = {}
        # Per project that was asked for: which versions.
        self.specifiers = {}
        # Per project: the first release that was turned down, and why.
        self.rejected = {}

    def note(self, criterion, candidate):
        """Pip goes on to an older candidate, since something that this one needs has none."""
        parents = [information.parent for information in criterion.information]
        requirement = next(
            (each.requirement for each in criterion.information if each.parent is candidate), None
        )
        page = requirement and self.pages.get(requirement.project_name)
        if not page or page["native"] + page["sources"] == 0:
            return
        if page["files"] == 0 or all(parent is candidate for parent in parents):
            what = f"{candidate.project_name} {candidate.version} needs {requirement.format_for_error()}, which {NOT_PURE}"
            self.rejected.setdefault(candidate.project_name, (candidate.version, what[:MAX_TEXT]))

    def reason(self, name, version):
        """The newest release of an installed project that was to be taken, and why it was not; None if there is none."""
        from pip._vendor.packaging.version import Version

        reasons = [self.rejected[name]] if name in self.rejected else []
        if name in self.specifiers:
            unusable = self.pages.get(name, {}).get("unusable")
            if unusable and self.specifiers[name].contains(unusable):
                reasons.append((Version(unusable), f"{name} {unusable} {NOT_PURE}"[:MAX_TEXT]))
            if not reasons and self.rejected:
                _, because = next(iter(self.rejected.values()))
                reasons += [(newest, because) for newest in self.newest(name)]
        newer = [each for each in reasons if each[0] > Version(version)]
        if not newer:
            return None
        newest, because = max(newer)
        return {"newest": str(newest), "because": because}

    def newest(self, name):
        """The newest release of a project that could be taken if all it needs were there: one or none."""
        from pip._vendor.packaging.specifiers import SpecifierSet
        from pip._vendor.packaging.utils import parse_wheel_filename

        found = set()
        for file in self.files.get(name, ()):
            try:
                version = parse_wheel_filename(file["filename"])[1]
                python = SpecifierSet(file.get("requires-python") or "")
            except ValueError:
                continue
            if not file.get("yanked") and self.specifiers[name].contains(version) and python.contains("3.13"):
                found.add(version)
        return sorted(found)[-1:]
