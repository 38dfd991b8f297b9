"""An answer as Markdown, ready to paste into a chat, and as plain text; the labels in three languages."""

import re

from errdex.entry import Lang
from errdex.models import Answer, Result, Status, Verified
from errdex.page import code_block

_LABELS: dict[Lang, dict[str, str]] = {
    "en": {
        "match": "Match",
        "candidates": "Not sure: possible answers",
        "no_match": "errdex does not know this one",
        "root": "Error",
        "rank": "rank",
        "line": "line",
        "because": "Found by",
        "signature": "its exact message",
        "lexical": "its words",
        "dense": "its meaning",
        "fix": "Fix",
        "also": "Also possible",
        "page": "Page",
        "verified": "Run and verified",
        "not_run": "The proof has not been run where this version is tested.",
        "looked_for": "Looked for",
        "contribute": "Add this error",
        "nothing": "No error was found in the text. Paste the part with the last traceback or error line.",
        "confidence": "confidence",
    },
    "zh-CN": {
        "match": "找到了",
        "candidates": "不能确定，可能是下面几条",
        "no_match": "errdex 还不认识这个错误",
        "root": "错误",
        "rank": "rank",
        "line": "第几行",
        "because": "依据",
        "signature": "报错原文完全对上",
        "lexical": "用词相近",
        "dense": "意思相近",
        "fix": "解决办法",
        "also": "也可能是",
        "page": "完整页面",
        "verified": "已实际运行验证",
        "not_run": "在这个版本的测试环境里，验证脚本还没有运行过。",
        "looked_for": "查找的内容",
        "contribute": "补充这个错误",
        "nothing": "没有在文字里找到报错。请粘贴带有最后一段 traceback 或错误信息的部分。",
        "confidence": "置信度",
    },
    "zh-TW": {
        "match": "找到了",
        "candidates": "無法確定，可能是下列幾項",
        "no_match": "errdex 還不認識這個錯誤",
        "root": "錯誤",
        "rank": "rank",
        "line": "行號",
        "because": "依據",
        "signature": "錯誤訊息完全相符",
        "lexical": "用字相近",
        "dense": "意思相近",
        "fix": "解決方式",
        "also": "也可能是",
        "page": "完整頁面",
        "verified": "已實際執行驗證",
        "not_run": "在這個版本的測試環境裡，驗證腳本尚未執行過。",
        "looked_for": "查詢的內容",
        "contribute": "補上這個錯誤",
        "nothing": "文字裡沒有找到錯誤。請貼上含有最後一段 traceback 或錯誤訊息的部分。",
        "confidence": "信心",
    },
}

_TICKS = re.compile(r"`+")
_BOLD = re.compile(r"(`[^`]*`)|\*\*")  # code in a line is kept, the marks around bold words are not


def labels(lang: Lang) -> dict[str, str]:
    """The words around an answer in one language."""
    return _LABELS[lang]


def verified_line(verified: Verified | None, lang: Lang) -> str:
    """When and with what the entry was last run."""
    words = _LABELS[lang]
    if verified is None:
        return words["not_run"]
    versions = ", ".join(f"{name} {version}" for name, version in verified.versions.items())
    return f"{words['verified']}: {versions}, Python {verified.python}, {verified.device}, {verified.date.isoformat()}"


def _head(answer: Answer) -> list[str]:
    words = _LABELS[answer.lang]
    lines = [f"**{words[answer.status.value]}**", ""]
    if root := answer.report.root:
        where = [f"{words['rank']} {root.rank}"] if root.rank is not None else []
        where.append(f"{words['line']} {root.line}")
        message = f"{root.type}: {root.message}" if root.type else root.message
        lines += [f"{words['root']} ({', '.join(where)}):", "", code_block("\n".join(message.splitlines()[:6])[:800], "text"), ""]
    return lines


def _result(result: Result, kind: str = "error") -> list[str]:
    words = _LABELS[result.lang]
    lines = [
        f"## {result.title} `{result.id}`",
        "",
        result.summary,
        "",
        f"{words['because']}: {words[result.evidence.stage.value]} · {words['confidence']} {result.confidence:.2f}",
        "",
        f"### {words['fix']}",
        "",
    ]
    for number, fix in enumerate(result.fixes, start=1):
        lines += [f"**{number}. {fix.title}**", "", fix.markdown, ""]
    if result.kind == kind:
        lines += [verified_line(result.verified, result.lang), ""]
    return [*lines, f"{words['page']}: {result.url}", ""]


def to_markdown(answer: Answer) -> str:
    """The answer as Markdown: the first result whole, the others as links."""
    words = _LABELS[answer.lang]
    lines = _head(answer)
    if answer.status is Status.NO_MATCH:
        if answer.report.root is None:
            lines += [words["nothing"], ""]
        elif answer.looked_for:
            lines += [f"{words['looked_for']}:", "", code_block(answer.looked_for, "text"), ""]
        if answer.contribute:
            lines += [f"{words['contribute']}: {answer.contribute}", ""]
        return "\n".join(lines)
    if answer.status is Status.MATCH:
        lines += _result(answer.results[0])
        others = answer.results[1:]
        lines += [f"{words['also']}:", ""] if others else []
    else:
        others = answer.results
    lines += [f"- [{r.title}]({r.url}) `{r.id}` · {words['confidence']} {r.confidence:.2f}\n  {r.summary}" for r in others]
    return "\n".join(lines).rstrip() + "\n"


def to_text(answer: Answer) -> str:
    """The answer as plain text: the Markdown without the marks that only Markdown needs."""
    lines: list[str] = []
    closing: str | None = None
    for line in to_markdown(answer).splitlines():
        mark = _TICKS.match(line.lstrip())
        if closing is None and mark and len(mark[0]) >= 3:
            closing = mark[0]
        elif closing is not None and line.strip() == closing:
            closing = None
        elif closing is not None:
            lines.append(line)  # code: `f(**kwargs)` and `## comments` stay
        else:
            lines.append(_BOLD.sub(r"\1", line).removeprefix("### ").removeprefix("## "))
    return "\n".join(lines).rstrip() + "\n"
