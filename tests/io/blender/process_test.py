"""What the add-on hears of the program: progress, errors, warnings, and why a keyframe was missed."""

import os
import signal
import stat
import tempfile
import unittest

import addon

PROGRAM = """#!/bin/sh
echo "$@" > "$4/words"
{
echo "shot: frames 1001-1006"
echo "warning: shot.toml:3:12: [shot] substeps: found 10000, where 1 to 200 is usual"
echo "progress 42 % iteration 1, about 0:10 left"
echo "progress round 3, forces of 0.1 of the weight are left"
echo "iteration 2: objective 1.0e-5"
echo "missed: the bound on forward simulations was reached"
echo "warning: frame 1006: pins hold it back"
echo "error: nothing more"
} >&2
exit 4
"""


class ProcessTest(unittest.TestCase):
    def test_what_is_said_is_kept(self):
        process = addon.load("process")
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            with open(program, "w") as file:
                file.write(PROGRAM)
            os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
            run = process.Run(program, ["solve", "shot.toml", "-o", folder])
            self.assertEqual(run.wait(), process.MISSED)
            with open(os.path.join(folder, "words")) as file:
                self.assertIn("--progress lines", file.read())
        self.assertEqual(run.percent, 42)
        self.assertEqual(run.text, "iteration 2: objective 1.0e-5")
        self.assertEqual(run.errors, ["nothing more"])
        shares = [process.PROGRESS.match(line).groups()
                  for line in ("progress 42 % iteration 1", "progress round 3, forces of 0.1 are left")]
        self.assertEqual(shares, [("42", "iteration 1"), (None, "round 3, forces of 0.1 are left")])
        self.assertEqual(run.warnings, [
            "shot.toml:3:12: [shot] substeps: found 10000, where 1 to 200 is usual",
            "missed: the bound on forward simulations was reached", "frame 1006: pins hold it back"])

    def test_it_is_ended_where_it_cannot_be_asked(self):
        process = addon.load("process")
        process.INTERRUPT = 9999  # as Windows without a console
        run = process.Run("/bin/sh", ["-c", "exec sleep 60"])
        run.cancel()
        run.wait()
        self.assertEqual(run.process.returncode, -signal.SIGTERM)

    def test_files_go_once_it_has_ended(self):
        process = addon.load("process")
        for patience, seconds in ((None, "0.3"), (0.1, "60")):
            folder = tempfile.mkdtemp()
            script = "sleep %s; ls '%s' > /dev/null || exit 9" % (seconds, folder)
            run = process.Run("/bin/sh", ["-c", script], folder)
            run.drop_files(patience)
            self.assertFalse(os.path.exists(folder))
            self.assertEqual(run.process.poll(), 0 if patience is None else None)
            run.process.kill()
            run.process.wait()
        run = process.Run("/bin/sh", ["-c", "sleep 60"])
        run.drop_files()  # nobody waits where there are none
        self.assertIsNone(run.process.poll())
        run.process.kill()
        run.process.wait()


if __name__ == "__main__":
    unittest.main()
