"""The example of the package's README, with a short training."""

import functools
import re
from importlib import metadata

import selfplay_trainer

SHORT = {"generations": 1, "selfplay.games_per_generation": 32, "gate.pairs": 4, "gate.eval_pairs": 2}
example = re.search(r"```python\n(.*?)```", str(metadata.metadata("selfplay-trainer").get_payload()), re.DOTALL)
assert example, "the README has an example"
selfplay_trainer.train = functools.partial(selfplay_trainer.train, set=SHORT)
exec(compile(example[1], "README.md", "exec"))
