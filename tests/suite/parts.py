"""The parts of the test run, each a function of (run) that adds outcomes to run.report."""
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import shutil
import sys
import time

import programs
import real_server
import report as results
from programs import ROOT

CORES = os.cpu_count() or 1
BUILD_TIMEOUT_S = 3600
UNIT_TIMEOUT_S = 900
PYTEST_TIMEOUT_S = 1800
CASE_TIMEOUT_S = 900  # one pytest case
PAGE_TIMEOUT_S = 900
FUZZ_MEMORY_MB = 2048
# The rooms whose tests let several threads touch one object; the others gain nothing from tsan. The kernels
# run on many threads in core/runner's tests.
THREADED_ROOMS = ("core/base", "core/kv", "core/runner", "core/scheduler", "core/engine", "core/model",
                  "app/api", "app/metrics")
MODELS_QUICK = ["smollm2-135m"]
MODELS_FULL = ["smollm2-135m", "qwen2.5-coder-0.5b", "gemma3-270m"]
SANITIZER_ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "second_deadlock_stack=1:halt_on_error=0:exitcode=66",
}


def path(*names):
    return os.path.join(ROOT, *names)


def models_folder():
    if os.environ.get("ONDOL_MODELS"):
        return os.environ["ONDOL_MODELS"]
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(data, "ondol", "models")


def environment():
    return {"ONDOL_MODELS": models_folder(), "ONDOL_BIN": path("build", "release", "ondol"),
            "CHROMIUM": shutil.which("chromium") or "chromium"}


def dependencies(run):
    command = [path("packaging/install-dependencies"), "--tests"]
    run.report.add(results.from_setup("install-dependencies", command, BUILD_TIMEOUT_S))


def checks(run):
    for name in ("layers", "tidy", "format"):
        run.report.add(results.from_command(name, [sys.executable, path(f"tests/checks/{name}.py")], 300))
    for folder in ("tests/checks", "tests/suite", "packaging"):
        modules = sorted(os.path.basename(file)[:-3] for file in glob.glob(path(folder, "*_test.py")))
        if modules:
            command = [sys.executable, "-m", "unittest", *modules]
            code, output, seconds = results.run(command, 300, path(folder))
            outcome = results.read_unittest(folder, code, output)
            outcome.seconds = seconds
            run.report.add(outcome)


def models(run):
    for name in MODELS_QUICK if run.quick else MODELS_FULL:
        command = [path("packaging/fetch-model"), name, models_folder()]
        run.report.add(results.from_setup(name, command, BUILD_TIMEOUT_S))


def page_build(run):
    """web/dist, which a release needs; and node_modules for what follows."""
    run.report.add(results.from_setup("page build", [path("packaging/build-page")], 1200))


def page_unit(run):
    command = ["npm", "run", "--silent", "typecheck"]
    run.report.add(results.from_command("page types", command, 300, path("web")))
    file = path("build", "vitest.json")
    run.report.add(_with_json("page units", ["npx", "--no-install", "vitest", "run", "--reporter=json",
                                             f"--outputFile={file}"], file, results.read_vitest, 600, {}))


def page_browser(run):
    config, file = path("tests/page/playwright.config.mjs"), path("build", "playwright.json")
    if not os.path.exists(config):
        run.report.add(results.Outcome("page in a browser", 0, 1, output=f"{config} is missing"))
        return
    command = ["npx", "--no-install", "playwright", "test", "--config", config, "--reporter=json"]
    variables = {**environment(), "PLAYWRIGHT_JSON_OUTPUT_NAME": file}
    model = os.path.join(models_folder(), "smollm2-135m.gguf")
    with real_server.serve(variables["ONDOL_BIN"], model) as server:
        if server.url:
            variables["ONDOL_URL"] = server.url + "/"
        else:
            run.report.add(results.Outcome("a real server for the page", 0, 1, output=server.output()))
        run.report.add(_with_json("page in a browser", command, file, results.read_playwright,
                                  PAGE_TIMEOUT_S, variables))


def _with_json(name, command, file, reader, timeout_s, variables):
    if os.path.exists(file):
        os.remove(file)
    code, output, seconds = results.run(command, timeout_s, path("web"), variables)
    try:
        with open(file, encoding="utf-8") as stream:
            data = json.load(stream)
        outcome = reader(name, code, output if output.strip() else json.dumps(data, indent=1)[-6000:], data)
    except (OSError, ValueError) as error:
        outcome = results.Outcome(name, 0, 1, output=f"{output}\nno result file ({error})")
    outcome.seconds = seconds
    return outcome


