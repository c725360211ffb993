# CPT+ (the Python package cpt) over JSON on standard input: {"learn": [[page, ...], ...], "ask": [[...], ...]}.
# Prints the predicted page of each that is asked, or null. Run by visits.ts; install with: pip install cpt
import json
import sys

from cpt.cpt import Cpt

given = json.load(sys.stdin)
model = Cpt()
model.fit(given["learn"])
json.dump(model.predict(given["ask"]), sys.stdout)
