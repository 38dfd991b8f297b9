"""Each rule of the knowledge base: an entry that breaks just this one is found out, a clean one is not."""

import dataclasses
import re
import tomllib
from pathlib import Path
from typing import cast

import pytest

from errdex.checks import HEADINGS, RULES, Finding, run_checks, stamp_translations
from errdex.language_rules import LANGUAGE_RULES
from errdex.lookup import Lookup
from errdex.models import Stage, Status
from tests.trees import ENGLISH, ENTRY_TOML, FILES, MAINLAND, TAIWAN, plant

GUIDE_TOML = ENTRY_TOML.replace('"error"', '"guide"').replace("[[signature]]\npattern = 'the lever is stuck at \\d+'\n\n", "")
FENCE = "```python\nlever.oil()  # once\n```\n"
LONG = "".join(f"x = {n}\n" for n in range(10)) + 'raise ValueError("the lever is stuck at 3")\n'

# rule, files that differ from the clean entry, where it is found, what is said about it
BREACHES: list[tuple[str, dict[str, str | None], str, str]] = [
    ("missing", {"zh-TW.md": None}, "zh-TW.md", "an entry has"),
    ("unexpected", {"notes.txt": "x"}, "notes.txt", "remove it"),
    ("toml", {"entry.toml": ENTRY_TOML.replace('"AMP001"', "AMP001")}, "entry.toml", "Invalid value"),
    ("schema", {"entry.toml": ENTRY_TOML.replace("role ", "rule ")}, "entry.toml", "rule: Extra inputs"),
    ("schema", {"entry.toml": ENTRY_TOML.replace("https:", "http:")}, "entry.toml", "sources.0"),
    ("area", {"entry.toml": ENTRY_TOML.replace("AMP001", "MEM001")}, "entry.toml", "belongs in kb/entries/mem/"),
    (
        "key-order",
        {"entry.toml": ENTRY_TOML.replace('kind       = "error"\n', "").replace("products ", 'kind = "error"\nproducts ')},
        "entry.toml",
        "entry: write the keys in the order id, status, added, kind, role",
    ),
    (
        "key-order",
        {"entry.toml": ENTRY_TOML.replace("pattern", "generic = true\npattern")},
        "entry.toml",
        "[[signature]]: write the keys in the order pattern, generic",
    ),
    ("added", {"entry.toml": ENTRY_TOML.replace("added      = 2026-11-30\n", "")}, "entry.toml", "added = 20"),
    ("scripts", {"fixed.py": None}, "fixed.py", "missing"),
    ("scripts", {"example.py": "x = 1\n"}, "example.py", "remove it"),
    ("scripts", {"entry.toml": ENTRY_TOML.replace("needs = []", 'none = "a lever breaks it"')}, "broken.py", "`none` goes with"),
    ("scripts", {"entry.toml": GUIDE_TOML, "broken.py": None, "fixed.py": None}, "example.py", "missing"),
    ("broken-length", {"broken.py": LONG}, "broken.py", "11 lines; 10 at most"),
    ("title", {"en.md": ENGLISH.replace("# ValueError", "ValueError")}, "en.md", "begin the page"),
    ("title", {"en.md": re.sub(r"\nOil the lever.*\n", "", ENGLISH)}, "en.md", "the answer itself"),
    ("sections", {"en.md": ENGLISH.replace(" { #cause }", "")}, "en.md", "meaning, cause, fix, verify, see-also"),
    ("sections", {"zh-TW.md": TAIWAN.replace("## 意義", "## 涵義")}, "zh-TW.md", "write `## 意義 { #meaning }`"),
    ("sections", {"zh-CN.md": MAINLAND.replace("太干了。\n", "")}, "zh-CN.md", "the section cause is empty"),
    ("fixes", {"zh-CN.md": MAINLAND.replace("### 更换\n", "")}, "zh-CN.md", "1 fixes, but en.md has 2"),
    (
        "fixes",
        {"zh-CN.md": MAINLAND.replace(FENCE, "").replace("用 1 个新的。\n", f"用 1 个新的。\n\n{FENCE}")},
        "zh-CN.md",
        "other code than those of en.md",
    ),
    ("fences", {"zh-TW.md": TAIWAN.replace("```python", "```py")}, "zh-TW.md", "code fence 1 differs"),
    ("fences", {"en.md": f"{ENGLISH}\n```\nx\n```\n"}, "zh-CN.md", "1 code fences, but en.md has 2"),
    ("spacing", {"zh-CN.md": MAINLAND.replace("用 1 个", "用1 个")}, "zh-CN.md", "put one space"),
    ("spacing", {"zh-CN.md": MAINLAND.replace("`lever.move()` 没", "`lever.move()`没")}, "zh-CN.md", "put one space"),
    ("spacing", {"zh-TW.md": TAIWAN.replace("用 1", "用  1")}, "zh-TW.md", "one space is enough"),
    ("spacing", {"zh-TW.md": TAIWAN.replace("不動，", "不動， ")}, "zh-TW.md", "no space beside"),
    ("punctuation", {"zh-TW.md": TAIWAN.replace("不動，", "不動,")}, "zh-TW.md", "full-width"),
    ("punctuation", {"zh-CN.md": MAINLAND.replace("上油；", "上油 (oil)；")}, "zh-CN.md", "full-width"),
    ("address", {"zh-CN.md": MAINLAND.replace("给操纵杆", "请您给操纵杆")}, "zh-CN.md", "write 你"),
    ("script", {"zh-TW.md": TAIWAN.replace("太乾", "太干")}, "zh-TW.md", "干 is Simplified; write 幹"),
    ("script", {"zh-CN.md": MAINLAND.replace("含义 {", "含義 {")}, "zh-CN.md", "義 is Traditional; write 义"),
    ("terms", {"zh-TW.md": TAIWAN.replace("要用", "內存要用")}, "zh-TW.md", "write 記憶體"),
    ("terms", {"zh-CN.md": MAINLAND.replace("要用", "记忆体要用")}, "zh-CN.md", "write 内存"),
    ("related", {"entry.toml": ENTRY_TOML.replace("related    = []", 'related = ["AMP009"]')}, "entry.toml", "AMP009 does not"),
    ("related", {"entry.toml": ENTRY_TOML.replace("related    = []", 'related = ["AMP001"]')}, "entry.toml", "itself"),
    ("related", {"entry.toml": ENTRY_TOML.replace('"active"', '"merged-into:AMP009"')}, "entry.toml", "AMP009 does not"),
    ("mentions", {"en.md": ENGLISH.replace("Nothing.", "See MEM009.")}, "en.md", "line 31: MEM009 does not exist"),
    ("page-links", {"en.md": ENGLISH.replace("https://example.org/manual", "../manual/")}, "en.md", "line 3: ../manual/"),
    ("page-links", {"en.md": ENGLISH.replace("https://example.org/manual", "http://x.org")}, "en.md", "line 3: http://x.org"),
    ("signatures", {"entry.toml": ENTRY_TOML.replace(r"\d+'", r"(?=\d)'")}, "entry.toml", "not an RE2 pattern"),
    (
        "signatures",
        {
            "entry.toml": ENTRY_TOML.replace(
                "[repro]", "[[signature]]\npattern = 'the lever is stuck at \\d+'\ngeneric = true\n\n[repro]"
            )
        },
        "entry.toml",
        "generic here, specific in AMP001",
    ),
    ("samples", {"samples/hit-rank.txt": None}, "samples", "1 hits beside the questions"),
    ("samples", {"samples/miss-knob.txt": None}, "samples", "no near miss"),
    ("samples", {"samples/hit-question-zh-TW.txt": None}, "samples/hit-question-zh-TW.txt", "missing"),
    ("samples", {"samples/other.txt": "x"}, "samples/other.txt", "name it"),
    ("samples", {"samples/hit-plain.txt": "\n"}, "samples/hit-plain.txt", "empty"),
]


