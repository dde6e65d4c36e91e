import { useEffect } from "react";
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
 * The panels are a tenth of the script of the page, which does not wait for them. A panel that is opened earlier suspends
 * without a boundary on purpose: to open one waits for its code as it waits for its data, with nothing half drawn and the
 * focus set once; a page that came with one comes to life with it, and its forms work meanwhile as without script.
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
