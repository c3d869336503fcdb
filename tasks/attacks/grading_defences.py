"""Grading defences: every wall of the three tiers, the piece of source that it is, and the cheats that must see it.

Covered      every check of `Account`, every option of the runner, every variable: each is a defence here, or NO_WALL
             says why it is none; a test compares this with the source. Of the stronger tiers, what a cheat could gain
             by; what only keeps honest tests honest is in NO_GAIN.
Source       DESIGN.md, principle 6.
"""

from dataclasses import dataclass, replace

from tasks.attacks.copies import Cut
from tasks.records.grading import GradingTier

Wall = tuple[str, tuple[Cut, ...]]


@dataclass(frozen=True)
class Defence:
    """What is cut out, the cheats that must see it, and the walls behind it.

    `nodes` are those on which it shows, if not on all; `plans_anew`: twins are planned by the weakened copy.
    `gradings`: how often a cheat must get through, where a guess could.
    """

    name: str
    rows: tuple[str, ...]
    cuts: tuple[Cut, ...] = ()
    tier: GradingTier = "in-process"
    opens_gate: bool = False
    behind_gate: bool = False
    behind: tuple[Wall, ...] = ()
    nodes: tuple[str, ...] = ()
    plans_anew: bool = False
    gradings: int = 1


GATE = "the patch gate"
PATH_EARLY = Cut("runner.py", "    sys.path.append(order.site)\n",
                 "    sys.path[:0] = [order.root]\n    sys.path.append(order.site)\n")  # fmt: skip
PYTEST_FIRST: Wall = ("pytest is imported before the tree is on the path", (PATH_EARLY,))
RESTORED: Wall = ("tests and configuration are restored", (
    Cut("judging.py", "tuple(file for file in tree.files if not _judges(file.path))", "tree.files"),
    Cut("judging.py", "SourceTree(files=theirs).overlaid(SourceTree(files=ours)).overlaid(self.sealed)",
        "SourceTree(files=ours).overlaid(self.sealed).overlaid(SourceTree(files=theirs))"),
))  # fmt: skip
NODE_SET = Cut("grading.py", 'else "missing"\n', 'else "passed"\n')
NO_SKIPS = Cut("grading.py", '            return "skipped"\n', '            return "passed"\n')

WITHHELD = "() if isinstance(error, AssertionError) or not isinstance(error, Exception) else error.args"
ORDERED = "if (question := against_a_value(name)) and not is_handle(args[0]):"
IN_PROCESS = (
    Defence(GATE, ("conftest-forces-passed", "conftest-below-tests"), opens_gate=True, behind=(RESTORED,)),
    Defence(
        RESTORED[0], ("conftest-forces-passed", "conftest-below-tests", "hidden-file-planted-before"), RESTORED[1],
        behind_gate=True,
    ),
    Defence(
        "the end is compared with the outside", ("records-without-an-end",),
        (Cut("grading.py", '"mismatch" if ended.how == "exit" and not said else', '"mismatch" if said is None else'),),
    ),
    Defence("the exact node set", ("end-without-tests", "tests-redefined-in-the-caller"), (NODE_SET,)),
    Defence(
        "skips and expected failures are no passes", ("skip-from-the-code", "xfail-from-the-code", "unittest-skip"),
        (NO_SKIPS,),
    ),
    Defence(
        "setup, call and teardown all passed", ("records-of-setup-only",),
        (Cut("grading.py", '(phase, "passed") for phase in PHASES]', '(phase, "passed") for phase in outcomes]'),),
    ),
    Defence(
        "records in order", ("extra-records-before-the-real-ones",),
        (Cut("grading.py", 'raise Forged(f"{phase.when} out of turn")', "return"),),
    ),
    Defence(
        "nothing after the end", ("records-and-an-end-before-the-real-ones",),
        (Cut("grading.py", 'raise Forged("a record after the end")', "return"),),
    ),
    Defence(
        "records and not the exit status", ("os-exit-at-import", "exec-true", "atexit-exit"),
        (Cut(
            "grading.py", "    try:\n        account = Account.read(ended",
            "    if ended.status == 0:\n"
            '        return type("Trusting", (Account,), {"outcome": lambda *_: "passed"})(), "exit"\n'
            "    try:\n        account = Account.read(ended",
        ),),
    ),
    Defence(
        "hidden output stays here", ("leaks-the-hidden-tests",),
        (Cut("grading.py", '"" if hide_output else bounded(account.shown)', "bounded(account.shown)"),),
    ),
    Defence(
        "no bytecode in the tree", ("planted-bytecode-and-forge",),
        (Cut("workspaces.py", 'if not file.path.endswith((".pyc", ".pyo"))', "if True"),),
        behind_gate=True, behind=(RESTORED, PYTEST_FIRST),
    ),
    Defence(PYTEST_FIRST[0], ("shadow-pytest-and-forge",), PYTEST_FIRST[1], behind_gate=True),
    Defence(
        "an ini file of our own", ("pyproject-plugin",), (Cut("runner.py", '"-c", order.ini, ', ""),),
        behind_gate=True, behind=(RESTORED,),
    ),
    Defence(
        "no plug-ins by entry point", ("entry-point-in-dist-info",),
        (Cut("grading.py", '"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", ', ""),), behind_gate=True,
        behind=(RESTORED, PYTEST_FIRST),
    ),
    Defence(
        "the interpreter starts without site", ("sitecustomize-empties-tests",),
        (Cut("grading.py", '"-s", "-S", "-P", "-B")', '"-B")'),), behind_gate=True,
        behind=(RESTORED, ("the tree is on no path at the start", (
            Cut("grading.py", '"PYTHONHASHSEED": "0", ', '"PYTHONHASHSEED": "0", "PYTHONPATH": "/work", '),
        ))),
    ),
)  # fmt: skip