def found(kb: Path, lookup: Lookup | None = None) -> list[Finding]:
    return run_checks(kb, (), lookup)


def test_a_clean_entry_has_no_findings(tmp_path: Path) -> None:
    plant(tmp_path)
    assert found(tmp_path) == []


def test_a_clean_guide_has_no_findings(tmp_path: Path) -> None:
    plant(tmp_path, {"entry.toml": GUIDE_TOML, "broken.py": None, "fixed.py": None, "example.py": "x = 1\n"})
    assert found(tmp_path) == []


@pytest.mark.parametrize(("rule", "changed", "where", "said"), BREACHES, ids=[f"{b[0]}-{n}" for n, b in enumerate(BREACHES)])
def test_each_breach_is_found(tmp_path: Path, rule: str, changed: dict[str, str | None], where: str, said: str) -> None:
    folder = plant(tmp_path, changed)
    findings = found(tmp_path)
    assert any(f.rule == rule and f.path == str(folder / where) and said in f.remedy for f in findings), findings


def test_every_rule_is_broken_once() -> None:
    rules = {rule.__name__.replace("_", "-") for rule in (*RULES, *LANGUAGE_RULES)}
    assert rules - {breach[0] for breach in BREACHES} == {"translations", "hits", "misses"}


def test_nothing_in_code_or_addresses_is_prose(tmp_path: Path) -> None:
    code = "`错误,內存 您` 与 [手册](https://example.org/您)，\n\n~~~text\n错误,x您\n~~~\n"
    english = f"{ENGLISH}\n~~~text\n错误,x您\n~~~\n"
    plant(tmp_path, {"en.md": english, "zh-CN.md": MAINLAND + code, "zh-TW.md": f"{TAIWAN}\n~~~text\n错误,x您\n~~~\n"})
    assert found(tmp_path) == []