def build(run, preset, targets, extra=()):
    """Configures and builds; a failure is an outcome, a success is none (what is built gets tested). All
    that can be built is built, so that one broken room does not hide the others."""
    started = time.monotonic()
    configure = ["cmake", "--preset", preset, "-S", ".", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *extra]
    code, output, _ = results.run(configure, 600, ROOT)
    if code == 0:
        command = ["cmake", "--build", f"build/{preset}", "--target", *targets, "--", "-k", "0"]
        code, output, _ = results.run(command, BUILD_TIMEOUT_S, ROOT)
    print(f"  {preset} build: {time.monotonic() - started:.0f} s", flush=True)
    if code != 0:
        shown = [line for line in output.splitlines() if re.search(r"error|FAILED|warning:|\*\*\*", line)]
        run.report.add(results.Outcome(f"{preset} build", 0, 1, output="\n".join(shown) or output))
    return code == 0


def run_units(run, preset, chosen, parallel, prefix=()):
    def one(target):
        program = path("build", preset, chosen[target])
        name = f"{preset} {target}"
        if not os.path.exists(program):
            return results.Outcome(name, 0, 1, output="the program is missing: it was not built")
        code, output, seconds = results.run([*prefix, program, "--no-colors=true"], UNIT_TIMEOUT_S, ROOT,
                                            {**environment(), **SANITIZER_ENVIRONMENT})
        outcome = results.read_doctest(name, code, output)
        outcome.seconds = seconds
        return outcome

    with concurrent.futures.ThreadPoolExecutor(parallel) as pool:
        for outcome in pool.map(one, chosen):
            run.report.add(outcome)


def unit_release(run):
    chosen = run.choose(programs.unit_programs())
    no_page = [] if os.path.exists(path("web/dist/index.html")) else ["-DONDOL_PAGE=OFF"]
    build(run, "release", ["ondol", *_known("release", chosen)], no_page)
    run_units(run, "release", chosen, CORES)


def _known(preset, chosen):
    """The targets that the build knows: ninja refuses all if one is unknown; what is missing fails later."""
    results.run(["cmake", "--preset", preset, "-S", "."], 600, ROOT)
    code, output, _ = results.run(["ninja", "-C", f"build/{preset}", "-t", "targets", "all"], 60, ROOT)
    names = {line.split(":")[0] for line in output.splitlines()} if code == 0 else set()
    return [target for target in chosen if target in names] or (["all"] if not names else [])


def static_program(run):
    """The program that is shipped links nothing at run time and asks for no interpreter."""
    program = path("build/release/ondol")
    code, output, _ = results.run(["readelf", "--wide", "--program-headers", "--dynamic", program], 60)
    faults = [word for word in ("INTERP", "(NEEDED)") if word in output]
    good = code == 0 and not faults
    run.report.add(results.Outcome("static program", int(good), int(not good),
                                   output=f"{' and '.join(faults)} found\n" if faults else output))


def unit_asan(run):
    chosen = run.choose(programs.unit_programs())
    build(run, "asan", _known("asan", chosen))
    run_units(run, "asan", chosen, CORES)


def unit_tsan(run):
    rooms = {room.replace("/", "_") + "_test" for room in THREADED_ROOMS}
    chosen = run.choose(programs.unit_programs())
    chosen = {target: place for target, place in chosen.items() if target in rooms}
    if not chosen:
        return
    build(run, "tsan", _known("tsan", chosen))
    # gcc 12's thread sanitizer does not know how far current kernels randomize addresses.
    prefix = ["setarch", os.uname().machine, "-R"]
    if results.run([*prefix, "true"], 10)[0] != 0:
        prefix = []
    run_units(run, "tsan", chosen, 1, prefix)


def fuzz(run):
    chosen = run.choose(programs.fuzz_programs())
    if not chosen:
        return
    build(run, "fuzz", _known("fuzz", chosen))
    artifacts = path("build", "fuzz", "artifacts")
    os.makedirs(artifacts, exist_ok=True)

    def one(target):
        program, name = path("build", "fuzz", chosen[target]), f"fuzz {target}"
        if not os.path.exists(program):
            return results.Outcome(name, 0, 1, output="the program is missing: it was not built")
        corpus = path("build", "fuzz", "corpus", target)
        os.makedirs(corpus, exist_ok=True)
        seeds = [folder for folder in [path(programs.fuzz_seeds(target))] if os.path.isdir(folder)]
        command = [program, f"-max_total_time={run.fuzz_seconds}", "-timeout=10",
                   f"-rss_limit_mb={FUZZ_MEMORY_MB}", f"-artifact_prefix={artifacts}/{target}-",
                   corpus, *seeds]
        code, output, seconds = results.run(command, run.fuzz_seconds + 120, ROOT,
                                            {**environment(), **SANITIZER_ENVIRONMENT})
        good = code == 0 and re.search(r"^Done \d+ runs", output, re.M) is not None
        output += f"\n{results.describe(code)}"
        outcome = results.Outcome(name, int(good), int(not good), output=output)
        outcome.seconds = seconds
        return outcome

    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        for outcome in pool.map(one, chosen):
            run.report.add(outcome)


