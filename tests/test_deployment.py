"""What lies in deploy/, checked by the programs that will read it where they are installed."""

import json
import re
import shutil
import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from errdex.settings import Settings
from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
UNIT = (DEPLOY / "errdex.service").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
DRAIN: float = Settings.model_fields["drain_seconds"].default
# Keys of the compose specification that a service may have, as far as they are used here.
SERVICE_KEYS = set(
    "build cap_drop env_file environment healthcheck image init logging mem_limit pids_limit ports read_only restart "
    "security_opt stop_grace_period tmpfs volumes".split()
)


def checked(program: str, *arguments: str | Path) -> str:
    """What a program says of its own file; the test is skipped where the program is not installed."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run([found, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def directives() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", UNIT, re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that exists here."""
    path = tmp_path / "errdex.service"
    text = re.sub(r"^Documentation=.*$", "", UNIT.replace("/opt/errdex/bin/errdex", "/bin/true"), flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")
    return path


def test_systemd_reads_the_unit(unit: Path) -> None:
    assert checked("systemd-analyze", "verify", unit) == ""


def test_the_unit_exposes_little(unit: Path) -> None:
    assert "exposure level" in checked("systemd-analyze", "security", "--offline=true", "--threshold=20", unit)


def test_the_unit_reloads_drains_and_restarts() -> None:
    (said,) = zip(*(directives()[name] for name in ("ExecReload", "KillSignal", "Restart", "DynamicUser")), strict=True)
    assert said == ("/bin/kill -HUP $MAINPID", "SIGTERM", "always", "yes")
    assert int(directives()["TimeoutStopSec"][0]) > DRAIN
    assert directives()["MemoryMax"]


def test_the_compose_file_holds_only_what_compose_knows() -> None:
    assert set(COMPOSE) <= {"name", "services", "volumes", "networks", "configs", "secrets"}
    (service,) = COMPOSE["services"].values()
    assert set(service) <= SERVICE_KEYS
    named = {volume.split(":")[0] for volume in service["volumes"] if not volume.startswith((".", "/"))}
    assert named == set(COMPOSE["volumes"])


def test_the_container_can_write_nothing_but_its_volume() -> None:
    service = COMPOSE["services"]["errdex"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert [volume.split(":")[1] for volume in service["volumes"]] == ["/var/lib/errdex"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["mem_limit"]
    assert "/readyz" in service["healthcheck"]["test"][-1]
    assert int(service["stop_grace_period"].removesuffix("s")) > DRAIN


def test_every_setting_reaches_the_container_and_so_do_the_addresses_of_clients() -> None:
    service = COMPOSE["services"]["errdex"]
    assert service["env_file"] == [{"path": ".env", "required": False}]
    (network,) = COMPOSE["networks"]["default"]["ipam"]["config"]
    gateway = ip_address(network["gateway"])
    assert gateway in ip_network(network["subnet"])
    assert service["environment"] == {"ERRDEX_PROXIES": f"${{ERRDEX_PROXIES:-{gateway}}}"}


def test_build_arguments_are_those_of_the_image() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert set(COMPOSE["services"]["errdex"]["build"]["args"]) == set(re.findall(r"^ARG (ERRDEX_\w+)", dockerfile, re.MULTILINE))
    assert (DEPLOY / COMPOSE["services"]["errdex"]["build"]["context"] / "Dockerfile").resolve() == ROOT / "Dockerfile"


def texts() -> list[Path]:
    documents = [ROOT / "docs" / name for name in ("deployment.md", "observability.md")]
    return [*(path for path in DEPLOY.iterdir() if path.is_file()), ROOT / "Dockerfile", ROOT / "README.md", *documents]


@pytest.mark.parametrize("path", texts(), ids=lambda path: path.name)
def test_every_variable_that_is_named_is_a_setting(path: Path) -> None:
    named = set(re.findall(r"\bERRDEX_[A-Z_]+\b", path.read_text(encoding="utf-8")))
    assert named <= {f"ERRDEX_{name.upper()}" for name in Settings.model_fields}


def test_the_dashboard_is_whole() -> None:
    dashboard = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert all(panel["targets"] for panel in panels if panel["type"] != "row")
    places = [(p["gridPos"]["y"], p["gridPos"]["x"] + dx) for p in panels for dx in range(p["gridPos"]["w"])]
    assert len(places) == len(set(places))
    assert max(x for _, x in places) == 23


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((DEPLOY / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_every_alert_is_explained() -> None:
    page = (ROOT / "docs" / "observability.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (Errdex\w+) \|", page, re.MULTILINE) == [rule["alert"] for rule in rules()]
    assert all(rule["expr"] and rule["annotations"]["summary"] for rule in rules())


def test_prometheus_reads_its_files() -> None:
    assert "rules found" in checked("promtool", "check", "config", DEPLOY / "prometheus.yml")


def test_prometheus_reads_every_query_of_the_dashboard(tmp_path: Path) -> None:
    text = (DEPLOY / "grafana.json").read_text(encoding="utf-8")
    for variable, value in (("$__rate_interval", "5m"), ("$job", "errdex"), ("$instance", ".*")):
        text = text.replace(variable, value)
    queries = [target["expr"] for panel in json.loads(text)["panels"] for target in panel.get("targets", [])]
    groups = [{"name": "queries", "rules": [{"record": f"query:{i}", "expr": query} for i, query in enumerate(queries)]}]
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": groups}), encoding="utf-8")
    assert f"{len(queries)} rules found" in checked("promtool", "check", "rules", tmp_path / "rules.yml")


def test_nginx_reads_its_site(tmp_path: Path) -> None:
    folders = "".join(f"{name}_temp_path {tmp_path / name}; " for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    main = tmp_path / "nginx.conf"
    site = DEPLOY / "nginx.conf"
    log = f"error_log {tmp_path / 'log'};"
    main.write_text(
        f"pid {tmp_path / 'pid'}; {log} events {{}} http {{ access_log off; {folders} include {site}; }}", encoding="utf-8"
    )
    checked("nginx", "-t", "-e", tmp_path / "log", "-c", main)


def test_caddy_reads_its_site() -> None:
    assert "Valid configuration" in checked("caddy", "validate", "--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile")


@pytest.mark.parametrize(("name", "size"), [("nginx.conf", r"client_max_body_size (\d+)m;"), ("Caddyfile", r"max_size (\d+)MiB")])
def test_proxies_let_through_what_errdex_takes(name: str, size: str) -> None:
    text = (DEPLOY / name).read_text(encoding="utf-8")
    limit = re.search(size, text)
    assert limit
    assert int(limit[1]) << 20 >= Settings.model_fields["max_body"].default
    assert "/metrics" in text or "(metrics|" in text
    assert "unanswered" in text