def test_all_findings_come_at_once_and_sorted(tmp_path: Path) -> None:
    plant(tmp_path, {"broken.py": LONG, "samples/miss-knob.txt": None, "zh-CN.md": MAINLAND.replace("不动，", "不动,x您")})
    findings = found(tmp_path)
    assert {f.rule for f in findings} == {"broken-length", "samples", "punctuation", "spacing", "address"}
    assert findings == sorted(findings)
    assert str(findings[0]).endswith("broken.py: broken-length: 11 lines; 10 at most, blank lines and comments apart")


def test_a_half_written_neighbour_does_not_hide_findings(tmp_path: Path) -> None:
    plant(tmp_path, {"broken.py": LONG})
    plant(tmp_path, {"entry.toml": None}, slug="half-written")
    assert {f.rule for f in found(tmp_path)} == {"broken-length", "missing"}


def test_ids_and_slugs_narrow_the_check(tmp_path: Path) -> None:
    plant(tmp_path, {"broken.py": LONG})
    plant(tmp_path, {"entry.toml": ENTRY_TOML.replace("AMP001", "AMP002"), "zh-CN.md": None}, slug="other")
    assert {f.rule for f in run_checks(tmp_path, ["AMP001"])} == {"broken-length"}
    assert {f.rule for f in run_checks(tmp_path, ["lever-is-stuck"])} == {"broken-length"}
    assert {f.rule for f in run_checks(tmp_path, ["AMP002"])} == {"missing"}
    assert [f.remedy for f in run_checks(tmp_path, ["AMP007"])] == ["no entry has the id or slug AMP007"]


def test_a_generic_pattern_is_not_specific_elsewhere(tmp_path: Path) -> None:
    plant(tmp_path)
    generic = ENTRY_TOML.replace("AMP001", "AMP002").replace("\\d+'", "\\d+'\ngeneric = true")
    plant(tmp_path, {"entry.toml": generic}, slug="other")
    assert [(f.rule, "specific in AMP001" in f.remedy) for f in found(tmp_path)] == [("signatures", True)]


