# docker build -t backloom .                           the service with its own database, data in /data
# docker build -t backloom-hosted --target hosted .    the app alone, for a hosted or self-hosted Supabase
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM build AS build-hosted
RUN npm prune --omit=dev --omit=optional

FROM node:24-slim AS base
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "build/programs/start.js"]

FROM base AS hosted
COPY --from=build-hosted /app/package.json ./
COPY --from=build-hosted /app/node_modules ./node_modules
COPY --from=build-hosted /app/build ./build
COPY --from=build-hosted /app/public ./public
COPY --from=build-hosted /app/supabase/migrations ./supabase/migrations
COPY --from=build-hosted /app/supabase/schemas ./supabase/schemas
USER node

FROM base AS embedded
ENV DATA_DIR=/data
RUN mkdir /data && chown node:node /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/build ./build
COPY --from=build /app/public ./public
COPY --from=build /app/supabase/migrations ./supabase/migrations
COPY --from=build /app/supabase/schemas ./supabase/schemas
COPY --from=build /app/supabase/embedded/shims ./supabase/embedded/shims
USER node
VOLUME /data
