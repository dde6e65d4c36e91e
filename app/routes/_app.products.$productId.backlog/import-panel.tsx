import { lazy, Suspense } from "react";
import { PageProgress } from "~/ui/page-progress";
import PanelOfServer, { type PanelProps } from "./panel";

export const importPanel = () => import("./panel");

const LazyPanel = lazy(importPanel);

/** What the row knows, in the panel's place. */
export const importKnownPanel = () => import("~/features/items/known-panel");

export const KnownPanel = lazy(importKnownPanel);

/** Loads after the page in the browser, as it is a third of the page's script. The server renders it at once. */
export let Panel = import.meta.env.SSR ? PanelOfServer : PanelWithBoundary;

function PanelWithBoundary(props: PanelProps) {
  return (
    <Suspense fallback={<PageProgress closeTo={props.closeTo} />}>
      <LazyPanel {...props} />
    </Suspense>
  );
}

/** Loads the panel the page came with, before hydration: React would discard what was typed into it. */
export async function loadPanelOfPage(): Promise<void> {
  if (document.querySelector("[data-side-panel]")) Panel = (await importPanel()).default;
}
