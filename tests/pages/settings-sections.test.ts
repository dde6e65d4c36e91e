import { expect, it } from "vitest";
import { getProduct, updateProduct } from "~/nouns/products/operations.server";
import { openApp } from "../setup/app";
import { createVisitor } from "../setup/page-forms";

const { t, app } = await openApp({ pages: true });
const owner = await t.createUser();
const actor = t.actorOf(owner);
const product = await t.seedProduct(owner);
const place = `/products/${product.id}/settings`;
const cookie = await app.signIn(owner);
const visitor = createVisitor(app, cookie);

/** The fields of each section, by the names that programs send, too. */
const fields: [section: string, names: string[]][] = [
  ["", ["name", "code", "description", "repo_url", "definition_of_done"]],
  [
    "/agents",
    `pr_strategy plan_first plan_review done_requires branch_prefix requires_sandbox may_reach references
      change_index avoid_overlap`.split(/\s+/),
  ],
  ["/code-host", ["pull_requests", "landing", "dependency_release", "forge_issue_label"]],
  ["/automation", ["agent_items", "period"]],
  ["/integrations", ["url"]],
];
const all = fields.flatMap(([, names]) => names);

it.each(fields)("The settings section %s shows its own fields and no others", async (section, names) => {
  const page = await visitor.read(place + section);
  const shown = all.filter((name) => new RegExp(`name="${name}"`).test(page));
  expect(shown.sort()).toEqual([...names].sort());
});

it("Saving a section of the settings changes what it shows and leaves the rest", async () => {
  const before = { may_reach: ["pypi.org"], requires_sandbox: true, plan_first: "auto" as const };
  await updateProduct(actor, { product_id: product.id, ...before });
  const saved = await visitor.submit(`${place}/code-host`, "update", { landing: "queue" });
  expect(saved).toBe(`${place}/code-host`);
  await visitor.submit(place, "update", { description: "For pilots" });
  const read = () => getProduct(actor, { product_id: product.id });
  expect(await read()).toMatchObject({ ...before, landing: "queue", description: "For pilots" });

  await visitor.send(`${place}/agents`, { intent: "update", may_reach: "pypi.org" });
  expect(await read()).toMatchObject({ ...before, requires_sandbox: false, change_index: false });
});

it("the address of the settings still takes every form, and no other section exists", async () => {
  const answer = await visitor.send(place, { intent: "update", pr_strategy: "STORY" });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, place]);
  expect((await getProduct(actor, { product_id: product.id })).pr_strategy).toBe("STORY");
  expect(await visitor.read(`${place}/general`)).toContain("Definition of done");
  expect((await app.request(`${place}/toString`, { headers: { cookie } })).status).toBe(404);
});

it("A member can read the settings, but finds no control that only the owner may use", async () => {
  const member = await t.createMember(product.id);
  const guest = await app.visitorOf(member);
  for (const [section] of [...fields, ["/danger"]]) {
    const page = await guest.read(`${place}${section}`);
    expect(page).toContain("its owner, can change these.");
    expect(page).not.toMatch(/value="(archive|set-intake|add-webhook|set-budget)"/);
  }
});

it("The settings offer three choices for what agent work waits for, and a fourth where it is in use", async () => {
  const choices = async () => {
    const page = await visitor.read(`${place}/agents`);
    const select = /<select[^>]*name="done_requires".*?<\/select>/s.exec(page)?.[0] ?? "";
    return [...select.matchAll(/value="(\w+)"/g)].map(([, value]) => value);
  };
  const three = ["none", "worker", "person"];
  expect(await choices()).toEqual(three);
  for (const done_requires of ["ci", "other_worker"] as const) {
    await updateProduct(actor, { product_id: product.id, done_requires });
    expect(await choices()).toEqual([...three, done_requires]);
    await visitor.submit(`${place}/agents`, "update");
    expect((await getProduct(actor, { product_id: product.id })).done_requires).toBe(done_requires);
  }
});

const valid = ["agents", "feature/bot", "a.b_c-d/E1", "x".repeat(50)];
const invalid = ["a..b", "/a", "a/", ".a", "a.", "-a", "a-", "a//b", "a/.b", "a.lock", "a b", "a:b", "x".repeat(51)];

it("The owner can set the prefix of branches, and one that git would refuse is not saved", async () => {
  const { actor, owner, product } = await t.seedSprint();
  const visitor = await app.visitorOf(owner);
  const settings = `/products/${product.id}/settings/agents`;
  const send = (prefix: string) =>
    visitor.send(settings, { intent: "update", code: product.code, branch_prefix: prefix });
  const read = async () => (await getProduct(actor, { product_id: product.id })).branch_prefix;
  expect(await visitor.read(settings)).toContain("Branch prefix");
  for (const prefix of valid) {
    expect((await send(prefix)).status).toBe(303);
    expect(await read()).toBe(prefix);
    const rows = await t.query`select code, private.story_branch(id) as branch from stories
      where product_id = ${product.id} limit 1`;
    expect(rows).toMatchObject([{ branch: `${prefix}/${rows[0].code}` }]);
  }
  for (const prefix of invalid) expect((await send(prefix)).status, prefix).toBe(422);
  expect(await read()).toBe(valid.at(-1));
});

it("The database refuses a branch prefix that git would refuse", async () => {
  const { product } = await t.seedSprint();
  const set = (prefix: string) => t.query`update products set branch_prefix = ${prefix} where id = ${product.id}`;
  for (const prefix of valid) await set(prefix);
  for (const prefix of ["", ...invalid]) {
    await expect(set(prefix), prefix).rejects.toThrow("products_branch_prefix_form");
  }
});
