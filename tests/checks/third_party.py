"""Which rooms may include which third-party or system header: the one list. A key is a header, or a prefix
that ends in '/' or '_'. A room stands for its subfolders too; "tests" stands for every *_test.cpp and
*_fuzz.cpp. Why each library is here: packaging/DEPENDENCIES.md."""

THIRD_PARTY = {
    "doctest/": ["tests"],
    "nlohmann/": ["app/api", "app/commands", "core/chat", "core/grammar", "tests"],
    "httplib.h": ["app/api", "app/commands"],
    "CLI/": ["app/commands"],
    "spdlog/": ["core/base", "app"],
    "fmt/": ["core/base", "app"],
    "xxhash.h": ["core/base"],
    "openssl/": ["app/api", "app/auth", "app/commands"],
    "sqlite3.h": ["app/store"],
    "yaml-cpp/": ["app/config"],
    "zstd.h": ["core/kv"],
    "grpcpp/": ["core/cluster"],
    "google/protobuf/": ["core/cluster"],
    "simde/": ["kernels/cpu"],
    "cuda.h": ["kernels/cuda", "core/runner"],
}

# Headers of the system that not every room may use: sockets stay with those who talk to the network, vector
# instructions with the kernels.
SYSTEM = {
    "sys/socket.h": ["app/api", "app/commands", "core/cluster", "tests"],
    "netinet/": ["app/api", "app/commands", "core/cluster", "tests"],
    "arpa/": ["app/api", "app/commands", "core/cluster", "tests"],
    "netdb.h": [],
    "dlfcn.h": [],
    "regex": [],
    "immintrin.h": ["kernels/cpu"],
    "x86intrin.h": ["kernels/cpu"],
    "arm_neon.h": ["kernels/cpu"],
    "cpuid.h": ["kernels/cpu", "core/base"],
}

# Headers that any room may use: the C++20 library, C and POSIX.
ANYWHERE = set("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes
climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg
cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem
format forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator
latch limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random
ranges ratio scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept
stop_token streambuf string string_view strstream syncstream system_error thread tuple type_traits typeindex
typeinfo unordered_map unordered_set utility valarray variant vector version
cxxabi.h dirent.h errno.h fcntl.h features.h grp.h langinfo.h limits.h locale.h math.h poll.h pthread.h pwd.h
sched.h signal.h spawn.h stdint.h stdio.h stdlib.h string.h strings.h syslog.h termios.h time.h ucontext.h
unistd.h wchar.h
""".split())
ANYWHERE_PREFIXES = ("sys/", "linux/", "asm/", "bits/")
