import { Link } from "@remix-run/react";
import { lazy, Suspense } from "react";
import PanelOfServer, { type PanelProps } from "./panel";

export const importPanel = () => import("./panel");

const LazyPanel = lazy(importPanel);

/** Loads after the page in the browser, as it is a third of the page's script. The server renders it at once. */
export let Panel = import.meta.env.SSR ? PanelOfServer : PanelWithBoundary;

function PanelWithBoundary(props: PanelProps) {
  return (
    <Suspense fallback={<Coming closeTo={props.closeTo} />}>
      <LazyPanel {...props} />
    </Suspense>
  );
}

/** Shows that the panel loads. Esc closes it already. */
function Coming({ closeTo }: Pick<PanelProps, "closeTo">) {
  return (
    <>
      <div role="progressbar" aria-label="Loading" className="page-progress" />
      <Link to={closeTo} preventScrollReset data-close hidden>
        Close details
      </Link>
    </>
  );
}

/** Loads the panel the page came with, before hydration: React would discard what was typed into it. */
export async function loadPanelOfPage(): Promise<void> {
  if (document.querySelector("[data-side-panel]")) Panel = (await importPanel()).default;
}
