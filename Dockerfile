# syntax=docker/dockerfile:1
ARG BASE_IMAGE=python:3.11-slim-bookworm

FROM ${BASE_IMAGE} AS build
# Where the site will stand; its pages name it.
ARG ERRDEX_BASE_URL=""
ARG ERRDEX_API_URL=""
ARG ERRDEX_CONTRIBUTE_URL=""
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE mkdocs.yml ./
COPY api api
COPY bench/results.json bench/results.json
COPY kb kb
COPY model model
COPY site site
RUN python3 -m venv /opt/errdex \
    && /opt/errdex/bin/pip install --no-cache-dir -c constraints.txt '.[site,otel,postgres,valkey]' \
    && ERRDEX_INDEX=/opt/errdex/index /opt/errdex/bin/errdex index \
    && ERRDEX_SITE=/opt/errdex/site /opt/errdex/bin/errdex site

FROM ${BASE_IMAGE}
COPY --from=build /opt/errdex /opt/errdex
# All that is ever written; the rest may be read-only.
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/errdex
ENV ERRDEX_INDEX=/opt/errdex/index \
    ERRDEX_SITE=/opt/errdex/site \
    ERRDEX_STORE=sqlite:////var/lib/errdex/errdex.sqlite3 \
    PYTHONUNBUFFERED=1
USER 10001:10001
VOLUME /var/lib/errdex
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["/opt/errdex/bin/python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
ENTRYPOINT ["/opt/errdex/bin/errdex", "serve", "--host", "0.0.0.0"]
