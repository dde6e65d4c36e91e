import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { loadPanelOfPage } from "./routes/_app.products.$productId.backlog/import-panel";

/**
 * Routes that only answer requests have no code. Remix would fetch their empty files, and lose the page where one
 * cannot be had: on the first change without network, or after an update of the service.
 */
for (const { id, imports } of Object.values(window.__remixManifest.routes))
  if (import.meta.env.PROD && !imports?.length) window.__remixRouteModules[id] ??= { default: () => null };

void loadPanelOfPage().then(() =>
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <RemixBrowser />
      </StrictMode>,
    );
  }),
);
