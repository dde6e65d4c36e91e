import { copyText } from "~/ui/copy-button";
import { showToast } from "~/ui/toast";
import { codeOf } from "./active-row";
import { kindOf } from "./selection";

export type CopyAction = "copy-link" | "copy-code" | "copy-branch";

const paths: Readonly<Record<string, string>> = { task: "/tasks/", story: "/stories/" };

/** Copies an item's branch, code or link, and shows a toast. */
export async function copyItem(
  action: CopyAction,
  item: string,
  row: HTMLElement | null,
): Promise<void> {
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
  if (typeof read !== "object" || read === null || !("branch" in read))
    throw new Error("No branch");
  return String(read.branch);
}
