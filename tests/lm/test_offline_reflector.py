"""Reflector: a lesson comes from feedback that belongs to its example, one a call, in general words only."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.lm.offline.lessons import SENTENCES, lessons_in
from tasks.lm.offline.reflector import GENERIC, ReflectorEngine
from tasks.records.model import Asker, ModelRequest
from tests.lm.test_offline_chat import prompted

LAW = settings(max_examples=50, deadline=None)
CURRENT = "Diagnose it."
OUTPUTS = {
    "values": "tests/test_tax.py:5: in test_tax\nE   assert 3.0 == 4.0\nE    +  where 3.0 = tax(10)",
    "boundaries": "tests/test_age.py:5: in test_age\nE   assert False\nE    +  where False = adult(18)",
    "absence": "tests/test_mean.py:5: in test_mean\nstats.py:2: in mean\nE   ZeroDivisionError: division by zero",
    "places": "tests/test_trip.py:5: in test_trip\nroute.py:9: in trip\n"
    "E   ImportError: cannot import name 'old_km' from 'distance'",
}
NODES = {
    "values": "tests/test_tax.py::test_tax",
    "boundaries": "tests/test_age.py::test_age",
    "absence": "tests/test_mean.py::test_mean",
    "places": "tests/test_trip.py::test_trip",
}


def feedback(lesson: str, level: str = "full") -> str:
    """Feedback in the layout of tasks/scoring/feedback.py."""
    text = "# Feedback\nscore: 0.360000\n"
    if level != "score":
        text += "\n## Components\n- public_tests: 0.00 (0 of 1)\n- independent evaluation: not passed\n"
    if level == "full":
        node, output = NODES[lesson], OUTPUTS[lesson]
        text += f"\n## Public tests\nsource: reproduction on the untouched code\npassed: 0 of 1\n- {node}: failed\n"
        text += f"\n### Output\n{node}: failed in call\n{output}\n"
    return text


def example(lesson: str, told: str | None = None, **more: str) -> dict[str, object]:
    """One example of the diagnosing predictor, or of another with more inputs."""
    evidence = f"### reproduced failure\n{NODES[lesson]}: failed in call\n{OUTPUTS[lesson]}"
    inputs = {"issue": "It is wrong.", "repository_evidence": evidence, "constraints": "", **more}
    return {"Inputs": inputs, "Generated Outputs": {"diagnosis": "?"}, "Feedback": told or feedback(lesson)}


def proposal(examples: list[dict[str, object]], current: str = CURRENT, limit: int = 4000) -> str:
    """The new instruction."""
    request = prompted(
        ("additional_instructions", "length_limit", "current_instruction", "examples_with_feedback"),
        ("new_instruction",),
        {
            "additional_instructions": "State general rules.",
            "length_limit": f"The new instruction must be at most {limit} characters.",
            "current_instruction": current,
            "examples_with_feedback": json.dumps(examples, ensure_ascii=False),
        },
        "Write a new instruction.",
        as_json=True,
    )
    return str(json.loads(reply(request))["new_instruction"])


def reply(request: ModelRequest) -> str:
    """The engine's text."""
    return ReflectorEngine().complete(request, Asker(session="s", attempt="a"), 0).text


@pytest.mark.parametrize("lesson", ["values", "boundaries", "absence"])
def test_feedback_teaches_a_diagnosing_predictor(lesson):
    """The shape of the failure decides which lesson is drawn."""
    assert proposal([example(lesson)]) == f"{CURRENT} {SENTENCES[lesson]}"


def test_a_name_that_is_gone_teaches_a_patching_predictor_only():
    """Who diagnoses cannot change every place; who patches can."""
    assert proposal([example("places", diagnosis="renamed")]) == f"{CURRENT} {SENTENCES['places']}"
    assert proposal([example("places")]) == f"{CURRENT} {GENERIC}"
    assert proposal([example("values", diagnosis="wrong")]) == f"{CURRENT} {GENERIC}"


def test_one_call_teaches_one_lesson_and_the_next_the_next():
    """The first example's lesson comes first; what is known is not taught again."""
    both = [example("absence"), example("values")]
    once = proposal(both)
    assert lessons_in(once) == {"absence"}
    assert lessons_in(proposal(both, once)) == {"absence", "values"}


@pytest.mark.parametrize("shift", [1, 2, 3])
def test_shuffled_feedback_teaches_nothing(shift):
    """With every example told about another, only care is recommended."""
    kinds = list(OUTPUTS)
    told = [example(kind, feedback(kinds[(at + shift) % 4])) for at, kind in enumerate(kinds)]
    assert proposal(told) == f"{CURRENT} {GENERIC}"


@pytest.mark.parametrize("level", ["score", "components"])
def test_scores_alone_teach_nothing(level):
    """Without output there is nothing to learn from."""
    assert proposal([example("values", feedback("values", level))]) == f"{CURRENT} {GENERIC}"


def test_an_example_that_passed_teaches_nothing():
    """Success needs no lesson."""
    passed = feedback("values").replace("evaluation: not passed", "evaluation: passed")
    assert proposal([example("values", passed)]) == f"{CURRENT} {GENERIC}"


def test_care_is_recommended_once():
    """An instruction does not grow without bound."""
    once = proposal([])
    assert proposal([], once) == once == f"{CURRENT} {GENERIC}"


def test_no_word_of_a_case_reaches_the_instruction():
    """What is added is one of five sentences, whatever the example holds."""
    for lesson in OUTPUTS:
        added = proposal([example(lesson, diagnosis="secret_name")]).removeprefix(CURRENT).strip()
        assert added in {*SENTENCES.values(), GENERIC}


def test_a_limit_is_kept():
    """A sentence that does not fit is not added."""
    assert proposal([example("values")], limit=30) == CURRENT


def test_a_draft_is_shortened_by_whole_sentences():
    """The compressing call keeps what fits, from the start."""
    inputs = {"instruction": "Keep this. Drop this sentence.", "length_limit": "It must be at most 12 characters."}
    request = prompted(tuple(inputs), ("shortened_instruction",), inputs, "Shorten.", as_json=True)
    assert json.loads(reply(request)) == {"shortened_instruction": "Keep this."}


@LAW
@given(st.text(max_size=300), st.text(max_size=200))
def test_no_text_makes_the_reflector_raise(examples, current):
    """Garbage in place of examples leaves the instruction standing."""
    inputs = {"current_instruction": f"A {current}", "examples_with_feedback": examples}
    request = prompted(tuple(inputs), ("new_instruction",), inputs, "Write.", as_json=True)
    assert json.loads(reply(request))["new_instruction"].startswith("A")
