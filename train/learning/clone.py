"""The warm start: imitate a teacher's plays, make the bids of highest value, learn what hands are worth.

An untrained declarer loses every bid it makes, so that learning from nothing ends in never bidding
(TRAINING section 3). Imitation costs seconds and starts the search from sound bids.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch.nn import functional

from agents.seeing.features import features, phase_of, to_canonical
from nap_env.agent import Agent, ask
from nap_env.engine import records
from nap_env.rules import Rules
from nap_env.vector import Tables
from train.learning.bids import BidValues

TEMPERATURE = 0.02  # of the bids to be imitated, in scaled stakes: worse bids fade at this rate


@dataclass(frozen=True)
class Lessons:
    """D decisions of a teacher: feature rows int8 [D, F], masks int8 [D, 64], actions [D], returns [D].

    Actions are in canonical suits; a return is what the seat won in the rest of the hand, scaled.
    """

    rows: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int64]
    returns: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.actions)


def watch(teacher: Agent, rules: Rules, hands: int, seed: int, scale: float) -> Lessons:
    """Let the teacher play all seats of ``hands`` hands; keep each decision that had a choice."""
    tables = Tables(hands, rules, seed=seed, auto_deal=False)
    rng = np.random.default_rng(seed)
    kept: list[tuple[npt.NDArray[np.int8], ...]] = []
    who: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]] = []
    before: list[npt.NDArray[np.int32]] = []
    live = np.arange(hands)
    while live.size:
        views, masks, seats = tables.obs[live], tables.mask[live], tables.seat[live]
        actions = ask(teacher, views, masks, rng)
        choice = np.flatnonzero(masks.sum(axis=1) > 1)
        rows, turned, orders = features(views[choice], masks[choice], rules)
        kept.append((rows, turned, to_canonical(actions[choice], orders).astype(np.int8)))
        who.append((live[choice], seats[choice]))
        before.append(tables.net[live[choice], seats[choice]].copy())
        tables.step(actions, live)
        live = np.flatnonzero(~tables.over)
    net = tables.net
    gained = [net[table, seat] - then for (table, seat), then in zip(who, before, strict=True)]
    return Lessons(
        np.concatenate([part[0] for part in kept]),
        np.concatenate([part[1] for part in kept]),
        np.concatenate([part[2] for part in kept]).astype(np.int64),
        (np.concatenate(gained) / scale).astype(np.float32),
    )


def imitate(
    policy: MaskableActorCriticPolicy,
    lessons: Lessons,
    bids: BidValues | None,
    epochs: int,
    seed: int,
    progress: Callable[[float, float], None],
    batch_size: int = 1024,
    learning_rate: float = 1e-3,
) -> float:
    """Fit the policy to the teacher's plays and to the best of ``bids``, the value to the returns.

    ``progress(share, agreement)`` is called as it goes. Returns the share of the last epoch's decisions
    in which the policy's best action was the one to be imitated.
    """
    optimizer = torch.optim.Adam(policy.parameters(), lr=learning_rate)
    rng = np.random.default_rng(seed)
    total = epochs * len(lessons)
    seen = 0
    agreement = 0.0
    for _ in range(epochs):
        order = rng.permutation(len(lessons))
        agreed = 0
        for start in range(0, len(order), batch_size):
            batch = order[start : start + batch_size]
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * (1 - 0.9 * seen / total)
            agreed += _fit(policy, optimizer, lessons, bids, batch)
            seen += len(batch)
            progress(seen / total, agreed / (start + len(batch)))
        agreement = agreed / len(order)
    return agreement


def _fit(
    policy: MaskableActorCriticPolicy,
    optimizer: torch.optim.Optimizer,
    lessons: Lessons,
    bids: BidValues | None,
    batch: npt.NDArray[np.int64],
) -> int:
    rows = torch.as_tensor(lessons.rows[batch]).float()
    masks = torch.as_tensor(lessons.masks[batch]) != 0
    targets = functional.one_hot(torch.as_tensor(lessons.actions[batch]), masks.shape[1]).float()
    if bids is not None:
        auction = torch.as_tensor(phase_of(lessons.rows[batch]) == records.AUCTION)
        targets[auction] = bids.soft(rows[auction], masks[auction], TEMPERATURE)
    for_policy, for_value = policy.mlp_extractor(rows)
    logits = policy.action_net(for_policy).masked_fill(~masks, -1e8)
    values = policy.value_net(for_value).flatten()
    loss = functional.cross_entropy(logits, targets)
    loss = loss + 0.5 * functional.mse_loss(values, torch.as_tensor(lessons.returns[batch]))
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return int((logits.argmax(dim=1) == targets.argmax(dim=1)).sum())
