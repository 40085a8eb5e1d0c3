# Toolroll as an image: one process, two listeners, no shell needed while it runs.
#
#   docker build -t toolroll .
#
# A release pins the base by digest and says what it is:
#   docker build --build-arg BASE=node:24-bookworm-slim@sha256:… \
#     --build-arg VERSION=0.1.0 --build-arg REVISION=$(git rev-parse HEAD) -t toolroll:0.1.0 .
#
# No dependency holds native code, so the layers made here are the same on every architecture.
ARG BASE=node:24-bookworm-slim

# The program. The benchmark and the demo are not copied, so they are not built.
FROM ${BASE} AS program
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json cli.ts LICENSE ./
COPY schemas/generated schemas/generated
COPY proxy proxy
COPY control control
# Readable by the user that runs it and writable by root alone, whatever the modes of the checkout were.
RUN npm run build && chmod -R u=rwX,go=rX dist package.json LICENSE

# What the program needs to run, apart from the stage above: a change of the code leaves this layer as it is.
FROM ${BASE} AS modules
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY deploy/image/prune-modules.sh ./
RUN sh prune-modules.sh node_modules && chmod -R u=rwX,go=rX node_modules

FROM ${BASE}
WORKDIR /app
# The heap follows the container's memory limit; the rest is for buffers, which are not on the heap.
# Node 24 and later know the flag; who sets NODE_OPTIONS for more repeats it.
ENV NODE_ENV=production \
    NODE_OPTIONS=--max-old-space-size-percentage=75
COPY --from=modules /app/node_modules node_modules
COPY --from=program /app/package.json /app/LICENSE ./
COPY --from=program /app/dist dist
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
ARG SOURCE=https://toolroll.dev
LABEL org.opencontainers.image.title="toolroll" \
      org.opencontainers.image.description="A sidecar between an app and its model that keeps tools rolled up and opens the few a turn needs." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# As a number: Kubernetes cannot tell whether a name is root (runAsNonRoot).
USER 65532:65532
# The proxy listens on the loopback by default, as a sidecar's does, which shares its network with the app.
# To reach it from outside its network: -e TOOLROLL_PROXY_LISTEN=0.0.0.0:8080
EXPOSE 8080 9090
# No HEALTHCHECK: probes ask /healthz and /readyz of the control listener.
ENTRYPOINT ["node", "/app/dist/cli.js"]
CMD ["serve"]
