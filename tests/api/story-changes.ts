import { expect } from "vitest";
import { reportAgentJob, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { storyChangesSchema } from "~/nouns/reviews/story-changes";
import type { openApp } from "../setup/app";
import { changedFile } from "../setup/diff-files";
import { at, claim } from "../setup/world";

export const sha = (n: number) => String(n).repeat(40).slice(0, 40);
export const file = (path: string, patch: string, rest: object = {}) => changedFile(path, { patch, ...rest });
type Stage = Awaited<ReturnType<typeof openApp>>;
export type File = ReturnType<typeof file>;

/** A story whose tasks an agent did one after the other; the last one waits for a person. */
export async function openStory({ t, app }: Stage, ...rounds: File[][]) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [rounds.length] });
  const { actor, product } = world;
  await updateProduct(actor, { product_id: product.id, done_requires: "person" });
  await world.start();
  const jobs: string[] = [];
  const work = async (files: File[], n: number) => {
    const { id: job_id, attempt } = await claim(actor);
    const of = { job_id, attempt, base_sha: sha(n), head_sha: sha(n + 1) };
    await saveJobDiff(actor, { ...of, files });
    await reportAgentJob(actor, { ...of, status: "done", verify_result: "ALIGNED", summary: `Did part ${n}` });
    return job_id;
  };
  for (const [n, files] of rounds.entries()) jobs.push(await work(files, n));
  const session = { cookie: await app.signIn(world.owner) };
  const story = at(world.stories, 0).id;
  const read = async (headers: Record<string, string> = session) => {
    const answer = await app.request(`/api/stories/${story}/changes`, { headers });
    expect(answer.status).toBe(200);
    return storyChangesSchema.parse(await answer.json());
  };
  const judge = (body: object, headers: Record<string, string> = session) =>
    app.send("POST", `/api/stories/${story}/review`, body, headers);
  const all = jobs.map((job_id) => ({ job_id, attempt: 1 }));
  return { ...world, story, jobs, all, session, read, judge, work };
}

export const first = file("a.ts", "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
export const second = file("a.ts", "@@ -2,2 +2,3 @@\n 2\n three\n+four\n");
export const other = file("b.ts", "@@ -1 +1 @@\n-x\n+y\n");
