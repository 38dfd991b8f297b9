from bench.speed.plan import FULL, QUICK, Ask, abba, block_size, groups


def test_cells_that_are_compared_are_asked_together() -> None:
    plan = groups(FULL, ("errdex", "echo", "naive", "txtai"))
    assert all(len({(ask.size, ask.clients) for ask in group}) == 1 for group in plan)
    assert len({ask for group in plan for ask in group}) == sum(len(group) for group in plan)
    two_kilobytes = next(group for group in plan if group[0].size == "2 KB" and group[0].clients == 16)
    assert {ask.system for ask in two_kilobytes} == {"errdex", "echo", "naive", "txtai"}


def test_slow_peers_are_spared_many_clients_with_other_sizes() -> None:
    asks = {ask for group in groups(FULL, ("errdex", "naive")) for ask in group}
    assert Ask("naive", "new", "300 KB", 1) in asks
    assert Ask("naive", "new", "300 KB", 16) not in asks


def test_turns_go_forth_and_back() -> None:
    group = groups(QUICK, ("errdex", "echo"))[0]
    order = [ask for turn in range(4) for ask in abba(group, turn)]
    assert order == [*group, *group[::-1], *group, *group[::-1]]
    # Each cell stands as early as late on the whole, so that a steady drift hits all alike.
    assert len({sum(place for place, ask in enumerate(order) if ask is one) for one in group}) == 1


def test_blocks_last_about_as_long_whatever_the_speed() -> None:
    alone, many = Ask("naive", "new", "2 KB", 1), Ask("naive", "new", "2 KB", 16)
    assert block_size(alone, rate=1000, seconds=0.5) == 500
    assert block_size(alone, rate=0.1, seconds=0.5) == 1
    assert block_size(many, rate=10, seconds=0.5) == 16
    assert block_size(many, rate=1e6, seconds=0.5) == 3000
