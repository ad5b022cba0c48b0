"""A pytest plugin that writes one line per test to file descriptor 3."""

import os

_worst = {}


def pytest_runtest_logreport(report):
    # A test has up to three reports (setup, call, teardown); the worst counts.
    outcome = {"passed": "pass", "failed": "fail", "skipped": "skip"}[report.outcome]
    order = ["pass", "skip", "fail"]
    _worst[report.nodeid] = max(_worst.get(report.nodeid, "pass"), outcome, key=order.index)
    if report.when == "teardown":
        os.write(3, f"{_worst.pop(report.nodeid)}\t{report.nodeid}\n".encode())
