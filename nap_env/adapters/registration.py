"""The names under which Gymnasium and PettingZoo make these environments."""

from __future__ import annotations

import gymnasium
import pettingzoo

# What the learner decides under each id; see nap_env.seat.
TASKS = {
    "nap_env/Nap-v0": "full",
    "nap_env/NapBidding-v0": "bidding",
    "nap_env/NapPlay-v0": "play",
}


def register() -> None:
    """Make the ids known; may be called again.

    No wrapper is put around: each would hide ``action_masks()``, and `SeatEnv` keeps order by itself.
    """
    for name, task in TASKS.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="nap_env.seat:SeatEnv",
                vector_entry_point="nap_env.vector_env:NapVectorEnv",
                order_enforce=False,
                disable_env_checker=True,
                kwargs={"task": task},
            )
    if hasattr(pettingzoo, "register") and "nap_env/nap-v0" not in pettingzoo.aec_registry:  # 1.27 and newer
        pettingzoo.register("aec", "nap_env/nap-v0", entry_point="nap_env.nap_v0:env")
