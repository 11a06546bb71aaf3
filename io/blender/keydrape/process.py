# SPDX-License-Identifier: GPL-3.0-or-later
"""The program in the background. Knows nothing of Blender."""

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading

PROGRESS = re.compile(r"^progress (?:(\d+) % )?(.*)$")  # work of unknown length says no share

# Exit codes of keydrape after which there are results to look at.
DONE, MISSED, FAILED, INTERRUPTED = 0, 4, 5, 75
LABEL = 15  # columns of what stands before a line of a plan

# Windows has no SIGINT for another process, and knows Ctrl+Break for a group of processes alone.
ON_WINDOWS = os.name == "nt"
NEW_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP if ON_WINDOWS else 0
INTERRUPT = signal.CTRL_BREAK_EVENT if ON_WINDOWS else signal.SIGINT


class Run:
    """A command of the program; words: its command line, without the program's name; scratch: a folder
    of its files, where they are of no use but to whom waits for it."""

    def __init__(self, program, words, scratch=None):
        self.scratch = scratch
        self._out = tempfile.TemporaryFile("w+", encoding="utf-8")  # a pipe that nobody reads holds it up
        self.process = subprocess.Popen([program, *words, "--progress", "lines"], stdin=subprocess.DEVNULL,
                                        stdout=self._out, stderr=subprocess.PIPE, text=True, errors="replace",
                                        creationflags=NEW_GROUP)
        self.percent, self.text, self.errors, self.asked = 0, "starting", [], False
        self.warnings = []  # and what held the cloth back, in the order in which they were said
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            self._lines.put(line.rstrip())

    def poll(self):
        """Takes in what was said since, and returns the exit code, or None while the program runs."""
        code = self.process.poll()
        if code is not None:
            self._reader.join()
        while not self._lines.empty():
            line = self._lines.get()
            progress = PROGRESS.match(line)
            if progress:
                self.percent, self.text = int(progress.group(1) or self.percent), progress.group(2)
            elif line.startswith("iteration "):
                self.text = line
            elif line.startswith("error: "):
                self.errors.append(line[len("error: "):])
            elif line.startswith("warning: "):
                self.warnings.append(line[len("warning: "):])
            elif line.startswith("missed: "):
                self.warnings.append(line)
        return code

    def wait(self):
        self.process.wait()
        return self.poll()

    def results(self):
        """What a command that has ended with --json has printed."""
        self._out.seek(0)
        return json.load(self._out)

    def printed(self, label):
        """What a command that has ended has printed behind a label, a line each."""
        self._out.seek(0)
        found, current = [], ""
        for line in self._out:
            current = line[:LABEL].strip() or current
            if current == label:
                found.append(line[LABEL:].rstrip())
        return found

    def failure(self):
        """Why it has failed, for people."""
        return "; ".join(self.errors) or "keydrape ended with exit code %d" % self.process.returncode

    def drop_files(self, patience=None):
        """Once it has ended, or after so many seconds."""
        if self.scratch is None:
            return
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            pass
        shutil.rmtree(self.scratch, ignore_errors=True)

    def cancel(self):
        """Asks it, once, to end with the best result so far; asked twice it would drop that."""
        if self.process.poll() is None and not self.asked:
            self.asked = True
            try:
                self.process.send_signal(INTERRUPT)
            except (OSError, ValueError):  # Windows without a console
                self.process.terminate()
