import { useEffect } from "react";
import { neededFirst } from "~/ui/needed-first";
import type { Panel as PanelOfPage, PanelProps } from "./panel";

let Panel: typeof PanelOfPage | undefined;
let coming: Promise<void> | undefined;

/** Loads the panels' code once; retries after a failure. */
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
 * Panels are a seventh of the page's script, so they load after it. Opening one earlier suspends without a boundary on
 * purpose: it waits for code as it waits for data, nothing renders half, and focus is set once.
 */
export function LaterPanel({
  panel,
  ...page
}: Omit<PanelProps, "panel"> & { panel: PanelProps["panel"] | null }) {
  useEffect(() => {
    loadPanels().catch(() => {
      // Offline: loads when a panel is opened.
    });
  }, []);
  if (!panel) return null;
  if (!Panel) throw loadPanels().catch(drawOnServer);
  return <Panel panel={panel} {...page} />;
}

/** If the code cannot load, as after a server update, reloads once so that the server renders the panel. */
function drawOnServer(): Promise<never> {
  if (document.querySelector("[data-side-panel]") === null) location.reload();
  return new Promise(() => {});
}

// A page that arrives with a panel hydrates with its code: otherwise React would discard what was typed into the panel.
// Until then, or without the code, its forms work as without JavaScript.
if (typeof document !== "undefined" && document.querySelector("[data-side-panel]") !== null) {
  neededFirst.push(loadPanels().catch(drawOnServer));
}
