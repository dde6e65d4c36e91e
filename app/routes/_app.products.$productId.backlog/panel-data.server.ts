import { renderMarkdown } from "~/components/markdown.server";
import type { Actor } from "~/db/rpc.server";
import { getStoryPage } from "~/domain/pages/get-story-page.server";
import { getTaskPage } from "~/domain/pages/get-task-page.server";
import { getPbi } from "~/domain/pbis/get-pbi.server";
import { isCanonicalUuid } from "~/http/uuid";

/** What the side panel shows, as its address says; null when it is closed or names nothing. */
export async function loadPanel(actor: Actor, address: URLSearchParams) {
  const [kind = "", id = ""] = (address.get("panel") ?? "").split(":");
  if (kind === "new-pbi") return { kind: "new-pbi" } as const;
  if (kind === "new-story") return { kind: "new-story", pbiId: address.get("pbi") } as const;
  if (kind === "paste") return { kind: "paste", into: address.get("into") } as const;
  if (kind === "new-task") return newTask(actor, address.get("story") ?? "");
  if (!isCanonicalUuid(id)) return null;
  if (kind === "pbi") {
    const pbi = await getPbi(actor, { pbi_id: id });
    return { kind: "pbi", pbi, description: await renderMarkdown(pbi.description) } as const;
  }
  if (kind === "story") {
    const page = await getStoryPage(actor, id);
    const texts = {
      description: await renderMarkdown(page.story.description),
      criteria: await renderMarkdown(page.story.acceptance_criteria),
    };
    return { kind: "story", page, texts } as const;
  }
  if (kind === "task") {
    const page = await getTaskPage(actor, id);
    const description = await renderMarkdown(page.task.description);
    const plan = await renderMarkdown(page.task.implementation_plan);
    return { kind: "task", page, description, plan } as const;
  }
  return null;
}

async function newTask(actor: Actor, storyId: string) {
  if (!isCanonicalUuid(storyId)) return null;
  const { story } = await getStoryPage(actor, storyId);
  return {
    kind: "new-task",
    story: { id: story.id, code: story.code, title: story.title },
  } as const;
}

export type PanelData = NonNullable<Awaited<ReturnType<typeof loadPanel>>>;
