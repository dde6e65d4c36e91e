# The app alone, for a hosted or self-hosted Supabase: the embedded database stays out.
FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The bundlers ship their native parts as optional packages, so everything is installed here and pruned below.
RUN npm install
COPY . .
RUN npm run build && npm prune --omit=dev --omit=optional

FROM node:20-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/build ./build
COPY --from=build /app/public ./public
USER node
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=3s CMD ["node", "-e", "fetch('http://127.0.0.1:3000/api/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "build/programs/start.js"]
