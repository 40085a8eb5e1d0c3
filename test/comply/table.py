"""Prints the suite's results side by side; fails where a test is lost.

Usage: table.py DIRECTORY RUN [RUN ...]: reads DIRECTORY/RUN.json as written by `llm-comply --json`.
The first run is the yardstick: all its tests must pass, and every test that it passes must pass in the others.
"""

import json
import pathlib
import sys


def results_of(path: pathlib.Path) -> dict[str, dict]:
    return {result["id"]: result for result in json.loads(path.read_text())["results"]}


def main() -> int:
    directory, *names = sys.argv[1:]
    runs = {name: results_of(pathlib.Path(directory, f"{name}.json")) for name in names}
    yardstick = runs[names[0]]
    width = max(map(len, yardstick))
    print("  ".join(["test".ljust(width), *(name.ljust(8) for name in names)]))
    problems = []
    for test, direct in yardstick.items():
        cells = []
        for name, results in runs.items():
            result = results.get(test, {"status": "missing"})
            cells.append(result["status"].ljust(8))
            wanted = name == names[0] or direct["status"] == "passed"
            if result["status"] != "passed" and wanted:
                problems.append((name, test, result.get("errors", [])))
            problems += [(name, test, [f"warning: {text}"]) for text in result.get("warnings", []) if wanted]
        print("  ".join([test.ljust(width), *cells]))
    for name, test, errors in problems:
        print(f"\n{name}: {test}")
        for error in errors:
            print(f"  {error}")
    passed = {name: sum(r["status"] == "passed" for r in results.values()) for name, results in runs.items()}
    print("\n" + ", ".join(f"{name}: {count} of {len(yardstick)} passed" for name, count in passed.items()))
    return 1 if problems else 0


sys.exit(main())
