"""A command line tool, called from within."""
import argparse
import json
import logging
import sys

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stdout)


def main(argv=None):
    parser = argparse.ArgumentParser(prog="tool", description="Adds numbers.")
    parser.add_argument("numbers", nargs="+", type=float)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(argv)
    logging.info("adding %d numbers", len(options.numbers))
    total = sum(options.numbers)
    print(json.dumps({"total": total}) if options.json else total)
    return 0


if __name__ == "__main__":
    main(["1", "2.5", "--json"])
    try:
        main(["--wrong"])
    except SystemExit as e:
        print("exit", e.code)
