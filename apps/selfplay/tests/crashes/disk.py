"""A disk that can lose power: what a program did to a folder, as the system saw it, and what may be left of that at any moment.

`record` runs a command under strace and notes every operation on files below a folder. `Disk` takes in the operations one by one
and can say what a crash leaves: with the power on, all that was done; without, no more than what was synced for certain. Of the
rest some is there and some is not: operations on folders up to some moment in their order, as journals keep them, and of each file
some of the writes since it was last synced, the last of them perhaps torn.
"""

import ast
import os
import random
import re
import subprocess

CALLS = (
    "open,openat,creat,read,pread64,write,pwrite64,writev,lseek,ftruncate,truncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,"
    "mkdirat,rmdir,fsync,fdatasync,close,copy_file_range,sendfile,link,linkat,symlink,symlinkat,fallocate,mmap,dup,dup2,dup3,fcntl"
)
UNFINISHED = re.compile(r"^(\d+)\s+(.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^(\d+)\s+<\.\.\. (\w+) resumed>(.*)$")
LINE = re.compile(r"^(\d+)\s+(\w+)\((.*)\)\s+= (-?\d+).*$")


class Unknown(Exception):
    """An operation that the model of the disk does not have: the check would be blind."""


def record(command, folder, cwd):
    """The operations of `command` on what is below `folder`, in order; it must succeed."""
    log = f"{folder}.strace"
    traced = ["strace", "-f", "-qq", "-s", "100000000", "-xx", "-e", f"trace={CALLS}", "-e", "signal=none", "-o", log]
    subprocess.run([*traced, *map(str, command)], cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    pending, operations = {}, []
    names = Names(str(folder), str(cwd))
    with open(log, encoding="latin-1") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if found := UNFINISHED.match(line):
                pending[found[1]] = found[2]
                continue
            if found := RESUMED.match(line):
                line = f"{found[1]} {pending.pop(found[1])}{found[3]}"
            if found := LINE.match(line):
                _, call, arguments, result = found.groups()
                if int(result) >= 0:
                    operations.extend(names.operation(call, arguments, int(result)))
    os.remove(log)
    return operations


def text(argument):
    return ast.literal_eval("b" + argument)


class Names:
    """From calls of the system to operations on names: it keeps the open files with the places that they are at."""

    def __init__(self, folder, cwd):
        self.folder, self.cwd = folder, cwd
        # Path, place and whether it is always the end, of each open file.
        self.open = {}

    def path(self, argument, folder="AT_FDCWD"):
        start = self.cwd if folder == "AT_FDCWD" else self.open[int(folder)][0]
        return os.path.normpath(os.path.join(start, text(argument).decode()))

    def inside(self, path):
        return os.path.relpath(path, self.folder) if path == self.folder or path.startswith(self.folder + "/") else None

    def operation(self, call, arguments, result):
        parts = split(arguments)
        if call in ("open", "openat", "creat"):
            path = self.path(parts[1], parts[0]) if call == "openat" else self.path(parts[0])
            flags = {"open": 1, "openat": 2}.get(call)
            flags = parts[flags] if flags else "O_CREAT|O_TRUNC"
            self.open[result] = [path, 0, "O_APPEND" in flags]
            name = self.inside(path)
            if name is not None and "O_CREAT" in flags:
                yield ("create", name)
            if name is not None and "O_TRUNC" in flags:
                yield ("cut", name, 0)
            return
        if call in ("rename", "renameat", "renameat2"):
            old, new = (self.path(parts[0]), self.path(parts[1])) if call == "rename" else (self.path(parts[1], parts[0]), self.path(parts[3], parts[2]))
            names = self.inside(old), self.inside(new)
            if names != (None, None):
                if None in names:
                    raise Unknown(f"{call}({arguments[:200]})")
                yield ("rename", *names)
            for file in self.open.values():
                if file[0] == old or file[0].startswith(f"{old}/"):
                    file[0] = new + file[0][len(old):]
            return
        if call in ("unlink", "unlinkat", "rmdir", "mkdir", "mkdirat"):
            name = self.inside(self.path(parts[1], parts[0]) if call.endswith("at") else self.path(parts[0]))
            if name is not None:
                is_folder = call == "rmdir" or "AT_REMOVEDIR" in arguments
                yield ("mkdir" if call.startswith("mkdir") else "rmdir" if is_folder else "unlink", name)
            return
        if call in ("link", "linkat", "symlink", "symlinkat", "truncate"):
            if any(self.inside(self.path(part)) is not None for part in parts if part.startswith('"')):
                raise Unknown(f"{call}({arguments[:200]})")
            return
        if call == "mmap":
            number = int(parts[4])
            if "PROT_WRITE" in arguments and "MAP_SHARED" in arguments and number in self.open and self.inside(self.open[number][0]):
                raise Unknown(f"{call}({arguments[:200]})")
            return
        number = int(parts[0])
        if call in ("dup", "dup2", "dup3") or (call == "fcntl" and "F_DUPFD" in arguments):
            if number in self.open:
                self.open[result] = self.open[number]
            return
        if call == "close":
            self.open.pop(number, None)
            return
        if call in ("copy_file_range", "sendfile"):
            source, target = (number, int(parts[2])) if call == "copy_file_range" else (int(parts[1]), number)
            if target in self.open and self.inside(self.open[target][0]) is not None:
                if source not in self.open or self.inside(self.open[source][0]) is not None or "NULL" not in arguments:
                    raise Unknown(f"{call}({arguments[:200]})")
                file, origin = self.open[target], self.open[source]
                with open(origin[0], "rb") as original:
                    original.seek(origin[1])
                    data = original.read(result)
                yield ("write", self.inside(file[0]), file[1], data)
                file[1] += result
                origin[1] += result
            return
        if number not in self.open:
            return
        file = self.open[number]
        name = self.inside(file[0])
        if call == "read":
            file[1] += result
        elif call == "lseek":
            file[1] = result
        elif name is None:
            return
        elif call == "write":
            yield ("write", name, None if file[2] else file[1], text(parts[1])[:result])
            file[1] += result
        elif call == "pwrite64":
            yield ("write", name, int(parts[3]), text(parts[1])[:result])
        elif call == "ftruncate":
            yield ("cut", name, int(parts[1]))
        elif call in ("fsync", "fdatasync"):
            yield ("sync", name)
        elif call in ("writev", "fallocate"):
            raise Unknown(f"{call}({arguments[:200]})")


def split(arguments):
    """The arguments of a call; commas in strings and brackets do not part them."""
    parts, depth, start, quoted = [], 0, 0, False
    for at, character in enumerate(arguments):
        if character == '"' and (at == 0 or arguments[at - 1] != "\\"):
            quoted = not quoted
        elif not quoted and character in "[{<":
            depth += 1
        elif not quoted and character in "]}>":
            depth -= 1
        elif not quoted and character == "," and depth == 0:
            parts.append(arguments[start:at].strip())
            start = at + 1
    return parts + [arguments[start:].strip()]


class File:
    def __init__(self):
        self.synced, self.since = b"", []

    def take(self, operation):
        self.since.append(operation)

    def content(self, operations):
        whole = bytearray(self.synced)
        for kind, *rest in operations:
            if kind == "cut":
                whole = whole[: rest[0]] + bytes(max(0, rest[0] - len(whole)))
            else:
                place, data = rest
                place = len(whole) if place is None else place
                whole += bytes(max(0, place - len(whole)))
                whole[place : place + len(data)] = data
        return bytes(whole)


class Disk:
    """Names to files, with what is certain of them."""

    def __init__(self):
        # The names as they are for those who run, and the operations on folders since each was last synced, in order.
        self.files, self.folders, self.certain, self.journal = {}, {"."}, ({}, {"."}), []

    def apply(self, operation):
        kind, name, *rest = operation
        if kind in ("write", "cut"):
            self.files[name].take((kind, *rest))
        elif kind == "sync":
            if name in self.files:
                file = self.files[name]
                file.synced, file.since = file.content(file.since), []
                # What a synced file is called is as certain as itself.
                self.settle(lambda entry: self.touches(entry, name))
            else:
                self.settle(lambda entry: any(os.path.dirname(path) or "." == name for path in entry[1:3] if isinstance(path, str)))
        else:
            entry = self.change(operation, self.files, self.folders, File)
            if entry is not None:
                self.journal.append(entry)

    @staticmethod
    def touches(entry, name):
        return name in entry[1:3]

    def settle(self, is_certain):
        """Operations up to the last that is certain have reached the disk: a journal keeps their order."""
        last = max((number for number, entry in enumerate(self.journal) if is_certain(entry)), default=-1)
        for entry in self.journal[: last + 1]:
            self.replay(entry, *self.certain)
        del self.journal[: last + 1]

    def change(self, operation, files, folders, new):
        kind, name, *rest = operation
        if kind == "create":
            if name in files:
                return None
            files[name] = new()
            return ("create", name, None, files[name])
        self.replay(operation, files, folders)
        return (kind, name, *(rest or [None]))

    @staticmethod
    def replay(entry, files, folders):
        kind, name, *rest = entry
        if kind == "create":
            files[name] = rest[1]
        elif kind == "mkdir":
            folders.add(name)
        elif kind == "rmdir":
            folders.discard(name)
        elif kind == "unlink":
            files.pop(name, None)
        elif kind == "rename":
            new = rest[0]
            below = name + "/"
            for path in [path for path in files if path == name or path.startswith(below)]:
                files[new + path[len(name):]] = files.pop(path)
            for path in [path for path in folders if path == name or path.startswith(below)]:
                folders.discard(path)
                folders.add(new + path[len(name):])

    def killed(self, folder):
        """What is there when the program was killed and the system goes on."""
        self.lay_out(folder, self.files, self.folders, lambda file: file.content(file.since))

    def without_power(self, folder, seed):
        """What may be there after the power was lost."""
        choose = random.Random(seed)
        files, folders = dict(self.certain[0]), set(self.certain[1])
        for entry in self.journal[: choose.randint(0, len(self.journal))]:
            self.replay(entry, files, folders)

        def content(file):
            kept = list(file.since[: choose.randint(0, len(file.since))])
            if kept and kept[-1][0] == "write" and choose.random() < 0.5:
                kind, place, data = kept[-1]
                kept[-1] = (kind, place, data[: choose.randint(0, len(data))])
            return file.content(kept)

        self.lay_out(folder, files, folders, content)

    @staticmethod
    def lay_out(folder, files, folders, content):
        os.makedirs(folder)
        for path in sorted(folders):
            os.makedirs(os.path.join(folder, path), exist_ok=True)
        for path, file in files.items():
            whole = os.path.join(folder, path)
            if os.path.isdir(os.path.dirname(whole)):
                with open(whole, "wb") as out:
                    out.write(content(file))
