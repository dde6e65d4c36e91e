import { minify } from "@swc/core";
import type { Plugin } from "vite";

type Answer = [asked: string | RegExp, answer: string];

/**
 * What this program never asks of Remix, answered when the pages are built: single fetch and lazy route discovery stay off
 * (remix.config.js says why), no page defers data, and no route has a loader or an action in the browser.
 */
const answers: Record<string, Answer[]> = {
  "browser.js": [
    [/window\.__remixContext\.future\.v3_singleFetch/g, "false"],
    [/window\.__remixContext\.isSpaMode/g, "false"],
  ],
  "components.js": [
    [/(?<!\[)future\.v3_singleFetch/g, "false"],
    [
      /static: isStatic,\s+staticContext\s+} = useDataRouterContext\(\);/,
      "} = useDataRouterContext(), isStatic = false, staticContext = undefined;",
    ],
    ['!isStatic && typeof __remixContext === "object" && __remixContext.a', "false"],
  ],
  "fog-of-war.js": [
    [/!isFogOfWarEnabled\(future, isSpaMode\)/g, "true"],
    ["future.v3_lazyRouteDiscovery === true && !isSpaMode", "false"],
  ],
  "links.js": [[/future\.v3_singleFetch/g, "false"]],
  "routes.js": [
    [/future\.v3_singleFetch/g, "false"],
    ['typeof singleFetch === "function"', "false"],
    ["isDeferredResponse(result)", "false"],
    [/!route\.hasClient(Loader|Action)/g, "true"],
    [/mod\.client(Loader|Action)\)/g, "false)"],
    [/!routeModule\.client(Loader|Action)\)/g, "true)"],
    ['route.id === "root" ? RemixRootDefaultHydrateFallback', "false ? undefined"],
    [/if \(isSpaMode\)/g, "if (false)"],
  ],
};

/** Keeps out of the browser what stands behind those questions. One that is not found is an error: Remix was updated. */
export function answerForBrowsers(): Plugin {
  return {
    name: "answer-for-browsers",
    apply: "build",
    transform(code, id, options) {
      if (options?.ssr) return;
      const [, file] = id.split("/node_modules/@remix-run/react/dist/esm/");
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
