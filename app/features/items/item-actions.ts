import { copyText } from "~/ui/copy-button";
import { showToast } from "~/ui/toast";
import { codeOf } from "./active-row";
import { kindOf } from "./selection";

/** An action on the highlighted row or the selection. Keys, menus, bar and palette share this list. */
export interface ItemAction {
  name:
    | "status"
    | "priority"
    | "assignee"
    | "mine"
    | "label"
    | "who"
    | "title"
    | "move"
    | "waits"
    | "run"
    | "peek"
    | CopyAction
    | "pull"
    | "select";
  key: string;
  label: string;
  kinds: readonly string[];
  single?: true;
  /** Changes nothing, so viewers may use it too. */
  reads?: true;
}

const copied = { kinds: ["task", "story", "pbi"], single: true, reads: true } as const;

/** Whether the action copies something, and so changes nothing. */
export const isCopy = (name: ItemAction["name"]): name is CopyAction => name.startsWith("copy-");

export const rowGroup = "Row or selection";

export const itemActions: readonly ItemAction[] = [
  { name: "status", key: "s", label: "Status…", kinds: ["task", "pbi"] },
  { name: "priority", key: "p", label: "Priority…", kinds: ["task", "story", "pbi"] },
  { name: "assignee", key: "a", label: "Assignee…", kinds: ["task", "story"] },
  { name: "mine", key: "i", label: "Assign to me", kinds: ["task", "story"] },
  { name: "label", key: "l", label: "Labels…", kinds: ["task", "story"] },
  { name: "who", key: "w", label: "Agent…", kinds: ["task", "story"] },
  { name: "title", key: "e", label: "Edit title…", kinds: ["task", "story", "pbi"], single: true },
  { name: "move", key: "m", label: "Move…", kinds: ["task", "story", "pbi"] },
  { name: "waits", key: "b", label: "Blocked by…", kinds: ["task", "story"], single: true },
  { name: "run", key: "r", label: "Run this", kinds: ["task", "story"] },
  { name: "peek", key: "Space", label: "Peek", kinds: ["task", "story", "pbi"], single: true, reads: true },
  { ...copied, name: "pull", key: "g p", label: "Open pull request", kinds: ["task"] },
  { name: "copy-link", key: "$mod+Shift+Comma", label: "Copy link", ...copied },
  { name: "copy-code", key: "$mod+Period", label: "Copy code", ...copied },
  { ...copied, name: "copy-branch", key: "$mod+Shift+Period", label: "Copy branch name", kinds: ["task", "story"] },
  { name: "select", key: "x", label: "Select", kinds: ["task", "story", "pbi"], reads: true },
];

export const kindsOf = (items: readonly string[]): ReadonlySet<string> => new Set(items.map(kindOf));

/** Returns the actions that apply to these items. */
export function actionsFor(items: readonly string[], canWrite: boolean): readonly ItemAction[] {
  const kinds = kindsOf(items);
  return itemActions.filter(
    (action) =>
      (canWrite || action.reads) &&
      (items.length === 1 || !(action.single || (action.name === "move" && isOnly(kinds, "pbi")))) &&
      action.kinds.some((kind) => kinds.has(kind)),
  );
}

/** PBIs are ordered, so they are moved one at a time. */
const isOnly = (kinds: ReadonlySet<string>, kind: string) => kinds.size === 1 && kinds.has(kind);

type Run = (
  name: ItemAction["name"],
  items: readonly string[],
  row: HTMLElement | null,
  /** Goes back to the previous menu (Backspace). */
  back?: () => void,
) => void;

let current: Run | null = null;

/** Registers how the page runs item actions. Only one registration is active. Returns a function that removes it. */
export function offerItemActions(run: Run): () => void {
  current = run;
  return () => {
    if (current === run) current = null;
  };
}

export function runItemAction(...call: Parameters<Run>): void {
  current?.(...call);
}

type CopyAction = "copy-link" | "copy-code" | "copy-branch";

const paths: Readonly<Record<string, string>> = { task: "/tasks/", story: "/stories/" };

/** Copies an item's branch, code or link, and shows a toast. */
export async function copyItem(action: CopyAction, item: string, row: HTMLElement | null): Promise<void> {
  const id = item.slice(kindOf(item).length + 1);
  const code = codeOf(row);
  if (action === "copy-branch") {
    const branch = readBranch(kindOf(item), id);
    if (await copyText(branch)) showToast(`Copied ${await branch}`);
  } else if (action === "copy-code") {
    if (await copyText(code)) showToast(`Copied ${code}`);
  } else if (await copyText(linkTo(kindOf(item), id, row))) showToast(`Copied the link to ${code}`);
}

/** A PBI has no page, so its row's link is used. */
function linkTo(kind: string, id: string, row: HTMLElement | null): string {
  const path = paths[kind];
  if (path) return `${location.origin}${path}${id}`;
  return row?.querySelector<HTMLAnchorElement>("a[data-row]")?.href ?? location.href;
}

async function readBranch(kind: string, id: string): Promise<string> {
  const answer = await fetch(`/branch?${new URLSearchParams({ kind, id })}`);
  const read: unknown = await answer.json();
  if (typeof read !== "object" || read === null || !("branch" in read)) throw new Error("No branch");
  return String(read.branch);
}
