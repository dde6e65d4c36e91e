import { describe, expect, it } from "vitest";
import { createIdea, updateIdea } from "~/nouns/ideas/operations.server";
import { getPbi, updatePbi } from "~/nouns/pbis/operations.server";
import { getProduct, updateProduct } from "~/nouns/products/operations.server";
import { createSprint, updateSprint } from "~/nouns/sprints/operations.server";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";

const { t, app } = await openApp();
const [ada, ben] = [await t.createUser({ username: "ada" }), await t.createUser()];
const tokens = { ada: await t.createToken(ada), ben: await t.createToken(ben) };
const { product, pbi, story, task } = await t.seedBacklog(ada);
await t.addMember(product.id, ben);
const actor = t.actorOf(ada);

type Person = keyof typeof tokens;
const get = (path: string) => app.request(path, { headers: bearer(tokens.ben) });
const patch = (person: Person, path: string, body: object, ifMatch?: string) =>
  app.send("PATCH", path, body, {
    ...bearer(tokens[person]),
    ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
  });
const addresses = { task: `/api/tasks/${task.id}`, story: `/api/stories/${story.id}` };
const etagOf = async (path: string) => (await get(path)).headers.get("etag") ?? "";

describe.each(["task", "story"] as const)("a %s that two edit", (kind) => {
  const path = addresses[kind];
  const field = kind === "task" ? "implementation_plan" : "description";

  it("A task or story has its version as a strong ETag, which every change raises", async () => {
    const before = await get(path);
    const { version } = await before.json();
    expect(before.headers.get("etag")).toBe(`"${version}"`);
    const changed = await patch("ada", path, { [field]: "One more line" });
    expect(changed.headers.get("etag")).toBe(`"${version + 1}"`);
    const same = await patch("ada", path, { [field]: "One more line" });
    expect(same.headers.get("etag")).toBe(`"${version + 1}"`);
  });

  it("A change of what someone else has changed is refused, and says what, who and when", async () => {
    const etag = await etagOf(path);
    await patch("ada", path, { [field]: "Of Ada" });
    const refused = await patch("ben", path, { [field]: "Of Ben" }, etag);
    expect(refused.status).toBe(412);
    expect(await refused.json()).toEqual({
      error: expect.stringContaining("ada edited it"),
      code: 412,
      current: expect.objectContaining({ [field]: "Of Ada", version: expect.any(Number) }),
      changed_fields: [field],
      changed_by: "ada",
      changed_at: expect.stringMatching(/Z$/),
    });
    expect((await (await get(path)).json())[field]).toBe("Of Ada");
    expect((await patch("ben", path, { [field]: "Of Ben" }, await etagOf(path))).status).toBe(200);
  });

  it("A stale change that asks for what is there already is accepted", async () => {
    const etag = await etagOf(path);
    await patch("ada", path, { [field]: "Agreed" });
    expect((await patch("ben", path, { [field]: "Agreed" }, etag)).status).toBe(200);
  });

  it.each([
    ["*", 200],
    ['"1", %', 200],
    ["W/%", 200],
    ["%-gzip", 200],
    ["W/%-br", 200],
    ['W/"1"', 412],
    ['"of another kind"', 412],
    ['"9 lives"', 412],
  ])("The header If-Match is read as HTTP has it: %s", async (header, status) => {
    const ifMatch = header.replace(/%(-\w+)?/, `"${(await etagOf(path)).slice(1, -1)}$1"`);
    const text = `After ${header}`;
    expect((await patch("ben", path, { [field]: text }, ifMatch)).status).toBe(status);
  });

  it("Of ten changes of one version at once, exactly one gets through", async () => {
    const etag = await etagOf(path);
    const writes = Array.from({ length: 10 }, (_, at) => patch("ben", path, { [field]: `Of writer ${at}` }, etag));
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(9);
  });
});

it("a PATCH without If-Match is answered as before there were versions", async () => {
  const answer = await patch("ada", addresses.task, { status: "in_progress" });
  expect(Object.keys(await answer.json()).sort()).toEqual(["id", "implementation_plan", "status"]);
  const etag = answer.headers.get("etag") ?? "";
  const asked = await patch("ada", addresses.task, { status: "todo" }, etag);
  expect(await asked.json()).toMatchObject({ version: Number(etag.replaceAll('"', "")) + 1 });
});

it("PBIs, sprints, ideas and products refuse a stale version as well", async () => {
  const stale = { status: 412, detail: expect.objectContaining({ changed_by: "ada" }) };
  const expected = async (edit: (text: string, version?: number) => Promise<{ version?: number }>) => {
    const { version = 0 } = await edit("First");
    await edit("Second");
    await expect(edit("Third", version)).rejects.toMatchObject(stale);
    expect((await edit("Third", version + 1)).version).toBe(version + 2);
  };
  await expected((title, expected_version) => updatePbi(actor, { pbi_id: pbi.id, title, expected_version }));
  await expected((name, expected_version) => updateProduct(actor, { product_id: product.id, name, expected_version }));
  const sprint = await createSprint(actor, { product_id: product.id });
  await expected((sprint_goal, expected_version) =>
    updateSprint(actor, { sprint_id: sprint.id, sprint_goal, expected_version }),
  );
  const idea = await createIdea(actor, { product_id: product.id, title: "An idea" });
  await expected((title, expected_version) => updateIdea(actor, { idea_id: idea.id, title, expected_version }));
  expect((await getPbi(actor, { pbi_id: pbi.id })).version).toEqual(expect.any(Number));
  expect((await getProduct(actor, { product_id: product.id })).version).toEqual(expect.any(Number));
});
