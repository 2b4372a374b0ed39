# The server on stdio for what is mounted at /workspace:
#
#   docker run --interactive --rm --init --volume "$PWD:/workspace" ghcr.io/cofferdam/cofferdam
#
# docs/PACKAGES.md has the rest.
FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.types.json ./
COPY scripts scripts
COPY src src
# Besides the programs, the build leaves V8's compiled form of them, for this Node and this place. /state lets any user
# (`--user`) keep a history there that others cannot read.
RUN node scripts/build.mjs \
 && rm -rf dist/types dist/*.mjs dist/*.map \
 && npm prune --omit=dev --no-audit --no-fund \
 && mkdir --mode=1777 /state

FROM node:20-slim
LABEL org.opencontainers.image.title="Cofferdam" \
      org.opencontainers.image.source="https://github.com/cofferdam/cofferdam" \
      org.opencontainers.image.licenses="MIT" \
      io.modelcontextprotocol.server.name="io.github.cofferdam/cofferdam"
ENV NODE_ENV=production \
    XDG_STATE_HOME=/state
COPY --from=build /app/package.json /app/package.json
COPY --from=build /app/dist /app/dist
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /state /state
COPY packaging/healthcheck.mjs LICENSE /app/
# What is created here without a mount belongs to the user below.
WORKDIR /workspace
RUN chown node:node /workspace
USER node
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s --retries=3 \
  CMD ["node", "/app/healthcheck.mjs", "/app/dist/cofferdam.cjs"]
ENTRYPOINT ["node", "/app/dist/cofferdam.cjs"]
CMD ["/workspace"]