def python_environment(run):
    """build/venv with tests/requirements.txt; None if it cannot be had."""
    requirements, venv = path("tests/requirements.txt"), path("build", "venv")
    with open(requirements, "rb") as file:
        stamp = hashlib.sha256(file.read() + sys.version.encode()).hexdigest()
    stamp_file, python = os.path.join(venv, "ondol-stamp"), os.path.join(venv, "bin", "python3")
    if os.path.exists(stamp_file) and open(stamp_file, encoding="utf-8").read() == stamp:
        return python
    shutil.rmtree(venv, ignore_errors=True)
    code, output, _ = results.run([sys.executable, "-m", "venv", venv], 300)
    if code == 0:
        code, output, _ = results.run([python, "-m", "pip", "install", "--quiet", "-r", requirements], 1200)
    if code != 0:
        run.report.add(results.Outcome("python environment", 0, 1, output=output))
        return None
    with open(stamp_file, "w", encoding="utf-8") as file:
        file.write(stamp)
    return python


def black_box(run):
    """Every tests/*/test_*.py against the program, as its users see it."""
    folders = sorted({os.path.dirname(file) for file in glob.glob(path("tests", "*", "test_*.py"))})
    if not folders:
        run.report.add(results.Outcome("black box", 0, 1, output="no tests/*/test_*.py was found"))
        return
    folders = [folder for folder in folders if run.wants(os.path.relpath(folder, ROOT))]
    python = python_environment(run) if folders else None
    for folder in folders if python else []:
        name = os.path.relpath(folder, ROOT)
        file = path("build", f"junit-{os.path.basename(folder)}.xml")
        if os.path.exists(file):
            os.remove(file)
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--timeout={CASE_TIMEOUT_S}",
                   f"--junitxml={file}", folder]
        code, output, seconds = results.run(command, PYTEST_TIMEOUT_S, ROOT, environment())
        outcome = results.read_junit(name, code, output, file)
        outcome.seconds = seconds
        run.report.add(outcome)


def quickstart(run):
    run.report.add(results.from_command("quickstart --check", [path("packaging/quickstart"), "--check"], 1200,
                                        ROOT, environment()))


def clang_tidy(run):
    """Each source once per content (of itself, its headers and the settings); what was in order is remembered
    in the cache folder. Bounded in time: what was not reached is named as skipped."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    cache = os.path.join(cache, "ondol", "clang-tidy")
    os.makedirs(cache, exist_ok=True)
    if not os.path.exists(path("build/release/compile_commands.json")):
        command = ["cmake", "--preset", "release", "-S", ".", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
        results.run(command, 600, ROOT)
    deadline = time.monotonic() + run.tidy_seconds

    def one(source):
        mark = os.path.join(cache, _content_digest(source))
        if os.path.exists(mark):
            return source, 0, ""
        if time.monotonic() > deadline:
            return source, None, ""
        code, output, _ = results.run(
            ["clang-tidy", "--quiet", "-p", path("build/release"), "--extra-arg=-Wno-unknown-warning-option",
             "--extra-arg=-Wno-ignored-optimization-argument", source], 600, ROOT)
        if code == 0:
            open(mark, "w", encoding="utf-8").close()
        return source, 1 if code != 0 else 0, output

    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        looked = list(pool.map(one, programs.room_sources()))
    failed = [output for _, code, output in looked if code == 1]
    late = [source for source, code, _ in looked if code is None]
    skips = [f"{len(late)} files were not reached within {run.tidy_seconds} s"] if late else []
    good = int(not failed and not late)
    outcome = results.Outcome("clang-tidy", good, len(failed), skips, "\n".join(failed))
    outcome.seconds = time.monotonic() - started
    run.report.add(outcome)


def _content_digest(source):
    """Of the source, of every project header that it includes, directly or not, and of .clang-tidy."""
    digest, waiting, seen = hashlib.sha256(), [".clang-tidy", source], set()
    while waiting:
        name = waiting.pop()
        if name in seen or not os.path.exists(path(name)):
            continue
        seen.add(name)
        with open(path(name), "rb") as file:
            text = file.read()
        digest.update(name.encode() + b"\0" + text)
        waiting += sorted(match.decode() for match in re.findall(rb'#include "([^"]+)"', text))
    return digest.hexdigest()
