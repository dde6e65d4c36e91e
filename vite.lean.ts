import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { minify } from "@swc/core";
import type { Plugin } from "vite";
import { z } from "zod";

type Answer = [asked: string | RegExp, answer: string];

/**
 * What this program never asks of Remix, answered when the pages are built: single fetch and lazy route discovery stay off
 * (remix.config.js says why), no page defers data, and no route has a loader or an action in the browser.
 */
const answers: Record<string, Answer[]> = {
  "react/dist/esm/browser.js": [
    [/window\.__remixContext\.future\.v3_singleFetch/g, "false"],
    [/window\.__remixContext\.isSpaMode/g, "false"],
  ],
  "react/dist/esm/components.js": [
    [/(?<!\[)future\.v3_singleFetch/g, "false"],
    [
      /static: isStatic,\s+staticContext\s+} = useDataRouterContext\(\);/,
      "} = useDataRouterContext(), isStatic = false, staticContext = undefined;",
    ],
    ['!isStatic && typeof __remixContext === "object" && __remixContext.a', "false"],
  ],
  "react/dist/esm/fog-of-war.js": [
    [/!isFogOfWarEnabled\(future, isSpaMode\)/g, "true"],
    ["future.v3_lazyRouteDiscovery === true && !isSpaMode", "false"],
  ],
  "react/dist/esm/links.js": [[/future\.v3_singleFetch/g, "false"]],
  "react/dist/esm/routes.js": [
    [/future\.v3_singleFetch/g, "false"],
    ['typeof singleFetch === "function"', "false"],
    ["isDeferredResponse(result)", "false"],
    [/!route\.hasClient(Loader|Action)/g, "true"],
    [/mod\.client(Loader|Action)\)/g, "false)"],
    [/!routeModule\.client(Loader|Action)\)/g, "true)"],
    ['route.id === "root" ? RemixRootDefaultHydrateFallback', "false ? undefined"],
    [/if \(isSpaMode\)/g, "if (false)"],
  ],
  "router/dist/router.js": [
    // What it says of mistakes in a program's routes; they end it with or without words.
    [/^ *warning\([^;]*\);$/gm, ""],
    [/^( *invariant\([^"'`;]+), ["'`][^;]*\);$/gm, "$1);"],
    [/if \((isFogOfWar|fogOfWar\.active|patchRoutesOnNavigationImpl)\)/g, "if (false)"],
    [/fogOfWar\.active &&/g, "false &&"],
    [/!isFogOfWar\b/g, "true"],
    ["return result.type === ResultType.deferred;", "return false;"],
    [/(function isDeferredData\(value\) {)/, "$1 return false;"],
  ],
};

/** Keeps out of the browser what stands behind those questions. One that is not found is an error: Remix was updated. */
export function answerForBrowsers(): Plugin {
  return {
    name: "answer-for-browsers",
    apply: "build",
    transform(code, id, options) {
      if (options?.ssr) return;
      const [, file] = id.split("/node_modules/@remix-run/");
      const found = file === undefined ? undefined : answers[file];
      return found?.reduce((text, [asked, answer]) => {
        const next = text.replace(asked, answer);
        if (next === text) this.error(`${file} does not ask ${asked} any more`);
        return next;
      }, code);
    },
  };
}

/** Makes smaller what esbuild made small: SWC finds six per cent more in the script that every page loads. */
export function minifyAgain(): Plugin {
  return {
    name: "minify-again",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "client",
    renderChunk: {
      order: "post",
      async handler(code) {
        const smaller = await minify(code, { module: true, compress: { passes: 2 }, ecma: 2020 });
        return smaller.code;
      },
    },
  };
}

/** Takes addresses that no page leads to, those of programs, out of the list of routes that every page loads. */
export function listPagesOnly(): Plugin {
  return {
    name: "list-pages-only",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "ssr",
    writeBundle() {
      const folder = join(import.meta.dirname, "build/pages/client/assets");
      // Remix writes it beside the bundles, once the browser's files have their names.
      const [name, second] = readdirSync(folder).filter((file) => file.startsWith("manifest-"));
      if (name === undefined || second !== undefined) this.error("not one list of routes");
      const file = join(folder, name);
      const [, list = ""] =
        /^window\.__remixManifest=(.*);$/s.exec(readFileSync(file, "utf8")) ?? [];
      const { routes, ...rest } = z
        .looseObject({ routes: z.record(z.string(), z.unknown()) })
        .parse(JSON.parse(list));
      const pages = Object.entries(routes).filter(([id]) => !/^routes\/(api|mcp)\b/.test(id));
      const left = { ...rest, routes: Object.fromEntries(pages) };
      const withoutNo = (_name: string, value: unknown) => (value === false ? undefined : value);
      writeFileSync(file, `window.__remixManifest=${JSON.stringify(left, withoutNo)};`);
    },
  };
}