def test_an_exemption_needs_a_page_and_a_reason(tmp_path: Path) -> None:
    plant(tmp_path, {"zh-TW.md": TAIWAN.replace("太乾", "太干")})
    listed = '[zh-TW]\n"干" = "干擾"\n"台" = "台灣"\n"動" = "運動"\n"里" = ""\n'
    (tmp_path / "characters.toml").write_text(listed, encoding="utf-8")
    assert sorted(f.remedy for f in found(tmp_path)) == [
        "zh-TW 動: remove it; OpenCC does not count it to the other edition",
        "zh-TW 台: remove it; no page uses it",
        "zh-TW 里: say which words need it",
    ]


def test_a_changed_page_makes_translations_stale_until_they_are_stamped(tmp_path: Path) -> None:
    folder = plant(tmp_path)
    (folder / "en.md").write_text(ENGLISH.replace("dry", "very dry"), encoding="utf-8")
    assert [(f.rule, Path(f.path).name) for f in found(tmp_path)] == [("translations", "zh-CN.md"), ("translations", "zh-TW.md")]
    assert stamp_translations(folder)
    assert found(tmp_path) == []
    assert not stamp_translations(folder)


def test_stamping_leaves_the_rest_of_the_file_alone(tmp_path: Path) -> None:
    own = ENTRY_TOML.replace("versions   = {}", 'versions   = { torch = ">=1.6" } # since AMP') + "\n# the end\n"
    folder = plant(tmp_path, {"entry.toml": own})
    text = (folder / "entry.toml").read_text(encoding="utf-8")
    assert text.startswith(own)
    assert list(tomllib.loads(text)["checked"]) == ["zh-CN", "zh-TW"]


@dataclasses.dataclass
class Told:
    """Stands in for an answer or a part of one."""

    id: str = "AMP001"
    stage: Stage = Stage.SIGNATURE
    status: Status = Status.MATCH
    results: "list[Told]" = dataclasses.field(default_factory=list)

    @property
    def evidence(self) -> "Told":
        return self


class Teller:
    """Answers each text as told, and every other with the entry for what has its message."""

    def __init__(self, told: dict[str, Told]) -> None:
        self.told = told

    def answer(self, text: str) -> Told:
        clean = Told(results=[]) if "knob" in text else Told(results=[Told()])
        return self.told.get(text, clean)


RANKINGS = [
    ("hits", "samples/hit-plain.txt", Told(results=[Told(id="MEM001"), Told()]), "finds MEM001, AMP001"),
    ("hits", "samples/hit-question-zh-CN.txt", Told(results=[]), "finds nothing"),
    ("misses", "samples/miss-knob.txt", Told(results=[Told(id="MEM001"), Told()]), "a signature matches it"),
    ("misses", "samples/miss-knob.txt", Told(results=[Told(stage=Stage.DENSE)]), "as a match"),
]


@pytest.mark.parametrize(("rule", "name", "told", "said"), RANKINGS)
def test_samples_that_rank_wrong_are_found(tmp_path: Path, rule: str, name: str, told: Told, said: str) -> None:
    plant(tmp_path)
    findings = found(tmp_path, cast(Lookup, Teller({FILES[name]: told})))
    assert [(f.rule, f.path.endswith(name), said in f.remedy) for f in findings] == [(rule, True, True)]


def test_samples_that_rank_right_are_no_findings(tmp_path: Path) -> None:
    plant(tmp_path)
    candidate = Told(status=Status.CANDIDATES, results=[Told(stage=Stage.DENSE)])
    assert found(tmp_path, cast(Lookup, Teller({FILES["samples/miss-knob.txt"]: candidate}))) == []


def test_the_contribution_guide_names_the_same_headings() -> None:
    guide = (Path(__file__).parents[1] / "kb" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = zip(*HEADINGS.values(), strict=True)
    assert " · ".join("/".join(row) for row in rows) in guide
