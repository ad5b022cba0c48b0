"""Reads the JSON stream of govulncheck; exit code 1 for calls outside the standard library."""

import json
import sys

with open(sys.argv[1]) as f:
    text = f.read()

decoder = json.JSONDecoder()
messages, at = [], 0
while text[at:].strip():
    at += len(text[at:]) - len(text[at:].lstrip())
    message, at = decoder.raw_decode(text, at)
    messages.append(message)

if not any("config" in m for m in messages):
    sys.exit("govulncheck said nothing")

failed = False
seen = set()
for m in messages:
    finding = m.get("finding")
    if not finding:
        continue
    frame = finding["trace"][0]
    if not frame.get("function"):  # the module is there, what is vulnerable is not called
        continue
    key = (finding["osv"], frame["module"])
    if key in seen:
        continue
    seen.add(key)
    ours = frame["module"] != "stdlib"
    failed = failed or ours
    print(f"{'vulnerable' if ours else 'note'}: {key[0]} in {key[1]} {frame.get('version', '')}, fixed in {finding.get('fixed_version', 'no version')}")
print(f"{len(seen)} vulnerabilities are called")
sys.exit(failed)
