"""Runs the files of an image as its configuration says, and its health check until that succeeds: container.py IMAGE.json ROOT"""

import json
import os
import subprocess
import sys
import time

config = json.load(open(sys.argv[1]))["Docker"]["config"]
user, group = (int(n) for n in config["User"].split(":"))


def run(command):
    def enter():
        os.chroot(sys.argv[2])
        os.chdir(config["WorkingDir"])
        os.setgroups([])
        os.setresgid(group, group, group)
        os.setresuid(user, user, user)

    return subprocess.Popen(command, preexec_fn=enter, env=dict(pair.split("=", 1) for pair in config["Env"]))


server = run(config["Entrypoint"] + ["--appendonly", "yes"])
check = config["Healthcheck"]["Test"]
assert check[0] == "CMD", check
for _ in range(100):
    if run(check[1:]).wait() == 0:
        break
    time.sleep(0.05)
else:
    sys.exit("the health check fails")
print("user", user, "wrote", os.listdir(sys.argv[2] + "/data"), flush=True)
server.terminate()
sys.exit(server.wait())
