# SPDX-License-Identifier: GPL-2.0-only
"""The directory of a report, which is written whole or not at all.

Its files stay in memory until all are there: a kill before leaves nothing. They are then written into a temporary
directory beside the target, which takes the target's name at the end. A report of ours that is there is replaced: one
whose every file its marker names. Anything else is refused and not touched.

Killed at any moment, the old files or the new are there, whole. A kill in the short time of writing leaves
".netiotrace-report-NAME" beside them; the next report to the same place removes it.

The marker (base/managed_dir.h): a line "netiotrace.files/1 KIND", then one NAME or SUBDIRECTORY/NAME a line. A last
line without newline, left by a killed program, does not count.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import re
import stat
from collections.abc import Iterator, Mapping

MARKER = ".netiotrace.files"
FIRST_LINE = "netiotrace.files/1 report"
MARKER_MAX = 16 << 20  # more names than any sweep has
TEMPORARY, OLD = ".netiotrace-report-", ".netiotrace-old-report-"
NAMES_NR = 9  # of a temporary directory: another user may have taken some
RENAME_EXCHANGE = 2  # renameat2(2)

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_INSIDE = re.compile(r"(?!\.\.?(?:/|$))[^/]{1,255}(?:/(?!\.\.?$)[^/]{1,255})?")


class Refused(OSError):
    """The reason is a clause."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(code, why)


def sudo_user() -> tuple[int, int] | None:
    """The user behind sudo and their group, if this is root."""
    uid, gid = (os.environ.get(name, "") for name in ("SUDO_UID", "SUDO_GID"))
    if os.geteuid() or not re.fullmatch("[0-9]{1,9}", uid) or not int(uid) or not re.fullmatch("[0-9]{1,9}", gid):
        return None
    return int(uid), int(gid)


def _give(fd: int) -> None:
    """Files are the user's who called sudo."""
    user = sudo_user()
    if user:
        os.fchown(fd, *user)


