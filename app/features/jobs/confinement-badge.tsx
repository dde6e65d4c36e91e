import type { Confinement } from "~/contract/confinement";
import { Badge } from "~/ui/badge";

const words: Record<Confinement, string> = {
  bwrap: "Sandbox: bubblewrap",
  docker: "Sandbox: Docker",
  command: "Sandbox: custom command",
  none: "No sandbox",
};

/** Whether what ran was kept apart from the machine that it ran on, and by what. */
export function ConfinementBadge({ confinement }: { confinement: Confinement }) {
  return <Badge tone={confinement === "none" ? "plain" : "accent"}>{words[confinement]}</Badge>;
}
