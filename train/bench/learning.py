"""What is measured of learning: MaskablePPO's collection over our VecEnv and over SB3's own, and its updates.

Collection is ``collect_rollouts`` (network, masks, buffer and environment), an update is ``train`` with the
batches and epochs of ``nap train``. Learning is the two in turn: its rate is put together from theirs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from nap_env.rules import Rules
from nap_env.seat import SeatEnv
from train.bench.measure import VIEWS, Absent, Case, Sample, Work
from train.bench.ours import threads
from train.bench.settings import Settings
from train.learning.config import TrainConfig

BATCH = 256
ROLLOUT = 16384  # decisions of an update, however many tables they come from


@dataclass(frozen=True)
class Collection:
    """What collects: its name, text, tables, steps in a piece of work, and how it is made."""

    name: str
    text: str
    batch: int
    steps: int
    make: Callable[[Rules], Any]


def _ours(rules: Rules) -> Any:
    return importlib.import_module("train.sb3_env").NapVecEnv(BATCH, rules, opponents="random", seed=1)


def _dummy(number: int) -> Callable[[Rules], Any]:
    def make(rules: Rules) -> Any:
        vec_env = importlib.import_module("stable_baselines3.common.vec_env")
        return vec_env.DummyVecEnv([lambda: SeatEnv(rules, opponents="random")] * number)

    return make


COLLECTIONS = (
    Collection("ours", "NapVecEnv", BATCH, 16, _ours),
    Collection("dummy 8", "DummyVecEnv", 8, 32, _dummy(8)),
    Collection("dummy 256", "DummyVecEnv", BATCH, 2, _dummy(BATCH)),
)


def cases(settings: Settings) -> Iterator[Case]:
    """Collection by each, and the update, with one thread of PyTorch and with two."""
    for number in threads():
        for c in COLLECTIONS:
            yield Case(
                f"collect: {c.name}, {number}", "sb3", f"collect, {c.text}",
                partial(collecting, settings, c, number), c.batch, number,
                writes=VIEWS, unit="decisions", heavy=True,
            )  # fmt: skip
        work = partial(updating, settings, number)
        yield Case(f"update: {number}", "sb3", "update", work, BATCH, number, unit="decisions", heavy=True)


def collecting(settings: Settings, collection: Collection, number: int) -> Work:
    """Pieces of a rollout; the time inside the environment and its adapter is noted."""
    torch = _libraries()
    env = stopwatch(collection.make(settings.variant))
    model, callback = _model(env, collection.steps, settings)

    def sample() -> Sample:
        torch.set_num_threads(number)
        env.seconds, start = 0.0, perf_counter()
        collect(model, callback)
        return Sample(collection.steps * collection.batch, perf_counter() - start, env.seconds)

    torch.set_num_threads(number)
    collect(model, callback)
    return sample


def updating(settings: Settings, number: int) -> Work:
    """Whole updates on one rollout of ours."""
    torch = _libraries()
    rollout = ROLLOUT // 8 if settings.quick else ROLLOUT
    model, callback = _model(_ours(settings.variant), rollout // BATCH, settings)
    collect(model, callback)

    def sample() -> Sample:
        torch.set_num_threads(number)
        start = perf_counter()
        model.train()
        return Sample(rollout, perf_counter() - start)

    return sample


def collect(model: Any, callback: Any) -> None:
    """A rollout, as ``MaskablePPO.learn`` collects it."""
    model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps, use_masking=True)


def _model(env: Any, steps: int, settings: Settings) -> tuple[Any, Any]:
    """MaskablePPO as it begins to learn, and its callback."""
    config = TrainConfig()
    model = importlib.import_module("sb3_contrib").MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=steps,
        batch_size=min(config.batch_size, steps * env.num_envs),
        n_epochs=config.n_epochs,
        gamma=1.0,
        policy_kwargs={"net_arch": settings.widths},
        seed=1,
        device="cpu",
    )
    _total, callback = model._setup_learn(1_000_000_000, None)
    return model, callback


def _libraries() -> Any:
    """PyTorch, when all that is needed here is installed."""
    try:
        for name in ("sb3_contrib", "stable_baselines3", "train.sb3_env"):
            importlib.import_module(name)
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        raise Absent(f"{error.name} is not installed") from None


def stopwatch(env: Any) -> Any:
    """An SB3 VecEnv whose ``seconds`` are those spent in its steps and masks."""
    vec_env = importlib.import_module("stable_baselines3.common.vec_env")

    class Stopwatch(vec_env.VecEnvWrapper):  # type: ignore[name-defined,misc]
        seconds = 0.0

        def _timed(self, work: Callable[[], Any]) -> Any:
            start = perf_counter()
            try:
                return work()
            finally:
                self.seconds += perf_counter() - start

        def reset(self) -> Any:
            return self._timed(self.venv.reset)

        def step_async(self, actions: Any) -> None:
            self._timed(lambda: self.venv.step_async(actions))

        def step_wait(self) -> Any:
            return self._timed(self.venv.step_wait)

        def env_method(self, name: str, *args: Any, **kwargs: Any) -> Any:
            return self._timed(lambda: self.venv.env_method(name, *args, **kwargs))

    return Stopwatch(env)
