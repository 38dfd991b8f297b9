"""Errors that no entry knows and questions that nobody asked before: sentences times words, in three languages."""

from collections.abc import Sequence

# What every sentence is filled with, by place; the places are numbered like the places of a number.
ENGLISH: Sequence[Sequence[str]] = (
    "tokenizer sampler replay curriculum adapter teacher retriever vocoder planner critic reranker diffusion encoder".split(),
    "batches checkpoints episodes prompts spectrograms captions trajectories voxels graphs answers buckets chunks".split(),
    "doubling reversing merging freezing interleaving quantizing shuffling truncating reweighting streaming resuming".split(),
    "the second stage,the validation fold,the warm restart,the night job,the smallest preset,the last layer".split(","),
    "quietly lopsided,one item short,twice as slow,full of stripes,stuck on a plateau,in the wrong order,all alike".split(","),
)
SIMPLIFIED: Sequence[Sequence[str]] = (
    "分词器 采样器 教师网络 检索模块 声码器 规划器 评价网络 重排模型 扩散模型 路由层 编码器 适配层".split(),
    "批次 存档 片段 提示词 声谱图 图片说明 轨迹 体素 子图 答案 分桶 切块".split(),
    "翻倍 倒序 合并 冻结 交错 打乱 截短 重新加权 流式读取 续训 蒸馏".split(),
    "第二阶段 验证折 热重启 夜间任务 最小配置 最后一层 第九轮".split(),
    "悄悄偏到一边 少了一条 慢了一倍 全是条纹 卡在平台期 顺序不对 全都一样".split(),
)
TRADITIONAL: Sequence[Sequence[str]] = (
    "斷詞器 取樣器 教師網路 檢索模組 聲碼器 規劃器 評價網路 重排模型 擴散模型 路由層 編碼器 轉接層".split(),
    "批次 存檔 片段 提示詞 聲譜圖 圖片說明 軌跡 體素 子圖 答案 分桶 區塊".split(),
    "加倍 倒序 合併 凍結 交錯 打亂 截短 重新加權 串流讀取 續訓 蒸餾".split(),
    "第二階段 驗證折 熱重啟 夜間工作 最小設定 最後一層 第九輪".split(),
    "悄悄偏到一邊 少了一筆 慢了一倍 全是條紋 卡在平台期 順序不對 全都一樣".split(),
)
VOCABULARIES = (ENGLISH, SIMPLIFIED, TRADITIONAL)
QUESTIONS: Sequence[Sequence[str]] = (
    (
        "My {0} gives {1} that are {4} since I began {2} them in {3}. What should I look at first?",
        "After {2} the {1} for {3}, what comes out of the {0} is {4}. Where would you start?",
        "Why would a {0} be fine until {3} and {4} once I am {2} its {1}?",
    ),
    (
        "我在{3}把{1}{2}之后，{0}的结果{4}，应该先看哪里？",
        "自从给{0}的{1}做了{2}，到{3}就{4}，这是为什么？",
        "{0}到{3}之前都正常，{1}{2}以后就{4}，从哪里查起？",
    ),
    (
        "我在{3}把{1}{2}之後，{0}的結果{4}，應該先看哪裡？",
        "自從對{0}的{1}做了{2}，到{3}就{4}，這是為什麼？",
        "{0}到{3}之前都正常，{1}{2}以後就{4}，從哪裡查起？",
    ),
)
MESSAGES = (
    "cannot finish {2} {1} of the {0} during {3}: they came out {4}",
    "the {0} refused {1} ({2}, {3}) because they are {4}",
    "{3} left the {0} with {1} {4} while {2}",
)
OPENINGS = (
    "This came up in {3}, has anyone seen it?",
    "在{3}遇到这个，有人见过吗？",
    "在{3}遇到這個，有人見過嗎？",
)


def chosen(vocabulary: Sequence[Sequence[str]], number: int) -> list[str]:
    """A word for each place; another number gives other words until all have been used.

    Args:
        vocabulary: words for each place.
        number: which combination.
    """
    # Steps of a large prime reach each combination once, and neighbours differ in most places.
    total = 1
    for words in vocabulary:
        total *= len(words)
    rest = number * 7_368_787 % total
    words_chosen = []
    for words in vocabulary:
        rest, place = divmod(rest, len(words))
        words_chosen.append(words[place])
    return words_chosen


def question(number: int) -> str:
    """A question in one of the languages, by turns."""
    lang, turn = number % 3, number // 3
    asked = QUESTIONS[lang]
    return asked[turn % len(asked)].format(*chosen(VOCABULARIES[lang], turn))


def error_name(number: int) -> str:
    """An exception that no library has."""
    first, second, *_ = chosen(ENGLISH, number)
    return f"{first.capitalize()}{second.capitalize()}Error"


def error_message(number: int) -> str:
    """What such an exception says."""
    return MESSAGES[number % len(MESSAGES)].format(*chosen(ENGLISH, number))


def opening(number: int) -> str:
    """What a person writes above a log, in one of the languages."""
    lang, turn = number % 3, number // 3
    return OPENINGS[lang].format(*chosen(VOCABULARIES[lang], turn))
