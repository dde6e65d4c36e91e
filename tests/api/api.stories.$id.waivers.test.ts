import { expect, it } from "vitest";
import { getProof } from "~/nouns/proof/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { storyProofSchema } from "~/wire/proof/contract";
import { openBacklog } from "../setup/app";
import { expectRefusal } from "../setup/endpoint-checks";

const { t, app, owner, backlog } = await openBacklog();
const cookie = await app.signIn(owner);
const story = { story_id: backlog.story.id };
await updateStory(t.actorOf(owner), { ...story, acceptance_criteria: "- It opens\n- It is fast" });
const [opens, fast] = (await getProof(t.actorOf(owner), story)).criteria;

const post = (body: unknown, headers: Record<string, string>, id = backlog.story.id) =>
  app.send("POST", `/api/stories/${id}/waivers`, body, headers);
const waiver = { criterion: opens?.id, reason: "No one can try it here" };
const rest = { criterion: fast?.id, reason: "No" };

it("A person waives a criterion once and for good, and who did it and why is recorded", async () => {
  const answer = await post(waiver, { cookie });
  expect(answer.status).toBe(201);
  const { criteria } = storyProofSchema.parse(await answer.json());
  expect(criteria.slice(0, 2)).toMatchObject([
    { state: "waived", waiver: { reason: waiver.reason, waived_by: owner.username } },
    { state: "unproven", waiver: null },
  ]);
  await expectRefusal(await post({ ...waiver, reason: "Again" }, { cookie }), 409);
  const rows = await t.query`select detail from audit_events where kind = 'criterion.waived'`;
  expect(rows).toMatchObject([{ detail: { text: "It opens", reason: waiver.reason } }]);
});

it("A token that waives a criterion is refused and told why", async () => {
  const token = await t.bearerOf(owner);
  expect(await expectRefusal(await post(rest, token), 403)).toContain("API token");
  const { criteria } = await getProof(t.actorOf(owner), story);
  expect(criteria[1]).toMatchObject({ state: "unproven" });
});

it.each([
  ["no reason", { criterion: fast?.id }],
  ["a blank reason", { criterion: fast?.id, reason: "  " }],
  ["a criterion that the story has not", { criterion: "0123456789ab", reason: "No" }],
  ["a criterion that is no hash", { criterion: "AC-1", reason: "No" }],
])("A waiver with %s is refused with 422", async (_name, body) => {
  await expectRefusal(await post(body, { cookie }), 422);
});