ASSERTED = Cut(
    "separate/link.py",
    'self.violations.append("an assertion failed in a function that the candidate called")', "pass",
)  # fmt: skip
ONLY_EXCEPTIONS = Cut(
    "separate/link.py", "(isinstance(kind, type) and issubclass(kind, Exception)) or",
    "(isinstance(kind, type) and issubclass(kind, BaseException)) or",
)  # fmt: skip
ANY_NAME = Cut(
    "separate/stdlib.py", '    raise Refused(f"the name {module[:40]}.{qualified[:40]}")',
    "    __import__(module)\n    return look_up(module, qualified)",
)  # fmt: skip
SEPARATE = (
    Defence(
        "the candidate's code is nowhere among the tests", ("always-equal-object",),
        (
            Cut("separate/judge.py", "seen = material(tests, present)",
                "seen = candidate.overlaid(material(tests, present))"),
            Cut("separate/judge.py", 'names = ",".join(sorted(proxied(bench, candidate, tests, present)))',
                'names = ""'),
        ),
    ),
    Defence(
        "the sealed files are not among the candidate's", ("tests-from-disk",),
        (Cut("separate/judge.py", "untested.view(candidate, ROOT)", "untested.view(tests.overlaid(candidate), ROOT)"),),
    ),
    Defence(
        "equality is decided among the tests", ("always-equal-object",),
        (Cut("separate/handles.py", '    __eq__ = refused("equality")\n',
             '    __eq__ = lambda self, other: link_of(self).ask("special", self, "__eq__", 0)\n'),),
    ),
    Defence(
        "order is decided among the tests", ("order-that-says-yes",),
        (Cut("separate/handles.py", ORDERED, "if question := '':"),),
    ),
    Defence(
        "membership is decided among the tests", ("member-of-everything",),
        (Cut("separate/handles.py", '"__contains__": contains, ', ""),),
    ),
    Defence(
        "__exit__ swallows nothing", ("context-that-swallows",),
        (Cut(
            "separate/handles.py",
            '    if link.ask("leave", self, shown) is not False:\n'
            '        link.violate("an object of the candidate\'s swallowed an exception")\n    return False\n',
            '    return bool(link.ask("leave", self, shown))\n',
        ),),
        behind=(("an assertion that fails in such a block is noted", (
            Cut("separate/handles.py", "if isinstance(error, AssertionError) and not known:", "if False:"),
        )),),
    ),
    Defence(
        "a class forwards what we know it may", ("class-that-claims-every-method",),
        (Cut("separate/handles.py", 'if each in SPECIAL and each != "__bool__"', 'if each != "__bool__"'),),
    ),
    Defence("violations are noted out of band", ("callback-errors-swallowed",), (ASSERTED,)),
    Defence(
        "what an assertion says stays here", ("callback-errors-read",),
        (Cut("separate/link.py", WITHHELD, "error.args"),),
        behind=(("violations are noted out of band", (ASSERTED,)),),
    ),
    Defence(
        "outcomes of pytest are not mapped", ("skip-by-name",), (ANY_NAME,),
        behind=(("only Exceptions are raised", (ONLY_EXCEPTIONS,)), ("skips are no passes", (NO_SKIPS,))),
    ),
    Defence(
        "only Exceptions are raised", ("interrupt-by-name",), (ONLY_EXCEPTIONS,),
        behind=(("outcomes of pytest are not mapped", (ANY_NAME,)), ("the exact node set", (NODE_SET,))),
    ),
)  # fmt: skip

