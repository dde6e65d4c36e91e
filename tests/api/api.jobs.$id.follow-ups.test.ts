import { expect, it } from "vitest";
import { claimAgentJob } from "~/nouns/agent-jobs/operations.server";
import { reportWithDiff } from "~/nouns/agent-jobs/report-with-diff.server";
import { proposeFollowUp } from "~/nouns/intake/operations.server";
import { archiveProduct, createProduct, updateProduct } from "~/nouns/products/operations.server";
import { refusalOf } from "../db/refusal";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";

const { t, app } = await openApp();
const address = "https://git.example/acme/api.git";

async function claimed() {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1] });
  await world.start();
  const { job } = await claimAgentJob(world.actor, { worker: "worker-1" });
  const product_id = world.product.id;
  await updateProduct(world.actor, { product_id, references: [{ name: "api", url: address, ref: null }] });
  return { ...world, job_id: String(job?.id), product_id };
}

const storiesOf = (product: string) =>
  t.query`select title, description, status from stories where product_id = ${product} and in_triage order by created_at`;

async function addViewer(product: string, user: { id: string }) {
  await t.addMember(product, user);
  await t.query`update product_members set role = 'VIEWER' where product_id = ${product} and user_id = ${user.id}`;
}

it("A follow-up for another repository waits in triage of the caller's product with that repository, by its name or any address", async () => {
  const { actor, job_id, product_id, owner } = await claimed();
  const token = await t.createToken(owner);
  const api = await createProduct(actor, { code: "API", name: "API", repo_url: "git@git.example:acme/api" });
  const propose = async (repository: string, title: string) => {
    const body = JSON.stringify({ repository, title, why: "So." });
    const headers = { ...bearer(token), "content-type": "application/json" };
    const answer = await app.request(`/api/jobs/${job_id}/follow-ups`, { method: "POST", headers, body });
    expect(answer.status).toBe(201);
    return answer.json();
  };
  const made = await propose("api", "Take keys");
  expect(made).toMatchObject({ product_id: api.id, is_new: true });
  expect(await propose("ssh://git@git.example/acme/api.git", "Take  keys")).toEqual({ ...made, is_new: false });
  expect(await propose("https://git.example/acme/web", "Show keys")).toMatchObject({ product_id });
  expect(await storiesOf(api.id)).toMatchObject([
    { title: "Take keys", status: "TRIAGE", description: expect.stringContaining("So.\n\nFor `api`.") },
  ]);
  await archiveProduct(actor, { product_id: api.id });
  expect(await propose("api", "Take more")).toMatchObject({ product_id });
});

it("A follow-up reaches no product that its caller may not write", async () => {
  const { actor, job_id, product_id, owner } = await claimed();
  const stranger = await createProduct(t.actorOf(await t.createUser()), { code: "API", name: "x", repo_url: address });
  const viewed = await createProduct(t.actorOf(await t.createUser()), { code: "API", name: "x", repo_url: address });
  await addViewer(viewed.id, owner);
  const followUp = { job_id, repository: "api", title: "Take keys", why: "" };
  expect(await proposeFollowUp(actor, followUp)).toMatchObject({ product_id });
  expect(await storiesOf(stranger.id)).toEqual([]);
  expect(await storiesOf(viewed.id)).toEqual([]);
  const other = await t.createUser();
  expect((await refusalOf(proposeFollowUp(t.actorOf(other), followUp))).status).toBe(403);
  await addViewer(product_id, other);
  expect((await refusalOf(proposeFollowUp(t.actorOf(other), followUp))).status).toBe(403);
});

it("A report is accepted with its follow-ups, which a repeated one does not double, and a sixth of a job is refused", async () => {
  const { actor, job_id, product_id } = await claimed();
  const follow_ups = [1, 2, 3, 4, 5].map((n) => ({ repository: "api", title: `Thing ${n}`, why: "" }));
  const report = { job_id, attempt: 1, status: "failed" as const, failure_reason: "No", follow_ups };
  for (let sent = 0; sent < 2; sent += 1) await reportWithDiff(actor, report);
  expect((await storiesOf(product_id)).map(({ title }) => title)).toEqual(follow_ups.map(({ title }) => title));
  const sixth = { job_id, repository: "api", title: "Thing 6", why: "" };
  expect((await refusalOf(proposeFollowUp(actor, sixth))).status).toBe(409);
});
