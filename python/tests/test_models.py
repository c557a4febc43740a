"""Models, and the same as ONNX."""

import multiprocessing
import tomllib
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

import hotstone
from hotstone import Games, Model, Position, Rules

RELEASED = Path(__file__).parents[2] / "models" / "released"
FOLDERS = sorted(card.parent for card in RELEASED.glob("*/card.toml"))
TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def universal():
    return Model.load()


def exported(model, path):
    hotstone.export_onnx(model, path)
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def positions_of_games(rules):
    """Running positions after various numbers of random turns."""
    found = []
    for turns in [0, 3, 10, 30, 60]:
        games = Games(rules, 8)
        games.play_random(turns, seed=turns)
        found += [games[game] for game in range(len(games)) if not games.finished[game]]
    return found


def assert_agree(model, session, positions):
    """Policies, values and leads of a model are those of its ONNX form, and so are logits of the size of theirs."""
    planes, numbers = (np.stack(arrays) for arrays in zip(*(it.encode() for it in positions)))
    answers = session.run(None, {"planes": planes, "numbers": numbers})
    logits, result = answers[:2]
    legal = np.stack([position.legal_mask() for position in positions])
    sign = np.array([1 if position.to_play == "black" else -1 for position in positions])
    policy, value, lead = model.evaluate(positions)
    assert (policy[~legal] == 0).all()
    priors = log_softmax(np.where(legal, logits, -np.inf))
    near = {"rtol": 0, "atol": TOLERANCE}
    np.testing.assert_allclose(np.exp(priors), policy, **near)
    # Smaller ones lose digits as f32.
    likely = policy > 1e-30
    np.testing.assert_allclose(
        priors[likely], np.log(policy[likely]), rtol=TOLERANCE, atol=TOLERANCE
    )
    shares = np.exp(log_softmax(result))
    np.testing.assert_allclose(sign * (shares[:, 0] - shares[:, 2]), value, **near)
    if len(answers) == 3:
        area = planes.shape[2] * planes.shape[3]
        np.testing.assert_allclose(sign * np.clip(answers[2][:, 0], -1, 1), lead / area, **near)
    else:
        assert np.isnan(lead).all()


def log_softmax(logits):
    logits = logits - logits.max(1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(1, keepdims=True))


@pytest.mark.parametrize("variant", hotstone.variants())
def test_the_universal_model_is_the_same_in_onnx(universal, variant, tmp_path):
    session = exported(universal, tmp_path / "universal.onnx")
    for size in [3, 5, 7, 9]:
        assert_agree(universal, session, positions_of_games(Rules(variant, size)))


def test_there_are_released_models():
    assert {folder.name for folder in FOLDERS} >= {"universal", "beginner"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_released_model_is_the_same_in_onnx(folder, tmp_path):
    model = Model.load(folder)
    session = exported(model, tmp_path / "model.onnx")
    assert_agree(model, session, positions_of_games(Rules(model.rules, 7)))


def test_the_file_says_what_it_is(universal, tmp_path):
    path = tmp_path / "universal.onnx"
    exported(universal, path)
    properties = {it.key: it.value for it in onnx.load(path).metadata_props}
    assert properties["planes"].split("\n") == list(hotstone.PLANE_NAMES)
    assert properties["sizes"].split()[0] == "3x3"


def test_the_universal_model_is_loaded_whatever_the_folder_holds(tmp_path, monkeypatch):
    (tmp_path / "universal").mkdir()
    monkeypatch.chdir(tmp_path)
    assert Model.load().plays(Rules("tile", 9))
    with pytest.raises(hotstone.ModelError):
        Model.load("universal")


def test_models_know_what_they_play(universal):
    assert universal.plays(Rules("tile", 9)) and not universal.plays(Rules("tile", 10))
    card = tomllib.loads((RELEASED / "universal" / "card.toml").read_text())
    assert universal.blocks == card["architecture"]["blocks"]
    assert (3, 3) in universal.sizes and universal.training_step == card["training_step"]
    assert Model.load(RELEASED / "beginner").plays(Rules("tile", 7))
    policy, value, lead = universal.evaluate([Position(Rules("nogo", 5)).play("C3")])
    assert policy.shape == (1, 51) and value.shape == lead.shape == (1,)
    assert abs(policy.sum() - 1) < 1e-5 and abs(value[0]) <= 1


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="nothing is forked here"
)
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_loads_the_model_again():
    models = [Model.load()]
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def work():
        try:
            models[0].evaluate([start("go", 5)])
        except hotstone.ModelError as error:
            sender.send(str(error))
        models.clear()
        sender.send(Model.load().evaluate([start("go", 5)])[1].shape)

    child = context.Process(target=work)
    child.start()
    try:
        for expected in ["this process was forked: load the model again", (1,)]:
            assert receiver.poll(30) and receiver.recv() == expected
        child.join(30)
        assert child.exitcode == 0
    finally:
        child.kill()
    assert models[0].evaluate([start("go", 5)])[1].shape == (1,)


@pytest.mark.parametrize(
    ("error", "words", "mistake"),
    [
        (hotstone.ModelError, "not found", lambda model: Model.load("nowhere")),
        (hotstone.ModelError, "board sizes", lambda model: model.evaluate([start("go", 10)])),
        (ValueError, "one size", lambda model: model.evaluate([start("go", 5), start("go", 6)])),
        (ValueError, "no positions", lambda model: model.evaluate([])),
        (
            ValueError,
            "is over",
            lambda model: model.evaluate([start("go", 5).play("pass").play("pass")]),
        ),
        (TypeError, "Position", lambda model: model.evaluate(["go"])),
    ],
)
def test_mistakes_raise_errors(universal, error, words, mistake):
    with pytest.raises(error, match=words):
        mistake(universal)


def start(variant, size):
    return Position(Rules(variant, size))
