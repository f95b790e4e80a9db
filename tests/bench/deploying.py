"""`psreg deploy` of one change among many entries, to an S3 server over HTTP.

The bucket has only the two objects that a deployment reads: what else is in it makes no difference.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measure import Metric, cost
from releasing import NUMBER, PSREG, Checkout

sys.path.append(str(Path(__file__).parents[1]))

from psreg.registry.deploy.deploy import deploy
from psreg.registry.deploy.deployable import Deployable
from psreg.registry.deploy.headers import DEPLOY_FILE, TIMESTAMP_FILE
from psreg.registry.deploy.site_files import SiteFiles
from psreg.system import clock
from support.buckets import S3, MemoryBucket, proxied


def metrics() -> Iterator[Metric]:
    with tempfile.TemporaryDirectory() as folder:
        checkout, site, bucket = Checkout(Path(folder), NUMBER), Path(folder, "site"), S3()
        build = [PSREG, "site", "build", "--quiet", "--out", str(site)]
        subprocess.run(build, cwd=checkout.root, env=checkout.env, check=True)
        memory = MemoryBucket()
        now = clock.now()
        deploy(Deployable(SiteFiles(site), now, pack=True), memory, now)
        for path in (DEPLOY_FILE, TIMESTAMP_FILE):
            bucket.files.pipe_file(f"{bucket.name}/{path}", memory.objects[path])
        checkout.release(7)
        checkout.publish()
        subprocess.run(build, cwd=checkout.root, env=checkout.env, check=True)
        with proxied() as proxy:
            env = {**os.environ, **bucket.env, "AWS_ENDPOINT_URL": proxy.url}
            took = cost([PSREG, "deploy", bucket.url, "--site", str(site)], env=env)
            asked = len(proxy.asked)
        size = len(memory.objects[DEPLOY_FILE]) / 1e6
        objects = len(memory.objects)
        where = f"deploy of one release among {NUMBER:,} entries ({objects:,} objects)"
        yield Metric(f"{where}, requests", asked, 40)
        yield Metric(f"{where}, CPU s", took.cpu, 6)
        yield Metric(f"{where}, MB of memory", took.megabytes, 400)
        yield Metric(f"deploy.json of {objects:,} objects, MB", size, 5)
