"""What only pip can do for `cargo xtask setup`: it alone knows this machine's index, proxy and certificates.

    pip_helper.py resolve NAME==FILE ...       prints FILE <tab> URL for each
    pip_helper.py get OFFSET  < URL            prints "STATUS TOTAL\n", then the body from OFFSET on
    pip_helper.py unpack WHEEL TARGET          reads "MEMBER <tab> DESTINATION" lines: see `unpack`

pip's internals are no public interface: where they have changed, this fails and the caller falls back to `pip download`.
"""
import os
import shutil
import sys
import zipfile


def platform_flags():
    """The wheels are chosen for libtorch's platform, whatever version of Python this is."""
    tags = [f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)]
    tags += ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"]
    flags = ["--no-deps", "--only-binary=:all:", "--python-version=3.11", "--implementation=cp"]
    # A cache of pip's own would store every large wheel a second time.
    return flags + ["--no-cache-dir"] + [f"--platform={tag}" for tag in tags]


def with_pip(action):
    from pip._internal.cli.cmdoptions import make_target_python
    from pip._internal.commands import create_command

    command = create_command("download")
    options, _ = command.parse_args(platform_flags() + ["placeholder"])
    with command.main_context():
        session = command.get_default_session(options)
        target = make_target_python(options)
        finder = command._build_package_finder(options=options, session=session, target_python=target)
        action(session, finder)


def resolve(requests):
    def action(_session, finder):
        for request in requests:
            name, filename = request.split("==", 1)
            links = [candidate.link for candidate in finder.find_all_candidates(name)]
            urls = [link.url_without_fragment for link in links if link.filename == filename]
            if not urls:
                sys.exit(f"pip's index has no {filename}")
            print(filename, urls[0], sep="\t")

    with_pip(action)


def get(offset):
    url = sys.stdin.readline().strip()

    def action(session, _finder):
        headers = {"Accept-Encoding": "identity"}
        if offset > 0:
            headers["Range"] = f"bytes={offset}-"
        response = session.get(url, headers=headers, stream=True, timeout=60)
        total = response.headers.get("Content-Length", "-")
        if response.status_code in (206, 416):
            total = response.headers.get("Content-Range", "/-").rsplit("/", 1)[1]
        out = sys.stdout.buffer
        out.write(f"{response.status_code} {total}\n".encode())
        if response.status_code in (200, 206):
            shutil.copyfileobj(response.raw, out, 1 << 18)
        out.flush()

    with_pip(action)


def unpack(wheel, target):
    """A line ending in "/" takes a whole folder; one ending in "/*.so" every shared library beneath."""
    wanted = [line.rstrip("\n").split("\t") for line in sys.stdin]
    with zipfile.ZipFile(wheel) as archive:
        for member, destination in wanted:
            names = [name for name in archive.namelist() if selected(name, member)]
            if not names:
                sys.exit(f"{wheel} holds no {member}")
            for name in names:
                place = destination
                if member.endswith("/"):
                    place = destination + name[len(member):]
                elif member.endswith("/*.so"):
                    place = destination + os.path.basename(name)
                place = os.path.join(target, place)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with archive.open(name) as source, open(place, "wb") as file:
                    shutil.copyfileobj(source, file, 1 << 20)


def selected(name, member):
    if name.endswith("/"):
        return False
    if member.endswith("/*.so"):
        base = os.path.basename(name)
        return name.startswith(member[: -len("*.so")]) and (base.endswith(".so") or ".so." in base)
    return name.startswith(member) if member.endswith("/") else name == member


if __name__ == "__main__":
    command, arguments = sys.argv[1], sys.argv[2:]
    if command == "resolve":
        resolve(arguments)
    elif command == "get":
        get(int(arguments[0]))
    elif command == "flags":
        print("\n".join(platform_flags()))
    elif command == "unpack":
        unpack(arguments[0], arguments[1])
