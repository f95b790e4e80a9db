"""Learn from texts which words attacks on assistants have, and print `data/attack_words.txt`.

    pip install scikit-learn
    python tests/bench/learn_words.py --benign DIR --benign DIR … --hostile DIR > attack_words.txt

Each folder below a DIR is a source. All sources of a DIR weigh the same, and so do the benign DIRs,
one for each kind of text: people's prompts, skills, the prompts of products. What is printed on
standard error says how well it carries over: each sixth of the sources is judged by what the others
teach. There, at most `--rate` percent of each kind of ordinary texts reach the limit.
scikit-learn is needed here only.
"""

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from precision import HEAD, LARGEST, SUFFIXES
from psreg.formats import dotprompt
from psreg.lint.content import attack_words
from psreg.lint.content.texts import of_prompt

SOURCES, TEXTS, WORDS, FOLDS = 6, 15, 1500, 6
FIRST, SECOND = 0.003, 0.01
SCALE = 1000
ABOUT_FILES = frozenset(
    [
        "chat",
        "claude",
        "com",
        "description",
        "file",
        "files",
        "github",
        "gpt",
        "gpts",
        "html",
        "http",
        "https",
        "id",
        "json",
        "license",
        "md",
        "name",
        "skill",
        "skills",
        "src",
        "title",
        "txt",
        "url",
        "use",
        "user_input",
        "www",
        "xml",
        "yaml",
        "yml",
    ]
)
"""Words of the files that the texts come from, and of the headings in them."""


def read(folder):
    """Yield the source and the words of each text below a folder."""
    for path in sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file()):
        text = path.read_bytes()[:LARGEST].decode(errors="replace")
        prompt = dotprompt.read((HEAD + text + "\n").encode())
        words = attack_words.words_of(of_prompt(prompt))
        if len(words) >= attack_words.FEWEST:
            yield f"{folder.name}/{path.relative_to(folder).parts[0]}", words


def matrix(texts, known):
    at = {word: number for number, word in enumerate(known)}
    rows = [[at[word] for word in words if word in at] for *_, words in texts]
    ends = np.cumsum([0, *map(len, rows)])
    columns = np.concatenate([np.array(row, int) for row in rows])
    return csr_matrix((np.ones(ends[-1]), columns, ends), shape=(len(rows), len(known)))


def candidates(texts):
    """Return the words that several sources of ordinary texts have, sorted.

    Words that only attacks have are above all those of a language that no ordinary text is in.
    """
    sources, number = defaultdict(set), Counter()
    for kind, source, words in texts:
        number.update(words)
        for word in words if kind else ():
            sources[word].add(source)
    often = {word for word in number if number[word] >= TEXTS and len(sources[word]) >= SOURCES}
    return sorted(word for word in often - ABOUT_FILES if len(word) > 1 and not word.isdigit())


def weights_of(source, kind, hostile):
    """Return the weight of each text: as much for the attacks as for the rest together."""
    weight = 1 / np.sqrt(np.bincount(source)[source])
    for each in np.unique(kind):
        weight[kind == each] /= weight[kind == each].sum()
    weight[hostile] *= weight[~hostile].sum() / weight[hostile].sum()
    return weight * len(weight) / weight.sum()


def fit(found, hostile, weight):
    """Return the columns of the words that tell most, their weights, and the constant."""
    model = LogisticRegression(C=FIRST, solver="liblinear").fit(found, hostile, weight)
    present = np.asarray(found.mean(0)).ravel()
    tells = abs(model.coef_[0]) * np.sqrt(present * (1 - present))
    kept = np.sort(np.argsort(-tells, kind="stable")[:WORDS])
    model = LogisticRegression(C=SECOND, solver="liblinear").fit(found[:, kept], hostile, weight)
    return kept, model.coef_[0], model.intercept_[0]


def judged_by_others(found, hostile, weight, fold):
    """Return the score of each text by what the texts of the other folds teach."""
    score = np.zeros(len(fold))
    for each in range(FOLDS):
        own = fold == each
        kept, weights, constant = fit(found[~own], hostile[~own], weight[~own])
        score[own] = found[own][:, kept] @ weights + constant
    return score


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--benign", type=Path, required=True, action="append")
    parser.add_argument("--hostile", type=Path, required=True)
    parser.add_argument("--rate", type=float, default=0.7)
    args = parser.parse_args()
    folders = [args.hostile, *args.benign]
    texts = [(number, *each) for number, folder in enumerate(folders) for each in read(folder)]
    known = candidates(texts)
    kind = np.array([number for number, *_ in texts])
    names, source = np.unique([name for _, name, _ in texts], return_inverse=True)
    found, hostile = matrix(texts, known), kind == 0
    weight = weights_of(source, kind, hostile)
    score = judged_by_others(found, hostile, weight, source % FOLDS)
    rate = 1 - args.rate / 100
    limit = max(np.quantile(score[kind == each], rate) for each in np.unique(kind[~hostile]))
    for number, name in enumerate(names):
        print(f"{name:40} {(score[source == number] >= limit).mean():7.1%}", file=sys.stderr)
    for number, folder in enumerate(folders):
        print(f"{folder.name:40} {(score[kind == number] >= limit).mean():7.2%}", file=sys.stderr)

    kept, weights, constant = fit(found, hostile, weight)
    print(
        "# Words of attacks on assistants, and of ordinary prompts (negative), with their weights;"
    )
    print("# learned by tests/bench/learn_words.py, which explains them.")
    print("LIMIT", round((limit - constant) * SCALE))
    for column, value in zip(kept, weights, strict=True):
        if value := round(value * SCALE):
            print(known[column], value)


if __name__ == "__main__":
    main()
