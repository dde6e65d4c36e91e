import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { updateStory } from "~/nouns/stories/operations.server";
import { evidenceSchema, storyProofSchema } from "~/wire/proof/contract";
import { openBacklog } from "../setup/app";
import { expectRefusal } from "../setup/endpoint-checks";
import { bearer } from "../setup/world";

const { t, app, owner, token, backlog } = await openBacklog();
const cookie = await app.signIn(owner);
const path = (id: string) => `/api/stories/${id}/evidence`;
const story = { story_id: backlog.story.id };

const write = (acceptance_criteria: string) => updateStory(t.actorOf(owner), { ...story, acceptance_criteria });

const definition = ["Reviewed and released", "unproven"];

const read = async () => {
  const response = await app.request(path(backlog.story.id), { headers: bearer(token) });
  expect(response.status).toBe(200);
  return storyProofSchema.parse(await response.json());
};

const post = (body: unknown, headers: Record<string, string> = bearer(token)) =>
  app.send("POST", path(backlog.story.id), body, headers);

const criterionOf = async (text: string) =>
  (await read()).criteria.find((criterion) => criterion.text === text)?.id ?? "";

await write("- [ ] The export opens\n- It is fast\n  also with many rows\n1. [x] #2 It says so\n");
const opens = await criterionOf("The export opens");

it("The criteria of a story are the items of its lists, each under the hash of its words", async () => {
  const { done_requires, criteria } = await read();
  expect(done_requires).toBe("none");
  expect(criteria.map(({ kind, text, state }) => [kind, text, state])).toEqual([
    ["acceptance", "The export opens", "unproven"],
    ["acceptance", "It is fast also with many rows", "unproven"],
    ["acceptance", "It says so", "unproven"],
    ["definition_of_done", ...definition],
  ]);
  expect(opens).toBe(createHash("sha256").update("The export opens").digest("hex").slice(0, 12));
});

it("Evidence from a token is graded as said, and evidence from a person as a person's", async () => {
  const said = await post({ criterion: opens, command: "npm test", exit_code: 0, excerpt: "ok" });
  expect(said.status).toBe(201);
  expect(evidenceSchema.parse(await said.json())).toMatchObject({
    grade: "said",
    kind: "command",
    verdict: "pass",
    command: "npm test",
    exit_code: 0,
    observed_by: owner.username,
  });
  const seen = await post({ criterion: opens, excerpt: "Looks right" }, { cookie });
  expect(evidenceSchema.parse(await seen.json())).toMatchObject({ grade: "person", kind: "person" });
  const { criteria } = await read();
  expect(criteria[0]).toMatchObject({ id: opens, state: "proven", grade: "person" });
});

it("The newest evidence of the highest grade decides a criterion", async () => {
  const fast = await criterionOf("It is fast also with many rows");
  const state = async () => (await read()).criteria.find(({ id }) => id === fast)?.state;
  await post({ criterion: fast });
  expect(await state()).toBe("proven");
  await post({ criterion: fast, verdict: "fail" });
  expect(await state()).toBe("failed");
  await post({ criterion: fast, verdict: "unverifiable" });
  expect(await state()).toBe("unproven");
  await post({ criterion: fast }, { cookie });
  await post({ criterion: fast, verdict: "fail" });
  expect(await state()).toBe("proven");
});

it("An edited criterion loses its proof, and no other does", async () => {
  const says = await criterionOf("It says so");
  await post({ criterion: says });
  await write("- It says so loudly\n- The export opens\n");
  const { criteria, former } = await read();
  expect(criteria.map(({ text, state }) => [text, state])).toEqual([
    ["It says so loudly", "unproven"],
    ["The export opens", "proven"],
    definition,
  ]);
  expect(former.map(({ text }) => text)).toContain("It says so");
  await expectRefusal(await post({ criterion: says }), 422);
});

it.each([
  ["no criterion", {}],
  ["a criterion that is no hash", { criterion: "AC-1" }],
  ["an unknown verdict", { criterion: opens, verdict: "maybe" }],
  ["an excerpt of more than 8 KiB", { criterion: opens, excerpt: "ä".repeat(4_097) }],
  ["a script as address", { criterion: opens, url: "javascript:alert(1)" }],
  ["a token that speaks as a person", { criterion: opens, grade: "person" }],
  ["a token that speaks as a worker without an attempt", { criterion: opens, grade: "worker" }],
])("Evidence with %s is refused with 422", async (_name, body) => {
  await expectRefusal(await post(body), 422);
});

it("Criteria without a list are one whole text, and a code block holds no items", async () => {
  await write("It works.\n\n```\n- no item\n```\n");
  const { criteria } = await read();
  expect(criteria[0]?.text).toBe("It works. ``` - no item ```");
  expect(criteria.length).toBe(2);
});

it("A command that also passes without the work proves nothing, except a guard of the definition of done", async () => {
  await write("- It blinks\n");
  const send = async (text: string, rest: object) => {
    const body = { criterion: await criterionOf(text), command: "npm run blink", exit_code: 0 };
    const response = await post({ ...body, ...rest });
    expect(response.status).toBe(201);
    const { passed_before } = evidenceSchema.parse(await response.json());
    const { criteria } = await read();
    return [passed_before, criteria.find((criterion) => criterion.text === text)?.state];
  };
  expect(await send("It blinks", { base_exit_code: 0 })).toEqual([true, "unproven"]);
  expect(await send("It blinks", { base_exit_code: 0, guards: true })).toEqual([true, "unproven"]);
  expect(await send("It blinks", { base_exit_code: 1 })).toEqual([false, "proven"]);
  // It has failed before an earlier part of the work.
  expect(await send("It blinks", { base_exit_code: 0 })).toEqual([false, "proven"]);
  const [done = ""] = definition;
  expect(await send(done, { base_exit_code: 0 })).toEqual([true, "unproven"]);
  expect(await send(done, { base_exit_code: 0, guards: true })).toEqual([false, "proven"]);
});
