# Built in one stage, run in another: what runs has no compiler, no pip cache, and no root.
FROM python:3.13-slim AS build
WORKDIR /src
RUN python -m venv /venv
# The dependencies as reviewed: locked, with hashes. A layer of their own, so that a change of ours does not fetch them anew.
COPY requirements-run.lock ./
RUN /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements-run.lock
COPY pyproject.toml README.md LICENSE ./
COPY fixtures/scenarios fixtures/scenarios
COPY bridge bridge
RUN /venv/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps .

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin bridge \
    && install -d -o bridge -g bridge -m 700 /data
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    BRIDGE_DATA_DIR=/data \
    BRIDGE_HTTP=127.0.0.1:8080 \
    BRIDGE_LOG=json
USER bridge
# Everything is in the volume: the store, and the configuration as /data/config/bridge.toml (docs/running.md).
WORKDIR /data
VOLUME /data
# Whether the process still runs its loop. Readiness is /readyz: a hub that is away is no reason to restart the bridge.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["python", "-c", \
    "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ['BRIDGE_HTTP'].rpartition(':')[2] + '/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["hapi-bridge"]
CMD ["run"]
