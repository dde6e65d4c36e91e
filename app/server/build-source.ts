import { existsSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServerBuild } from "@remix-run/node";
import type { BuildSource } from "./page-app";

/** The build made by `npm run build`. In an installed package it is next to the programs. */
export async function builtFiles(projectFolder: string): Promise<BuildSource> {
  const packed = join(import.meta.dirname, "pages.js");
  const file = existsSync(packed) ? packed : join(projectFolder, "build", "pages", "server", "index.js");
  const build: ServerBuild = await import(pathToFileURL(file).href);
  return { load: () => Promise.resolve(build), developmentFiles: undefined };
}

/** Vite in middleware mode, which serves the current sources. */
export async function developmentBuild(hmrServer: Server): Promise<BuildSource> {
  const vite = await import("vite");
  const server = await vite.createServer({
    server: { middlewareMode: true, hmr: { server: hmrServer } },
    appType: "custom",
  });
  return {
    load: async () => {
      const build: unknown = await server.ssrLoadModule("virtual:remix/server-build");
      if (isServerBuild(build)) return build;
      throw new Error("Vite did not return the server build");
    },
    developmentFiles: server.middlewares,
  };
}

function isServerBuild(value: unknown): value is ServerBuild {
  return typeof value === "object" && value !== null && "routes" in value && "entry" in value;
}
