import { expect, it } from "vitest";
import { invitePerson } from "~/nouns/products/invitations.server";
import {
  createProduct,
  deleteProduct,
  getProduct,
  listProductOverviews,
  updateProduct,
} from "~/nouns/products/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();

it("A new product has its creator as owner and the defaults of the contract", async () => {
  const owner = await t.createUser();
  const product = await createProduct(t.actorOf(owner), { code: "a.B-1_c", name: "Name" });
  expect(product).toEqual({
    id: product.id,
    code: "a.B-1_c",
    name: "Name",
    description: "",
    repo_url: "",
    definition_of_done: "",
    auto_pr: false,
    pull_requests: "none",
    agent_items: "backlog",
    landing: "manual",
    forge_issue_label: "",
    branch_prefix: "backloom",
    triage_count: 0,
    pr_strategy: "SPRINT",
    done_requires: "none",
    dependency_release: "done",
    on_failure: "stop",
    plan_first: "ask",
    plan_review: "none",
    requires_sandbox: false,
    agent: null,
    model: null,
    effort: null,
    fallback: [],
    fallback_after: 15,
    change_index: true,
    avoid_overlap: false,
    may_reach: [],
    references: [],
    review_marks: {},
    owner_id: owner.id,
    owner_username: owner.username,
    role: "OWNER",
    archived_at: null,
    created_at: product.created_at,
    active_sprint: null,
    version: 1,
  });
});

it("A product's code is refused where its owner has it already, and another owner may use it", async () => {
  const [ada, bea] = [t.actorOf(await t.createUser()), t.actorOf(await t.createUser())];
  await createProduct(ada, { code: "SAME", name: "x" });
  const refusal = await refusalOf(createProduct(ada, { code: "SAME", name: "x" }));
  expect([refusal.status, refusal.issues?.[0]?.path]).toEqual([422, "code"]);
  expect((await createProduct(bea, { code: "SAME", name: "x" })).code).toBe("SAME");
});

it.each(["", "a b", "x".repeat(31)])("A new product with the code %j is refused with 422", async (code) => {
  const actor = t.actorOf(await t.createUser());
  expect(await statusOf(createProduct(actor, { code, name: "x" }))).toBe(422);
});

it("The overview of a product counts what is there and what is done", async () => {
  const world = await t.seedWorld(2);
  await setTaskStatus(world.actor, { task_id: at(world.tasks, 0).id, status: "done" });
  const [overview] = await listProductOverviews(world.actor);
  expect(overview).toMatchObject({
    role: "OWNER",
    member_count: 1,
    pbi_count: 1,
    story_count: 1,
    done_story_count: 0,
    task_count: 2,
    done_task_count: 1,
  });
});

it("An update of a product changes the given fields only", async () => {
  const { actor, product } = await t.seedWorld(0);
  const updated = await updateProduct(actor, { product_id: product.id, auto_pr: true, pr_strategy: "SPRINT_BATCH" });
  const changes = { auto_pr: true, pull_requests: "open", pr_strategy: "SPRINT_BATCH" };
  expect(updated).toEqual({ ...product, ...changes, version: 2 });
  expect((await updateProduct(actor, { product_id: product.id, code: "NEW" })).code).toBe("NEW");
});

it("An owner is told ten times an hour that no such person exists, and then not even who does (W1)", async () => {
  const { actor, product } = await t.seedWorld(0);
  const there = await Promise.all([t.createUser(), t.createUser()]);
  const add = (identifier: string) => invitePerson(actor, { product_id: product.id, identifier });
  await add(at(there, 0).email);
  for (let number = 0; number < 10; number += 1) {
    expect(await refusalOf(add(`nobody-${number}@example.com`))).toMatchObject({
      status: 422,
      issues: [{ path: "identifier" }],
    });
  }
  const absent = await refusalOf(add("nobody@example.com"));
  const present = await refusalOf(add(at(there, 1).email));
  expect(absent).toMatchObject({ status: 429, retryAfter: expect.any(Number) });
  expect(present).toMatchObject({ status: 429, issues: undefined });
});

it("A product is deleted with everything in it once its code is repeated", async () => {
  const { actor, product } = await t.seedWorld(2);
  const product_id = product.id;
  expect(await statusOf(deleteProduct(actor, { product_id, code: "WRONG" }))).toBe(422);
  await deleteProduct(actor, { product_id, code: "WORLD" });
  expect(await statusOf(getProduct(actor, { product_id }))).toBe(404);
  const rows = await t.query`select count(*)::int as n from public.tasks where product_id = ${product_id}`;
  expect(rows).toEqual([{ n: 0 }]);
});
