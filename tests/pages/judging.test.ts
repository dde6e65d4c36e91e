import { expect, it } from "vitest";
import { getAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { listLessons } from "~/nouns/lessons/operations.server";
import { createProduct, getProduct } from "~/nouns/products/operations.server";
import { addEvidence, getProof } from "~/nouns/proof/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { openApp } from "../setup/app";
import { at, claim } from "../setup/world";

const { t, app } = await openApp({ pages: true });

const seenByOthers = { worker: "Test passed", other_worker: "Checked by another agent", ci: "CI passed" };

it("A product created on its page lets agent work wait for a person unless the form says otherwise", async () => {
  const owner = await t.createUser();
  const actor = t.actorOf(owner);
  const { submit } = await app.visitorOf(owner);
  const made = async (fields: Record<string, string>) => {
    const place = await submit("/products/new", null, fields);
    const [, product_id = ""] = /products\/([^/]+)/.exec(place ?? "") ?? [];
    return (await getProduct(actor, { product_id })).done_requires;
  };
  expect(await made({ name: "Judged" })).toBe("person");
  expect(await made({ name: "Unjudged", done_requires: "none" })).toBe("none");
  const elsewhere = await createProduct(actor, { name: "Elsewhere", code: "ELSEWHERE" });
  expect(elsewhere.done_requires).toBe("none");
});

it("people judge and waive criteria without script, on the pages of story, task and job", async () => {
  const { actor, owner, stories, start } = await t.seedSprint({ stories: [1] });
  const story = at(stories, 0);
  const of = { story_id: story.id };
  await updateStory(actor, {
    ...of,
    acceptance_criteria: "- Opens <b>fast</b>\n- Says \u202eso\n- Passes `npm <i>test</i>` and ` alone",
  });
  await start();
  const { read, submit } = await app.visitorOf(owner);
  // Nothing was done yet, so nobody has judged it.
  expect(await read(`/stories/${story.id}/changes`)).toContain("until a person reviews it");
  const job = await claim(actor);
  // By the name that it has on the page of its run.
  expect(await read(`/jobs/${job.id}`)).toContain("Cancel run");
  const [opens, says, passes] = (await getProof(actor, of)).criteria;
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
    expect(page).toContain(`Rejected by ${owner.username}`);
    expect(page).toMatch(/Passes <\/span><code[^>]*>npm &lt;i&gt;test&lt;\/i&gt;<\/code>/);
    expect(page).toContain(" and ` alone");
  }
  const named = { said: "Reported by the agent", ...seenByOthers };
  for (const [grade, words] of Object.entries(named)) {
    await t.query`
      insert into evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, observed_by)
      select product_id, id, ${passes?.id}, ${passes?.text}, 'pass', ${grade}::evidence_grade, 'command', 'loom' from stories where id = ${story.id}`;
    expect(await read(`/stories/${story.id}`)).toContain(`<span class="font-semibold">${words}<`);
  }
  const judged = { criterion: opens?.id ?? "", verdict: "pass" };
  expect(await submit(`/jobs/${job.id}/proof`, "saw", judged)).toBe(`/stories/${story.id}#proof`);
  const waived = { criterion: says?.id ?? "", reason: "No one reads it" };
  await submit(`/tasks/${job.task_id}`, "waive", waived);
  expect((await getProof(actor, of)).criteria.slice(0, 2)).toMatchObject([
    { state: "proven", grade: "person" },
    { state: "waived", waiver: { reason: "No one reads it", waived_by: owner.username } },
  ]);
  const set = (fields: string) => t.sql.query(`update evidence set ${fields} where criterion = $1`, [passes?.id]);
  await set("base_exit_code = 0, command = 'npm test', exit_code = 0, passed_before = true");
  const hollow = await read(`/stories/${story.id}`);
  expect(hollow).toContain(`<span class="font-semibold">Did not fail before<`);
  expect(hollow).toContain("does not count: it did not fail before the work");
  expect(hollow).toContain(" (before the work: <!-- -->0<!-- -->)");
  await set("passed_before = false");
  await t.query`update evidence set voided_by = 'eva' where criterion = ${passes?.id}`;
  const page = await read(`/stories/${story.id}`);
  expect(page).toContain("does not count: <!-- -->eva<!-- --> requested changes");
  expect(page).toContain("Not proven");
  expect(page).toContain("No one reads it");
  expect(page).toContain(`Confirmed by ${owner.username}`);
  expect(page).not.toContain("Proven");
});

it("Lessons are accepted, declined and retired without script, in the inbox and on the lessons page", async () => {
  const { actor, owner, product } = await t.seedWorld(1);
  await t.query`insert into public.lessons (product_id, text, cause)
     values (${product.id}, 'First <b>lesson</b>', 'ci_failed'), (${product.id}, 'Second lesson', 'proof_voided')`;
  const { read, submit } = await app.visitorOf(owner);
  const page = `/products/${product.id}/lessons`;
  const inbox = await read("/inbox");
  expect(inbox).toContain("Lesson proposed");
  expect(inbox).toContain("First &lt;b&gt;lesson&lt;/b&gt;");
  expect(inbox).not.toContain("<b>lesson</b>");
  expect(await read(`/products/${product.id}/settings/agents`)).toContain(page);

  const idOf = async (text: string) =>
    (await listLessons(actor, { product_id: product.id })).lessons.find((lesson) => lesson.text === text)?.id ?? "";
  const first = await idOf("First <b>lesson</b>");
  const edited = { lesson_id: first, text: "Edited lesson", verdict: "accept" };
  expect(await submit("/inbox", "decide-lesson", edited)).toBe("/inbox");
  const second = { lesson_id: await idOf("Second lesson"), verdict: "decline" };
  expect(await submit(page, "decide-lesson", second)).toBe(page);
  const { lessons } = await listLessons(actor, { product_id: product.id });
  expect(lessons).toMatchObject([
    { text: "Edited lesson", status: "accepted", accepted_by: owner.username },
    { text: "Second lesson", status: "declined" },
  ]);
  await t.query`update products set pull_requests = 'open' where id = ${product.id}`;
  expect(await read(page)).toContain("Waiting for a worker started with --pr.");
  const shown = (await read(page)).replaceAll("<!-- -->", "");
  expect(shown).toContain("Came back for this: 0 of 0 tasks before, 0 of 0 since.");
  await submit(page, "decide-lesson", { lesson_id: first, verdict: "retire" });
  expect(await read(page)).toContain("Retired");
});

it("A plan can be sent back from the inbox, and the next one approved as edited on the job's page", async () => {
  const { actor, owner, start } = await t.seedSprint({ stories: [1], plan: () => undefined });
  await start({ plan_review: "person" });
  const plan = async (implementation_plan: string) => {
    const { id, attempt } = await claim(actor);
    await reportAgentJob(actor, { job_id: id, attempt, status: "running", implementation_plan });
    return id;
  };
  const { submit } = await app.visitorOf(owner);
  const job_id = await plan("1. Write it");
  const back = { verdict: "request_changes", summary: "Shorter" };
  expect(await submit("/inbox", "judge-plan", back)).toBe(`/jobs/${job_id}`);
  await plan("1. Write");
  const edited = { verdict: "approve", plan: "1. Write only that" };
  expect(await submit(`/jobs/${job_id}`, "judge-plan", edited)).toBe(`/jobs/${job_id}`);
  expect(await getAgentJob(actor, { job_id })).toMatchObject({ plan_snapshot: edited.plan });
});
