"""Watches a made-up run on a real (pseudo) terminal: keys, signals, resizing, and the terminal as it was afterwards.

Usage: check.py PROGRAM
"""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

PROGRAM = sys.argv[1]
PATIENCE_S = 30
ENTER, LEAVE, SHOW_CURSOR = b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?25h"


class Watched:
    """The program on a terminal of its own."""

    def __init__(self, rows, columns, **environment):
        self.master, self.slave = pty.openpty()
        self.resize(rows, columns)
        self.modes = termios.tcgetattr(self.slave)
        environment = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", **environment}
        streams = {"stdin": self.slave, "stdout": self.slave, "stderr": self.slave}
        # A session whose terminal this is, so that resizing is signalled.
        control = lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen(
            [PROGRAM], env=environment, start_new_session=True, preexec_fn=control, **streams
        )
        self.output = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read_until(self, is_enough, what):
        end = time.monotonic() + PATIENCE_S
        while not is_enough():
            assert time.monotonic() < end, f"{what} did not come: {self.output[-2000:]!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                self.output += os.read(self.master, 65536)

    def expect(self, text):
        start = len(self.output)
        self.read_until(lambda: text in self.output[start:], repr(text))

    def ended(self, what):
        self.read_until(lambda: self.process.poll() is not None, f"the end after {what}")
        while select.select([self.master], [], [], 0.2)[0]:
            self.output += os.read(self.master, 65536)
        assert self.process.returncode == 0, f"{what}: {self.process.returncode}"
        assert self.output.count(ENTER) == 1 and LEAVE in self.output, f"{what}: the screen is not given back"
        assert SHOW_CURSOR in self.output, f"{what}: the cursor stays hidden"
        assert termios.tcgetattr(self.slave) == self.modes, f"{what}: the terminal's modes differ"
        os.close(self.master)
        os.close(self.slave)


def main():
    endings = {
        "q": lambda watched: os.write(watched.master, b"q"),
        "Escape": lambda watched: os.write(watched.master, b"\x1b"),
        "Ctrl-C": lambda watched: os.write(watched.master, b"\x03"),
        "SIGTERM": lambda watched: watched.process.send_signal(signal.SIGTERM),
        "SIGHUP": lambda watched: watched.process.send_signal(signal.SIGHUP),
    }
    for what, end in endings.items():
        watched = Watched(24, 80)
        watched.expect(b"Doctor")
        end(watched)
        watched.ended(what)

    # Small and large again, while the run goes on and after it has stopped.
    watched = Watched(24, 80)
    watched.expect(b"Losses")
    for rows, columns in [(5, 20), (1, 1), (60, 200), (12, 40), (24, 80)]:
        watched.resize(rows, columns)
        time.sleep(0.3)
    watched.expect(b"stopped")
    watched.resize(40, 120)
    watched.expect(b"of 100 games against")
    os.write(watched.master, b"q")
    watched.ended("resizing")

    # Colours are numbered 30 to 37 and 90 to 97, or 38 with more after it.
    coloured = lambda output: any(b"\x1b[38;" in output or b"\x1b[%dm" % code in output for code in range(30, 38))
    for environment, is_coloured in [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)]:
        watched = Watched(24, 80, **environment)
        watched.expect(b"Losses")
        os.write(watched.master, b"q")
        watched.ended(f"colours with {environment}")
        assert coloured(watched.output) == is_coloured, f"colours with {environment}: {watched.output!r}"

    # Without a terminal: lines, until the run has stopped.
    lines = subprocess.run([PROGRAM], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=True)
    lines = lines.stdout.decode().splitlines()
    assert lines[-1] == "made-up is stopped", lines[-1]
    assert len(lines) == len(set(lines)) and "\x1b" not in "".join(lines)
    print("the dashboard on a terminal: as it should be")


main()
