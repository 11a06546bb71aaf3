#!/usr/bin/env python3
"""A wedge on a real Slurm. slurm.py KEYDRAPE

Starts munged, slurmctld and slurmd on loopback with a folder of their own, submits arrays to them and stops
them again. Exits with 77, and says why, where they are not installed or this is not root.
"""

import csv
import glob
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SIDE = 6
ELEMENTS = 20
LONGEST_WAIT = 600  # [s]

CONFIGURATION = """
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=1
SchedulerType=sched/backfill
ReturnToService=2
KillWait=20
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def skip(why):
    print(f"SKIPPED: Slurm: {why}")
    sys.exit(77)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Slurm:
    """The daemons, for as long as the block lasts."""

    def __init__(self, folder):
        self.folder = folder
        self.started = []

    def start(self, *words):
        log = open(os.path.join(self.folder, os.path.basename(words[0]) + ".out"), "wb")
        self.started.append(subprocess.Popen(words, stdout=log, stderr=log, env=os.environ))

    def __enter__(self):
        folder = self.folder
        host = socket.gethostname().split(".")[0]
        configuration = os.path.join(folder, "slurm.conf")
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20 * 9 // 10
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(folder=folder, host=host, controller=free_port(),
                                            node=free_port(), processors=os.cpu_count(), memory=memory))
        os.environ["SLURM_CONF"] = configuration
        for name in ("state", "spool"):
            os.mkdir(os.path.join(folder, name))
        key = os.path.join(folder, "munge.key")
        with open(key, "wb") as file:
            file.write(hashlib.sha512(folder.encode()).digest() * 2)
        os.chmod(key, 0o400)
        self.start("/usr/sbin/munged", "--foreground", "--force", f"--key-file={key}",
                   f"--socket={folder}/munge.socket", f"--pid-file={folder}/munge.pid",
                   f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed")
        wait_until("munged answers", lambda: os.path.exists(f"{folder}/munge.socket"), 20)
        self.start("/usr/sbin/slurmctld", "-D", "-c")
        self.start("/usr/sbin/slurmd", "-D", "-N", host)
        wait_until("the node is idle", lambda: "idle" in output("sinfo", "-h", "-o", "%T"), 60)
        return self

    def __exit__(self, *_):
        subprocess.run(["scancel", "--user=root"], check=False)  # theirs alone
        try:
            wait_until("the queue is empty", lambda: not in_queue(), 60)
        except AssertionError as late:
            print(late)
        for process in reversed(self.started):
            process.send_signal(signal.SIGTERM)
        for process in self.started:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def wait_until(what, holds, longest=LONGEST_WAIT):
    end = time.monotonic() + longest
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"in {longest} s it did not come to pass that {what}")
        time.sleep(0.5)


def write_shot(folder, frames):
    """A small sheet that hangs, and a pose to swing to."""
    def sheet(slope):
        lines = [f"v {0.25 * j / (SIDE - 1)} {-0.25 * i / (SIDE - 1)} {slope * 0.25 * i / (SIDE - 1)}"
                 for i in range(SIDE) for j in range(SIDE)]
        for i in range(SIDE - 1):
            for j in range(SIDE - 1):
                v = i * SIDE + j + 1
                lines += [f"f {v} {v + SIDE} {v + 1}", f"f {v + 1} {v + SIDE} {v + SIDE + 1}"]
        return "\n".join(lines) + "\n"
    with open(os.path.join(folder, "rest.obj"), "w", encoding="utf-8") as file:
        file.write(sheet(0))
    with open(os.path.join(folder, "key.obj"), "w", encoding="utf-8") as file:
        file.write(sheet(0.3))
    scene = os.path.join(folder, f"sheet{frames}.toml")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(f'[shot]\nframes = "1-{frames}"\n[cloth]\nrest = "rest.obj"\n'
                   f'[[pin]]\nvertices = {list(range(SIDE))}\n'
                   f'[[keyframe]]\nframe = {frames}\nmesh = "key.obj"\ntolerance = 0.02\n')
    return scene


def run(program, *words):
    result = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    print(f"$ keydrape {' '.join(words)}: {result.returncode}\n{result.stderr}", flush=True)
    return result


def elements(program, wedge):
    return json.loads(run(program, "wedge", wedge, "--collect", "--json").stdout)["elements"]


def in_queue():
    return output("squeue", "-h").strip() != ""


def file_hash(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def check_array(program, folder):
    """Twenty elements, of which two are made to fail; then these two alone."""
    scene = write_shot(folder, 12)
    wedge = os.path.join(folder, "array")
    efforts = ",".join(f"{k + 1}e-5" for k in range(ELEMENTS))
    # One step that may not converge at all, and a pose that disappears before the jobs run.
    table = os.path.join(folder, "array.csv")
    shutil.copy(os.path.join(folder, "key.obj"), os.path.join(folder, "gone.obj"))
    with open(table, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["control.effort", "solver.max_newton_iterations", "keyframe.0.mesh"])
        for k, effort in enumerate(efforts.split(",")):
            rows.writerow([effort, 1 if k == 4 else "", "gone.obj" if k == 11 else ""])
    planned = run(program, "wedge", scene, "--table", table, "-o", wedge, "--submit",
                  "slurm --begin=now+5seconds", "--threads", "1")
    assert planned.returncode == 0
    os.remove(os.path.join(folder, "gone.obj"))
    assert run(program, "wedge", wedge, "--submit", "slurm").returncode == 3, "submitted twice"
    assert "in the queue: 20" in run(program, "wedge", wedge, "--status").stderr
    wait_until("the array has ended", lambda: not in_queue())
    found = elements(program, wedge)
    assert len(found) == ELEMENTS
    failed = [each for each in found if each["status"] == "failed"]
    assert [each["element"] for each in failed] == [5, 12], failed
    assert "gone.obj" in failed[1]["reason"], failed
    assert all(each["status"] == "done" for each in found if each not in failed), found
    with open(os.path.join(wedge, "wedge.csv"), encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == ELEMENTS
    assert os.path.getsize(os.path.join(wedge, "contact_sheet.png")) > 10000
    alone = os.path.join(folder, "alone")
    run(program, "solve", found[6]["folder"] + "/sheet12.toml", "-o", alone, "--no-report")
    assert file_hash(alone + "/positions.npy") == file_hash(found[6]["folder"] + "/positions.npy")
    # What failed for want of a file runs once it is there; the others are left alone.
    before = os.stat(found[0]["folder"] + "/positions.npy").st_mtime_ns
    shutil.copy(os.path.join(folder, "key.obj"), os.path.join(folder, "gone.obj"))
    assert run(program, "wedge", wedge, "--again", "--submit", "slurm").returncode == 0
    wait_until("the two have ended", lambda: not in_queue())
    again = elements(program, wedge)
    assert [each["element"] for each in again if each["status"] == "failed"] == [5]
    assert again[11]["status"] == "done"
    assert os.stat(found[0]["folder"] + "/positions.npy").st_mtime_ns == before
    print("array: 20 elements, 2 made to fail and named, run again alone, all collected")


def check_limit(program, folder):
    """A job that does not fit its time limit is requeued, and ends with the bits of a run without a limit."""
    scene = write_shot(folder, 240)
    wedge = os.path.join(folder, "limit")
    words = ["--set", "control.effort=1e-7", "--set", "shot.substeps=24", "--set",
             "control.max_forward_simulations=80", "--set", "keyframe.0.tolerance=1e-9"]
    # The least limit of Slurm's is a minute; the job is told 50 seconds before.
    assert run(program, "wedge", scene, *words, "-o", wedge, "--threads", "1", "--submit",
               "slurm --time=1 --signal=B:TERM@50").returncode == 0
    wait_until("the job has ended", lambda: not in_queue(), 1200)
    found = elements(program, wedge)[0]
    log = output("cat", os.path.join(wedge, "farm/1.log"))
    requeued = log.count("element 1: interrupted")
    print(log)
    assert requeued >= 1, log
    assert found["status"] in ("done", "missed"), found
    alone = os.path.join(folder, "without_limit")
    run(program, "solve", found["folder"] + "/sheet240.toml", "-o", alone, "--no-report")
    for name in ("positions.npy", "forces.npy", "steps.npy"):
        assert file_hash(f"{alone}/{name}") == file_hash(f"{found['folder']}/{name}"), name
    print(f"limit: requeued {requeued} times, the same bits as without a limit")


def check_windows(program, folder):
    """A shot in windows is a chain: an array for each window."""
    scene = write_shot(folder, 25)
    wedge = os.path.join(folder, "windows")
    assert run(program, "wedge", scene, "--set", "control.windows.length=12,13", "--set",
               "control.windows.overlap=4", "-o", wedge, "--submit", "slurm").returncode == 0
    wait_until("the chain has ended", lambda: not in_queue())
    for each in elements(program, wedge):
        assert each["status"] in ("done", "missed"), each
        alone = os.path.join(folder, f"windows_{each['element']}")
        run(program, "solve", each["folder"] + "/sheet25.toml", "-o", alone, "--no-report")
        assert file_hash(alone + "/positions.npy") == file_hash(each["folder"] + "/positions.npy")
    logs = [output("cat", name) for name in sorted(glob.glob(os.path.join(wedge, "farm/*.log")))]
    assert all("interrupted" in log for log in logs), "no link ended after a window"
    print("windows: chains of arrays end with the bits of one run")


def check_cancel(program, folder):
    scene = write_shot(folder, 14)
    wedge = os.path.join(folder, "cancelled")
    assert run(program, "wedge", scene, "--set", "control.effort=1e-5,1e-4", "-o", wedge, "--submit",
               "slurm --begin=now+1hour").returncode == 0
    assert run(program, "wedge", wedge, "--cancel").returncode == 0
    wait_until("the queue is empty", lambda: not in_queue(), 60)
    assert run(program, "wedge", wedge).returncode == 0, "a cancelled wedge runs here"
    # One that runs saves, and is not requeued.
    long = os.path.join(folder, "cancelled_in_the_run")
    run(program, "wedge", write_shot(folder, 240), "--set", "keyframe.0.tolerance=1e-9", "--set",
        "control.max_forward_simulations=400", "-o", long, "--submit", "slurm")
    checkpoint = os.path.join(long, "*", "checkpoint.json")
    wait_until("the job has a checkpoint", lambda: glob.glob(checkpoint), 120)
    assert run(program, "wedge", long, "--cancel").returncode == 0
    wait_until("the queue is empty", lambda: not in_queue(), 60)
    time.sleep(10)
    assert not in_queue(), "a cancelled job was requeued"
    assert elements(program, long)[0]["status"] == "interrupted"
    assert "element 1: interrupted" in output("cat", os.path.join(long, "farm/1.log"))


def main():
    program = sys.argv[1]
    for needed in ("/usr/sbin/munged", "/usr/sbin/slurmctld", "/usr/sbin/slurmd"):
        if not os.path.exists(needed):
            skip(f"{needed} is not installed; bash examples/packages --readers")
    if os.geteuid() != 0:
        skip("its daemons have to be started by root here")
    folder = tempfile.mkdtemp(prefix="keydrape-slurm-")
    try:
        with Slurm(folder):
            for check in (check_array, check_windows, check_cancel, check_limit):
                check(program, folder)
    except AssertionError:
        for name in ("slurmctld.log", "slurmd.log"):
            print(name, output("tail", "-n", "30", os.path.join(folder, name)))
        raise
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
