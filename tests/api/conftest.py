import openai
import pytest
from server_process import Server


@pytest.fixture(scope="session")
def server():
    """One server on SmolLM2 for all tests that need nothing special; each must leave it idle."""
    running = Server(arguments=["--ctx", "2048"])
    yield running
    assert running.process.poll() is None, "the server ended during the tests:\n" + running.output()[-3000:]
    assert running.stop() == 0


@pytest.fixture(autouse=True)
def still_alive(request):
    yield
    if "server" in request.fixturenames:
        running = request.getfixturevalue("server")
        assert running.request("GET", "/health/live").status == 200


@pytest.fixture(scope="session")
def client(server):
    return openai.OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0, timeout=120)
