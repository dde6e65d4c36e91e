import { expect, it } from "vitest";
import { addEvidence, getProof } from "~/domain/proof/operations.server";
import { startSprintRun } from "~/domain/sprint-runs/operations.server";
import { updateStory } from "~/domain/stories/operations.server";
import { claim, seedSprint } from "../db/agents/sprint-world";
import { at } from "../db/world";
import { signIn, startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { createVisitor } from "../setup/page-forms";

const t = await createTestDatabase();
const app = await startTestApp(t, { pages: true });

it("people judge and waive criteria without script, on the pages of story, task and job", async () => {
  const { actor, owner, stories, sprint } = await seedSprint(t, { stories: [1] });
  const story = at(stories, 0);
  const of = { story_id: story.id };
  await updateStory(actor, {
    ...of,
    acceptance_criteria:
      "- Opens <b>fast</b>\n- Says \u202eso\n- Passes `npm <i>test</i>` and ` alone",
  });
  await startSprintRun(actor, { sprint_id: sprint.id });
  const job = await claim(actor);
  const { read, submit } = createVisitor(app, await signIn(t, app, owner));
  const [opens, says] = (await getProof(actor, of)).criteria;
  await addEvidence.json(actor, {
    ...of,
    criterion: says?.id ?? "",
    verdict: "fail",
    excerpt: "<script>alert(1)</script>\u001b[31m\u202e",
  });

  for (const path of [`/stories/${story.id}`, `/tasks/${job.task_id}`, `/jobs/${job.id}/proof`]) {
    const page = await read(path);
    expect(page).toContain("Opens &lt;b&gt;fast&lt;/b&gt;");
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;⟨U+001B⟩[31m⟨U+202E⟩");
    expect(page).toContain("Failed");
    expect(page).toMatch(/Passes <\/span><code[^>]*>npm &lt;i&gt;test&lt;\/i&gt;<\/code>/);
    expect(page).toContain(" and ` alone");
  }
  const judged = { criterion: opens?.id ?? "", verdict: "pass" };
  expect(await submit(`/jobs/${job.id}/proof`, "saw", judged)).toBe(`/stories/${story.id}#proof`);
  const waived = { criterion: says?.id ?? "", reason: "Nobody reads it" };
  await submit(`/tasks/${job.task_id}`, "waive", waived);
  expect((await getProof(actor, of)).criteria.slice(0, 2)).toMatchObject([
    { state: "proven", grade: "person" },
    { state: "waived", waiver: { reason: "Nobody reads it", waived_by: owner.username } },
  ]);
  expect(await read(`/stories/${story.id}`)).toContain("Nobody reads it");
});
