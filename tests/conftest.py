"""The order of the tests: the real run starts first, its readers come last, the rest runs beside it."""

LAST = ("tests/flows/test_resume.py", "tests/flows/test_bad_weather.py")


def pytest_collection_modifyitems(items):
    """One worker is busy with the run for longer than all other tests take the other."""
    items.sort(key=turn)


def turn(item):
    if item.nodeid.startswith("tests/flows/test_experiment.py"):
        return 0
    return 2 if item.nodeid.startswith(LAST) else 1
