import { useEffect } from "react";
import { neededFirst } from "~/ui/needed-first";
import type { Panel as PanelOfPage, PanelProps } from "./panel";

let Panel: typeof PanelOfPage | undefined;
let coming: Promise<void> | undefined;

/** What panels need, once; after a failure the next call asks again. */
export function loadPanels(): Promise<void> {
  coming ??= import("./panel").then(
    (code) => {
      Panel = code.Panel;
    },
    (error) => {
      coming = undefined;
      throw error;
    },
  );
  return coming;
}

/**
 * The panels are a seventh of the script of the page, which does not wait for them. One that is opened earlier suspends
 * without a boundary on purpose: to open it waits for its code as it waits for its data, nothing is half drawn, and the
 * focus is set once.
 */
export function LaterPanel({
  panel,
  ...page
}: Omit<PanelProps, "panel"> & { panel: PanelProps["panel"] | null }) {
  useEffect(() => {
    loadPanels().catch(() => {
      // Without network it is tried again when somebody opens one.
    });
  }, []);
  if (!panel) return null;
  if (!Panel) throw loadPanels().catch(drawOnServer);
  return <Panel panel={panel} {...page} />;
}

/** Code that cannot be had, as after an update of the server: it draws the panel instead, once. */
function drawOnServer(): Promise<never> {
  if (document.querySelector("[data-side-panel]") === null) location.reload();
  return new Promise(() => {});
}

// A page that came with a panel comes to life with it: React would throw away what was typed into one that is still to
// come. Until then, and without the code, its forms work as without script.
if (typeof document !== "undefined" && document.querySelector("[data-side-panel]") !== null) {
  neededFirst.push(loadPanels().catch(drawOnServer));
}
