"""A real browser before the real application, and a page that may not complain on its console."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.page.browser.complaints import Complaints
from tests.page.browser.serving import Served, serve

# A view whose home has thousands of windows is read first, on a machine that is busy with other tests.
expect.set_options(timeout=30_000)
NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium, as playwright's own would be a download. Its loop ends with the module's tests."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser here: none of {', '.join(NAMES)} is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture
def page(browser: Browser, complaints: Complaints) -> Iterator[Page]:
    """A page of its own context. A complaint that a test does not expect is an error of the product."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.on("console", lambda message: complaints.add(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.add(str(error)))
    page.on("dialog", lambda dialog: complaints.add(f"a dialog: {dialog.message}"))
    yield page
    context.close()
    assert complaints.unexpected() == []


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("few"), reports=5, windows=1500) as served:
        yield served
