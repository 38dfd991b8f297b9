# syntax=docker/dockerfile:1
ARG BASE_IMAGE=python:3.11-slim-bookworm

FROM ${BASE_IMAGE} AS build
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE mkdocs.yml ./
COPY api api
COPY bench/results.json bench/results.json
COPY kb kb
COPY model model
COPY site site
RUN python3 -m venv /opt/errdex \
    && /opt/errdex/bin/pip install --no-cache-dir -c constraints.txt '.[site]' \
    && ERRDEX_INDEX=/opt/errdex/index /opt/errdex/bin/errdex index \
    && ERRDEX_SITE=/opt/errdex/site /opt/errdex/bin/errdex site

FROM ${BASE_IMAGE}
COPY --from=build /opt/errdex /opt/errdex
ENV ERRDEX_INDEX=/opt/errdex/index \
    ERRDEX_SITE=/opt/errdex/site \
    PYTHONUNBUFFERED=1
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["/opt/errdex/bin/python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
ENTRYPOINT ["/opt/errdex/bin/errdex", "serve", "--host", "0.0.0.0"]
