"""The composition of docker/compose.yaml without a container engine: images by podman, processes by buildah.

Each service has processes of its own, which are gone with it. All share a network, in which each name of a service is
one address, and those of one image share its files.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "docker" / "compose.yaml"
USER = 50000
SECRETS = ("POSTGRES_PASSWORD", "AIRFLOW_FERNET_KEY", "AIRFLOW_JWT_SECRET", "AIRFLOW_ADMIN_PASSWORD")
"""Without these nothing starts."""
_BUILDAH = ("buildah", "--storage-driver=vfs")
_OWN_PROCESSES = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
_SAID = "/said/output"
_ADDRESS = "10.255.0.1"
_CLONE_NEWNET = 0x40000000


def filled_example(file: Path) -> Path:
    """The example's settings with its secrets filled in, written into `file`."""
    text = (COMPOSE.parent / ".env.example").read_text()
    for name in SECRETS:
        text = text.replace(f"{name}=\n", f"{name}=secret\n")
    file.write_text(text)
    return file


def resolved(environment: Path, *profiles: str) -> dict[str, Any]:
    """The composition with the demonstration's profile and these, as docker-compose understands it.

    Raises CalledProcessError where it does not.
    """
    command = ("docker-compose", "--file", str(COMPOSE), "--env-file", str(environment), "config")
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = yaml.safe_load(answer.stdout)
    # It shows those of all profiles.
    chosen = {"demo", *profiles}
    services = found["services"].items()
    found["services"] = {name: one for name, one in services if chosen.issuperset(one.get("profiles", ()))}
    return found


@dataclass
class Composition:
    """`volumes` is a directory with one for each named volume, as the images' user owns them."""

    config: Mapping[str, Any]
    volumes: Path

    def __post_init__(self) -> None:
        self._containers: dict[str, str] = {}
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        for name in (*self.config["volumes"], "said"):
            place = self.volumes / name
            place.mkdir(parents=True)
            os.chown(place, USER, 0)

    def start(self, name: str) -> None:
        """Starts a service's command; what it prints goes to `volumes/NAME.log`."""
        command = self._command(name, self.config["services"][name]["command"])
        with (self.volumes / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [*_OWN_PROCESSES, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def run(self, name: str, *command: str) -> str:
        """What a command prints that runs where a service does, by default the service's own."""
        words = command or self.config["services"][name]["command"]
        # By a file: buildah loses the end of what a process prints that ends at once.
        told = subprocess.run(
            self._command(name, ["sh", "-c", f'exec "$@" > {_SAID}', "sh", *words]),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert told.returncode == 0, f"{name}: {command} ended with {told.returncode}\n{told.stdout}\n{told.stderr}"
        return (self.volumes / "said" / "output").read_text()

    def is_healthy(self, name: str) -> bool:
        """What the service's health check says."""
        kind, *words = self.config["services"][name]["healthcheck"]["test"]
        check = ["sh", "-c", *words] if kind == "CMD-SHELL" else words
        return subprocess.run(self._command(name, check), capture_output=True, check=False).returncode == 0

    def wait_until_healthy(self, name: str, seconds: float = 240) -> None:
        deadline = time.monotonic() + seconds
        while not self.is_healthy(name):
            ended = self._running[name].poll()
            assert ended is None and time.monotonic() < deadline, f"{name} ({ended}):\n{self.tail(name)}"
            time.sleep(2)

    def end(self, name: str) -> None:
        """Kills a service's processes, as the loss of its container does."""
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def tail(self, name: str) -> str:
        return "\n".join((self.volumes / f"{name}.log").read_text(errors="replace").splitlines()[-40:])

    def close(self) -> None:
        """Nothing of it is left."""
        for name in list(self._running):
            self.end(name)
        for container in self._containers.values():
            subprocess.run((*_BUILDAH, "rm", container), capture_output=True, check=False)

    def _command(self, name: str, command: Any) -> list[str]:
        service = self.config["services"][name]
        options = [f"--env={key}={value}" for key, value in service.get("environment", {}).items()]
        volumes = (*service.get("volumes", ()), f"said:{Path(_SAID).parent}")
        options += [f"--volume={self._mount(volume)}" for volume in volumes]
        container = self._container(service["image"])
        return [*_BUILDAH, "run", "--isolation=chroot", f"--hostname={name}", *options, container, "--", *command]

    def _mount(self, volume: str) -> str:
        source, rest = volume.split(":", 1)
        return f"{source if source.startswith('/') else self.volumes / source}:{rest}"

    def _container(self, image: str) -> str:
        if image not in self._containers:
            hosts = [f"--add-host={name}:{_ADDRESS}" for name in self.config["services"]]
            made = subprocess.run(
                (*_BUILDAH, "from", *hosts, f"localhost/{image}"), capture_output=True, text=True, check=True
            )
            self._containers[image] = made.stdout.strip()
        return self._containers[image]


def image_config(image: str) -> dict[str, Any]:
    """What an image says of its user, its command and its ports."""
    told = subprocess.run(
        (*_BUILDAH, "inspect", "--type=image", f"localhost/{image}"), capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(told.stdout)["OCIv1"]["config"]
    return found


@contextlib.contextmanager
def own_network() -> Iterator[None]:
    """Inside, this thread and what it starts have a network of their own: no port of it is taken."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        if libc.unshare(_CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "no network of its own")
        subprocess.run(("ip", "link", "set", "lo", "up"), check=True)
        subprocess.run(("ip", "address", "add", f"{_ADDRESS}/32", "dev", "lo"), check=True)
        yield
    finally:
        libc.setns(before, _CLONE_NEWNET)
        os.close(before)