SEALED_ON_TOP = Cut("twinned.py", "    graded = tree if sealed is None else tree.overlaid(sealed)", "    graded = tree")
DOUBTFUL = tuple(f"tests/test_hidden.py::test_{name}" for name in ("total_of_many", "convert_much", "fee"))
TWINNED = (
    Defence(
        "twins must fail", ("always-equal-object", "patched-runtest", "forger-everything-passed"),
        (Cut("twinned.py", 'return "failed" if original == "passed" and not (told and plan.twins) else original',
             "return original"),),
    ),
    Defence(
        "random names", ("forger-first-by-name",),
        (Cut("twinned.py", "{chance.getrandbits(48):012x}", "{number:03}_{chance.getrandbits(24):06x}"),),
    ),
    Defence("random order", ("forger-first-in-its-file",), (Cut("twinned.py", "    chance.shuffle(shuffled)\n", ""),)),
    Defence(
        "a plan holds for its source only", ("hidden-tests-of-another-module",),
        (Cut("twinned.py", '"error" if sha256(file.content) != plan.source else None', "None"),),
        behind_gate=True, behind=(RESTORED, ("sealed tests lie on top", (SEALED_ON_TOP,))),
    ),
    Defence(
        "every combination of values, so that none is in the majority", ("forger-majority",),
        (Cut("twins.py", "    return chosen, combined[1:] if chosen else []",
             "    return chosen, [option for site in chosen for option in site.options]"),),
        nodes=("tests/test_hidden.py::test_total",), plans_anew=True, gradings=5,
    ),
    Defence(
        "one family, whichever of its members is expected", ("forger-smallest",),
        (Cut("families.py",
             "return next(tuple(alike[low:high]) for low, high in pairwise(bounds) if member in alike[low:high])",
             "return tuple(alike[alike.index(member) :][:size]) if bounds else ()"),),
        behind=(("bits count only those with the same family", (
            Cut("twins.py", "count += wanted <=", "count += True or wanted <="),
        )),),
        nodes=DOUBTFUL, plans_anew=True, gradings=2,
    ),
)  # fmt: skip

DEFENCES = (
    *IN_PROCESS, *(replace(one, tier="twinned") for one in TWINNED),
    *(replace(one, tier="separate") for one in SEPARATE),
)  # fmt: skip

NO_WALL = {
    '"hide" if hide_output': "the report drops what it is sent; this keeps it from being sent",
    'Forged("a field that is no text")': "keeps the reader from crashing; a forger can write text",
    'Forged("a record of an unknown kind")': "a forger can leave unknown kinds out",
    "--rootdir": "names nodes; decides nothing", "--confcutdir": "no file above the tree can be written",
    "-pno:{name}": "plugins that report and keep things", "--color=no": "text", "--no-header": "text",
    "--show-capture=no": "text", "-q": "text", "--": "the end of the options",
    "--continue-on-collection-errors": "so that one broken file hides no other",
    "PYTHONHASHSEED": "repeatable", "NO_COLOR": "text", "TZ": "repeatable", "LANG": "text", "COLUMNS": "text",
    "PYTHONUTF8": "text",
}  # fmt: skip

NO_GAIN: dict[tuple[GradingTier, str], str] = {
    ("separate", "frames, values and levels are bounded"): (
        "whoever sends more exhausts the tests' process, which the sandbox bounds, and fails its own nodes"
    ),
    ("separate", "an answer names its question"): (
        "whoever may answer anything gains nothing by answering out of turn; a stray answer would shift honest ones"
    ),
    ("separate", "the clock is the tests'"): (
        "it is that of another process, which no piece of source makes so; `patched-clock-raises-approx` shows it"
    ),
    ("separate", "nothing is judged while the test has patched something"): (
        "a candidate cannot make a test patch; it keeps a test that expects nothing to happen from passing blindly"
    ),
    ("twinned", "a twin fails by an assertion"): (
        "a candidate can make a copy fail by an assertion as well; it keeps broken surroundings from counting"
    ),
}
"""What no cheat could gain by, and why it is there all the same."""
