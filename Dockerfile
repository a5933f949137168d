# The service as an image: docker build -t user-group-service .
# docs/deploy.md says how to run it; e2e/faults/container.spec.ts runs these lines.
# The base image is named by tag. To pin its bytes, append the digest to both lines, as in node:24-bookworm-slim@sha256:…

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The context has no .git: docker build --build-arg SOURCE_COMMIT=$(git rev-parse HEAD)
ARG SOURCE_COMMIT
RUN npm run release

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production
ENV HOST=0.0.0.0 PORT=3000
# Everything belongs to root: the service can change nothing but /data.
COPY --from=build /app/.release/files ./
# DATA_DIR stays unset: a container whose DATABASE_URL was forgotten is refused where PUBLIC_URL says that it is production.
RUN install -d -o 1000 -g 1000 -m 700 /data && ln -s /data .data
USER 1000:1000
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["./user-groups", "start"]
