"""How far an entry has been executed: in a word, in a sentence, and with the scripts themselves."""

from typing import NamedTuple

from errdex.entry import Entry
from errdex.markup import fenced, folded
from errdex.words import Words


class Proof(NamedTuple):
    """How far the entry has been executed: `ok`, `wait` or `none`, and the words for it."""

    state: str
    text: str


def need_text(needs: list[str], words: Words) -> str:
    """What a run takes, in words: `a GPU`, `torch 1.13`."""
    spoken = [
        need.removeprefix("old:").replace("==", " ") if need.startswith("old:") else words[f"need_{need}"] for need in needs
    ]
    return words["separator"].join(spoken)


def proof(entry: Entry, words: Words) -> Proof:
    """How far the entry has been executed."""
    run = entry.checked.run
    if run:
        return Proof("ok", words["badge_ran"].format(device=run.device.upper()))
    if entry.repro.none is not None:
        return Proof("none", words["badge_none"])
    if entry.repro.needs:
        return Proof("wait", words["badge_needs"].format(needs=need_text(entry.repro.needs, words)))
    return Proof("wait", words["badge_unrun"])


def last_run(entry: Entry) -> str:
    """The versions of the last run and its day; empty where there was none."""
    run = entry.checked.run
    if not run:
        return ""
    versions = [f"{name} {version}" for name, version in run.versions.items()]
    return " · ".join([*versions, f"Python {run.python}", run.date.isoformat()])


def proof_line(entry: Entry, words: Words) -> str:
    """How far the entry has been executed, and by which versions, in one line."""
    return " · ".join(part for part in (proof(entry, words).text, last_run(entry)) if part)


def _sentence(entry: Entry, words: Words) -> str:
    """What the scripts must do, and when they last did it."""
    kind = "guide" if entry.kind == "guide" else "prints" if entry.repro.prints else "error"
    text = words[f"proof_{kind}"]
    run = entry.checked.run
    if run:
        versions = words["separator"].join(f"{name} {version}" for name, version in run.versions.items())
        last = words["proof_run"].format(
            versions=versions, python=run.python, device=run.device.upper(), date=run.date.isoformat()
        )
    elif entry.repro.needs:
        last = words["proof_needs"].format(needs=need_text(entry.repro.needs, words))
    else:
        last = words["proof_unrun"]
    return f"{text} {last}" if text.isascii() else f"{text}{last}"


def _script(entry: Entry, name: str, code: str, words: Words) -> str:
    """One script, folded, with the file that `script_files` puts beside the page."""
    path = f"{entry.slug}/{name}"
    links = f'[{words["script_open"]}]({path}) · [{words["script_save"]}]({path}){{ download="{entry.slug}-{name}" }}'
    title = words[f"script_{name.removesuffix('.py')}"]
    return folded("example", title, f"{fenced(code, '.python')}\n\n{links}\n{{ .ex-files }}")


def proof_section(entry: Entry, words: Words) -> list[str]:
    """The section of the page that says what was executed."""
    heading = f"## {words['proof']} {{ #proof }}"
    if entry.repro.none is not None:
        return [heading, words["proof_none"], f"> {entry.repro.none}"]
    return [heading, _sentence(entry, words), *(_script(entry, name, code, words) for name, code in entry.scripts.items())]


def script_files(entry: Entry) -> dict[str, str]:
    """The scripts as files: their paths below each language, and their text."""
    return {f"{entry.path}/{name}": code for name, code in entry.scripts.items()}
