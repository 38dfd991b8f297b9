"""The real knowledge obeys every rule, its samples rank as they should."""

from errdex.catalog import knowledge_folder
from errdex.checks import run_checks
from errdex.lookup import Lookup


def test_the_knowledge_has_no_findings(lookup: Lookup) -> None:
    findings = run_checks(knowledge_folder(), (), lookup)
    assert not findings, "\n" + "\n".join(map(str, findings))