class _Directory:
    """A directory, not by a link, and the files that its marker names."""

    def __init__(self, parent: int, name: str) -> None:
        self.parent = parent
        self.name = name
        self.fd = os.open(name, os.O_DIRECTORY | _READ, dir_fd=parent)
        self.names: list[str] = []
        self.marked = False
        try:
            self._read_marker()
        except BaseException:
            os.close(self.fd)
            raise

    def __enter__(self) -> _Directory:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    def _read_marker(self) -> None:
        try:
            fd = os.open(MARKER, _READ, dir_fd=self.fd)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ELOOP):
                return
            raise
        with open(fd, "rb") as stream:
            st = os.fstat(fd)
            text = stream.read() if stat.S_ISREG(st.st_mode) and st.st_size <= MARKER_MAX else b""
        lines = os.fsdecode(text).split("\n")[:-1]
        self.marked = not lines or lines[0] == FIRST_LINE  # an empty marker fits any kind
        self.names = [name for name in lines[1:] if _INSIDE.fullmatch(name)] if self.marked else []

    def foreign(self) -> str:
        """A file that the marker does not name; "": there is none."""
        own = {*self.names, *([MARKER] if self.marked else [])}
        below = {name.split("/")[0] for name in self.names if "/" in name}
        for name in os.listdir(self.fd):
            st = os.stat(name, dir_fd=self.fd, follow_symlinks=False)
            if stat.S_ISDIR(st.st_mode) and name in below:
                with self._directory_of(name + "/") as (fd, _):
                    entries = {f"{name}/{e}": os.stat(e, dir_fd=fd, follow_symlinks=False) for e in os.listdir(fd)}
            else:
                entries = {name: st}
            for entry, st in entries.items():
                if not stat.S_ISREG(st.st_mode) or entry not in own:
                    return entry
        return ""

    @contextlib.contextmanager
    def _directory_of(self, name: str) -> Iterator[tuple[int, str]]:
        """The descriptor of the directory of a file of ours, and the file's name there."""
        below, _, last = name.rpartition("/")
        fd = os.open(below or ".", os.O_DIRECTORY | _READ, dir_fd=self.fd)
        try:
            yield fd, last
        finally:
            os.close(fd)

    def write(self, files: Mapping[str, bytes]) -> None:
        """The marker and then the files, in a directory that is ours alone until it has its name."""
        self.marked, self.names = True, list(files)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        for name, data in {MARKER: "".join(f"{line}\n" for line in (FIRST_LINE, *files)).encode(), **files}.items():
            below = os.path.dirname(name)
            with contextlib.suppress(FileExistsError):
                os.mkdir(below or ".", 0o777, dir_fd=self.fd)
            with self._directory_of(name) as (directory, last):
                with open(os.open(last, flags, 0o666, dir_fd=directory), "wb") as stream:
                    stream.write(data)
                    _give(stream.fileno())
                if below:
                    _give(directory)
        _give(self.fd)

    def remove(self) -> None:
        """The named files, the marker and the directory; OSError (ENOTEMPTY): other files were kept."""
        for name in [*self.names, *([MARKER] if self.marked else [])]:
            with contextlib.suppress(FileNotFoundError), self._directory_of(name) as (directory, last):
                os.unlink(last, dir_fd=directory)
        for name in {name.split("/")[0] for name in self.names if "/" in name}:
            with contextlib.suppress(FileNotFoundError):
                os.rmdir(name, dir_fd=self.fd)
        if not os.path.samestat(os.fstat(self.fd), os.stat(self.name, dir_fd=self.parent, follow_symlinks=False)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        os.rmdir(self.name, dir_fd=self.parent)

    def lock(self) -> None:
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(errno.EBUSY, "another report is being written there") from None


class ReportDir:
    """A place for a report. OSError, here and later: its strerror is the reason."""

    def __init__(self, target: str) -> None:
        path = os.path.realpath(target)
        if os.path.isdir(path) and os.path.samefile(path, "."):
            raise Refused(errno.EBUSY, "it is the directory this was called in: call it from elsewhere")
        self.target = os.path.basename(path)
        if not self.target:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        if len(os.fsencode(OLD + self.target)) > 255:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        self.parent = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ReportDir:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        os.close(self.parent)

    def _rename(self, old: str, new: str) -> None:
        os.rename(old, new, src_dir_fd=self.parent, dst_dir_fd=self.parent)

    def _exists(self, name: str) -> bool:
        return os.access(name, os.F_OK, dir_fd=self.parent, follow_symlinks=False)

    def _check(self) -> None:
        """Can a report be written there? Asked before anything is drawn."""
        # A kill between the two renames of _replace(): the old report gets its name back.
        if not self._exists(self.target) and self._exists(OLD + self.target):
            self._rename(OLD + self.target, self.target)
        try:
            with _Directory(self.parent, self.target) as existing:
                foreign = existing.foreign()
        except FileNotFoundError:
            foreign = ""
        except OSError as error:
            raise Refused(error.errno or errno.EIO, "it exists and is not a readable directory") from None
        if foreign:
            raise Refused(
                errno.EEXIST,
                f"it contains {foreign[:250]}, which is not a file of a report, so nothing in it is replaced: name "
                "another directory",
            )
        with self._make_temporary() as temporary:
            temporary.remove()

    def _clear_leftover(self, name: str) -> None:
        """Removes the leftover of a killed report of this user, or of root for the user of sudo."""
        with contextlib.suppress(FileNotFoundError), _Directory(self.parent, name) as left:
            if os.fstat(left.fd).st_uid not in (os.geteuid(), (sudo_user() or (os.geteuid(),))[0]):
                raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
            left.lock()
            left.remove()

    def _make_temporary(self) -> _Directory:
        """A new directory under the first free name, locked."""
        names = [TEMPORARY + self.target + (f".{i}" if i else "") for i in range(NAMES_NR)]
        for name in names:
            try:
                self._clear_leftover(name)
                os.mkdir(name, 0o700, dir_fd=self.parent)
            except OSError as error:
                if name == names[-1] or error.errno in (errno.EBUSY, errno.ENOENT, errno.EACCES, errno.EROFS):
                    raise
                continue
            break
        temporary = _Directory(self.parent, name)
        # The owner of the parent directory can replace it: files in another one stay as they are.
        if os.listdir(temporary.fd):
            temporary.__exit__()
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
        temporary.lock()
        return temporary

    def _copy_rights(self, temporary: _Directory) -> None:
        """An empty directory that somebody made with its owner and mode keeps both."""
        try:
            st = os.stat(self.target, dir_fd=self.parent, follow_symlinks=False)
        except FileNotFoundError:
            mask = os.umask(0o077)
            os.umask(mask)
            os.fchmod(temporary.fd, 0o777 & ~mask)
            return
        with contextlib.suppress(PermissionError):
            os.fchown(temporary.fd, st.st_uid, st.st_gid)
        os.fchmod(temporary.fd, st.st_mode & 0o7777)

    def _replace(self, temporary: str) -> str:
        """Gives the temporary directory the target's name. Returns that of the old one afterwards; "": none."""
        old, new = os.fsencode(temporary), os.fsencode(self.target)
        libc = ctypes.CDLL(None, use_errno=True)
        if not hasattr(libc, "renameat2"):
            code = errno.ENOSYS
        else:
            failed = libc.renameat2(self.parent, old, self.parent, new, RENAME_EXCHANGE)
            code = ctypes.get_errno() if failed else 0
        if not code:
            return temporary
        if code == errno.ENOENT:
            self._rename(temporary, self.target)
            return ""
        if code not in (errno.EINVAL, errno.ENOSYS):
            raise OSError(code, os.strerror(code))
        # Where two directories cannot be exchanged: the old one aside, the new one in its place.
        if self._exists(self.target):
            self._rename(self.target, OLD + self.target)
        try:
            self._rename(temporary, self.target)
        except OSError:
            self._rename(OLD + self.target, self.target)
            raise
        return OLD + self.target

    def publish(self, files: Mapping[str, bytes]) -> None:
        """Writes all files, "NAME" or "data/NAME"."""
        with self._make_temporary() as temporary:
            try:
                temporary.write(files)
                self._copy_rights(temporary)
                old = self._replace(temporary.name)
            except BaseException:
                with contextlib.suppress(OSError):
                    temporary.remove()
                raise
        # The previous content; a file added meanwhile is kept.
        with contextlib.suppress(FileNotFoundError):
            if old:
                with _Directory(self.parent, old) as before:
                    before.remove()
