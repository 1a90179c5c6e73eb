"""Building the images without a container engine and without an image registry.

Their base, Debian with Python, is made from Debian's own packages under the name that the Dockerfiles ask for.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.docker.composition import ROOT

TOOLS = ("podman", "buildah", "debootstrap", "docker-compose", "ip")
"""Debian's packages of these names, and iproute2."""
_PODMAN = ("podman", "--storage-driver=vfs")
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_PACKAGES = "python3,python3-venv,ca-certificates"


def lacking() -> str:
    """What this machine lacks to build and run images, empty if nothing."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return f"missing here: {', '.join(missing)} (apt-get install {' '.join(missing).replace('ip', 'iproute2')})"
    return "" if os.geteuid() == 0 else "images are built as root only"


def base_of(dockerfile: Path) -> str:
    """The image that a Dockerfile begins with."""
    found = re.search(r"^ARG PYTHON_IMAGE=(\S+)$", dockerfile.read_text(), re.MULTILINE)
    assert found is not None
    return found.group(1)


def make_base(name: str, place: Path) -> None:
    """Some 95 seconds, unless there is one of this name."""
    full = f"docker.io/library/{name}"
    if subprocess.run((*_PODMAN, "image", "exists", full), check=False).returncode == 0:
        return
    suite = name.rpartition("-")[2]
    _run("debootstrap", "--variant=minbase", f"--include={_PACKAGES}", suite, place / "root", _mirror())
    with subprocess.Popen(("tar", "--directory", str(place / "root"), "--create", "."), stdout=subprocess.PIPE) as tar:
        subprocess.run((*_PODMAN, "import", "-", full), stdin=tar.stdout, check=True)


def build(dockerfile: str, image: str) -> None:
    """Builds an image of the clone, as `docker build` does. What pip needs to know here comes from outside."""
    own = {name: value for name, value in os.environ.items() if name.startswith("PIP_") and name != "PIP_FIND_LINKS"}
    options = [f"--env={name}={value}" for name, value in own.items()]
    if _CERTIFICATES.exists():
        options += [f"--volume={_CERTIFICATES}:{_CERTIFICATES}:ro", f"--env=PIP_CERT={_CERTIFICATES}"]
    _run(
        *_PODMAN, "build", "--isolation=chroot", "--network=host", "--layers=false", *options,
        "--file", ROOT / "docker" / dockerfile, "--tag", f"localhost/{image}", ROOT,
    )  # fmt: skip


def _mirror() -> str:
    """Where this machine has its own packages from."""
    for file in (*sorted(Path("/etc/apt/sources.list.d").glob("*.sources")), Path("/etc/apt/sources.list")):
        listed = file.read_text() if file.exists() else ""
        found = re.search(r"^(?:URIs:|deb(?: \[.*\])?) +(\S*debian\S*)", listed, re.MULTILINE)
        if found is not None:
            return found.group(1)
    return "http://deb.debian.org/debian"


def _run(*command: object) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
