import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { loadPanelOfPage } from "./routes/_app.products.$productId.backlog/import-panel";

/** Routes that only answer have no code: Remix would fetch their empty files, and lose the page if one is not there. */
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
