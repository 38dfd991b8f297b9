"""Which lines of a long log are read: its head, its tail, and what stands around each word of trouble.

A training log of a thousand screens holds one error and very many lines of progress. Reading each of them would take longer
than all the rest of a lookup, so a long text is searched once for words, in linear time, and only lines near one are read.
Progress has such words, too (`memory allocated 3.1 GB` at every step): of lines that differ only in numbers the first few do.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from errdex.patterns import Finder

LONG = 1000  # lines up to which all are read
HEAD, TAIL = 100, 400  # lines that are read in any case
BEFORE, AFTER = 2, 20  # lines around each that holds a word
MOST = 4000  # lines that are read at most, and lines with a word that are looked at
ALIKE = 5  # lines that differ only in numbers, of which those around are read
REPEATED = 100  # the same for lines that an error itself is made of: each of many processes prints it
COMPARED = 200  # characters by which lines are alike
STRUCTURE = re.compile(r"Traceback|Error|Exception|File \"|During handling|direct cause")
NUMBER = re.compile(r"[0-9]+")
# What a line says that an error, a warning, a frame or a version is made of; at least one stands in every known wording.
WORDS = (
    r"[Ee]rror|ERROR|[Ee]xception|Traceback|[Ww]arn|WARN|[Ff]ail|FAIL|[Ff]atal|FATAL|[Aa]bort|[Aa]ssert|[Kk]ill|"
    r"[Ff]ault|[Cc]an(?:no| not|'t)|[Cc]ould(?: not|n't)|[Uu]nable|[Dd](?:o|oes|id)(?: not|n't)|"
    r"\b(?:NaN|nan|inf|Inf|OOM)\b|memory|[Oo]verflow|OVERFLOW|[Uu]nderflow|[Mm]ismatch|[Ii]nvalid|[Ii]llegal|"
    r"[Uu]nsupported|\b(?:not|Not|NOT)\b|[Nn]o (?:such|module)|undefined|refused|reset by|[Tt]imed? ?out|TIMEOUT|"
    r"[Dd]eadlock|denied|[Ii]nsufficient|[Ii]ncompatible|[Uu]nexpected|[Mm]issing|[Ss]kipp|[Dd]eprecat|[Mm]ust|"
    r"[Ss]hould|[Rr]equire|[Pp]lease|[Ii]gnor|[Ee]xit|[Ii]nterrupt|[Rr]oot [Cc]ause|[Uu]nused|[Ll]oss scale|"
    r"[Nn]o attribute|Some parameters|Ran out|too old|freeze_support|limit|terminate|what\(\)|core dumped|"
    r"During handling|direct cause|File \"|\.pyx?(?:\", line| in )|Cell In|ipython-input|"
    "==\\d|version|[\u3400-\u9fff]"
)


@cache
def _finder() -> Finder:
    return Finder(WORDS)


def worth_reading(lines: Sequence[str]) -> Sequence[int]:
    """Positions of the lines that are read, in order.

    Args:
        lines: all lines of a text.
    """
    if len(lines) <= LONG:
        return range(len(lines))
    chosen = {*range(HEAD), *range(len(lines) - TAIL, len(lines))}
    alike: Counter[str] = Counter()
    most: dict[str, int] = {}
    for looked, position in enumerate(_finder().lines("\n".join(lines))):
        if len(chosen) >= MOST or looked >= MOST:
            break
        shape = NUMBER.sub("0", lines[position][:COMPARED])
        alike[shape] += 1
        if shape not in most:
            most[shape] = REPEATED if STRUCTURE.search(shape) else ALIKE
        if alike[shape] > most[shape]:
            continue
        chosen.update(range(max(position - BEFORE, 0), min(position + AFTER + 1, len(lines))))
    return sorted(chosen)
