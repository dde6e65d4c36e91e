import { commentsBefore, showComments } from "~/features/comments/comments.server";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import type { SignedIn } from "~/http/page-guards.server";
import { listComments } from "~/nouns/comments/operations.server";
import { getStoryPanel, getTaskPanel } from "~/nouns/pages/operations.server";
import { getPbi } from "~/nouns/pbis/operations.server";
import { getProduct } from "~/nouns/products/operations.server";
import { isCanonicalUuid } from "~/wire/canonical-id";
import type { BacklogTree } from "~/wire/pages/contract";
import { type FilledField, filledFields } from "./tree-address";

/** Loads the side panel in the address; null if it is closed or unknown. */
export async function loadPanel(
  { actor, principal }: Pick<SignedIn, "actor" | "principal">,
  productId: string,
  address: URLSearchParams,
  tree: Promise<Pick<BacklogTree, "pbis" | "stories" | "tasks">>,
) {
  const [kind = "", id = ""] = (address.get("panel") ?? "").split(":");
  const given = givenIn(address);
  const show = (text: string | null) => renderMarkdown(text, principal.user_id);
  if (kind === "new-pbi") {
    const made = codeIn((await tree).pbis, address);
    return { kind: "new-pbi", given, made } as const;
  }
  if (kind === "new-story") {
    const { pbis, stories } = await tree;
    const pbi = named(pbis, address.get("pbi"));
    const made = codeIn(stories, address);
    return { kind: "new-story", pbiId: pbi?.id ?? null, given, made } as const;
  }
  if (kind === "paste") {
    const made = address.get("made");
    return { kind: "paste", into: address.get("into"), made } as const;
  }
  if (kind === "new-task") {
    const { stories, tasks } = await tree;
    const story = named(stories, address.get("story"));
    if (story === undefined) return null;
    const { id: story_id, code, title } = story;
    const made = codeIn(tasks, address);
    return { kind: "new-task", story: { id: story_id, code, title }, given, made } as const;
  }
  if (!isCanonicalUuid(id)) return null;
  if (kind === "pbi") {
    const [pbi, said, { role }] = await Promise.all([
      getPbi(actor, { pbi_id: id }),
      listComments(actor, { kind, id, cursor: commentsBefore(address) }),
      getProduct(actor, { product_id: productId }),
    ]);
    const comments = { ...(await showComments(said, { kind, id, principal })), productId };
    const description = await show(pbi.description);
    return { kind, pbi, description, comments, isOwner: role === "OWNER" } as const;
  }
  if (kind === "story") {
    const page = await getStoryPanel(actor, { story_id: id });
    const [description, criteria] = await Promise.all([
      show(page.story.description),
      show(page.story.acceptance_criteria),
    ]);
    return { kind: "story", page, description, criteria } as const;
  }
  if (kind === "task") {
    const page = await getTaskPanel(actor, { task_id: id });
    const [description, plan] = await Promise.all([show(page.task.description), show(page.task.implementation_plan)]);
    return { kind: "task", page, description, plan } as const;
  }
  return null;
}

/** Finds an item by code, which is the same in other installations, or by id. */
function named<Thing extends { id: string; code: string }>(
  things: readonly Thing[],
  name: string | null,
): Thing | undefined {
  return things.find(({ id, code }) => id === name || code === name);
}

/** Returns the code of the item created with the previous form. */
function codeIn(things: readonly { id: string; code: string }[], address: URLSearchParams): string | null {
  return named(things, address.get("made"))?.code ?? null;
}

/** Returns form values from the address. They are validated when the form is submitted. */
function givenIn(address: URLSearchParams): Partial<Record<FilledField, string>> {
  return Object.fromEntries(
    filledFields.flatMap((name) => {
      const value = address.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

export type PanelData = NonNullable<Awaited<ReturnType<typeof loadPanel>>>;
