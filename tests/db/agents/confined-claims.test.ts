import { describe, expect, it } from "vitest";
import { claimAgentJob, getAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { createProduct, getProduct, updateProduct } from "~/nouns/products/operations.server";
import { answerQuestion, askQuestion } from "~/nouns/questions/operations.server";
import { editTask } from "~/nouns/tasks/operations.server";
import { listAgentWorkers } from "~/nouns/workers/operations.server";
import { referencesSchema } from "~/wire/products/contract";
import { hostsSchema } from "~/wire/text";
import { confinements } from "~/wire/workers/confinement";
import type { ClaimAgentJobInput } from "~/wire/workers/contract";
import { createTestDatabase } from "../../setup/database";
import { at, type SprintWorld } from "../../setup/world";

const t = await createTestDatabase();
const forge = "https://forge.example.com/";

async function runningSprint(): Promise<SprintWorld> {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1] });
  await world.start();
  return world;
}

const claims = ({ actor }: SprintWorld, wish: Partial<ClaimAgentJobInput> = {}) =>
  claimAgentJob(actor, { worker: "worker-1", ...wish });

async function reasons({ actor, tasks }: SprintWorld) {
  return (await whyNotMoving(actor, { kind: "task", id: at(tasks, 0).id })).reasons;
}

it.each(confinements)("A claim confined by %s records this for its worker, job, and attempt", async (confinement) => {
  const world = await runningSprint();
  const { job } = await claims(world, { confinement });
  const read = await getAgentJob(world.actor, { job_id: String(job?.id) });
  expect(read).toMatchObject({ confinement, attempts: [{ attempt: 1, confinement }] });
  const { workers } = await listAgentWorkers(world.actor, { product_id: world.product.id });
  expect(workers).toMatchObject([{ confinement }]);
  expect(at(workers, 0)).not.toHaveProperty("also_repos");
});

it("A claim that names no confinement counts as unconfined, no matter what the one before said", async () => {
  const world = await runningSprint();
  await updateProduct(world.actor, { product_id: world.product.id, requires_sandbox: true });
  await claims(world, { confinement: "docker", kinds: ["PLAN_CHAT"] });
  expect((await claims(world)).job).toBeNull();
  const { workers } = await listAgentWorkers(world.actor, { product_id: world.product.id });
  expect(workers).toMatchObject([{ confinement: "none" }]);
});

it("A product that requires a sandbox gives jobs to confined workers only, and says what others lack", async () => {
  const world = await runningSprint();
  await updateProduct(world.actor, { product_id: world.product.id, requires_sandbox: true });
  const refused = await claims(world);
  expect(refused).toMatchObject({ job: null, reason: { code: "sandbox" } });
  expect(refused.reason?.message).toContain("apt-get install bubblewrap");
  expect(await reasons(world)).toMatchObject([
    { code: "sandbox", message: expect.stringContaining("apt-get install bubblewrap") },
  ]);
  expect((await claims(world, { worker: "confined", confinement: "bwrap" })).job).not.toBeNull();
});

it("Only the owner of a product may require a sandbox or change what its jobs may reach and read", async () => {
  const { actor, product } = await runningSprint();
  const member = await t.newMember(product.id);
  const product_id = product.id;
  const references = [{ name: "api", url: "git@git.example:acme/api.git", ref: "main" }];
  for (const change of [{ requires_sandbox: true }, { may_reach: ["pypi.org"] }, { references }]) {
    await expect(updateProduct(member.actor, { product_id, ...change })).rejects.toThrow("owner");
  }
  const safe = { code: "SAFE", name: "Safe", requires_sandbox: true, may_reach: ["pypi.org:443"], references };
  const made = await createProduct(t.actorOf(await t.createUser()), safe);
  expect(made).toMatchObject({ requires_sandbox: true, may_reach: ["pypi.org:443"], references });
  expect(await getProduct(actor, { product_id })).toMatchObject({ requires_sandbox: false, may_reach: [] });
});

describe("a task with its own repository", () => {
  async function elsewhere(repo_url: string) {
    const world = await runningSprint();
    const writer = await t.newMember(world.product.id);
    await editTask(writer.actor, { task_id: at(world.tasks, 0).id, repo_url });
    return { ...world, writer: writer.user };
  }

  it("A task's own repository goes to no worker that does not follow it; the reason says what to type", async () => {
    const world = await elsewhere(`${forge}team/other`);
    const refused = await claims(world);
    expect(refused).toMatchObject({ job: null, reason: { code: "repository" } });
    expect(refused.reason?.message).toContain(`--also-repo ${forge}team/other`);
    const [reason, ...rest] = await reasons(world);
    expect(rest).toEqual([]);
    expect(reason).toMatchObject({
      code: "repository",
      repo_url: `${forge}team/other`,
      written_by: world.writer.username,
    });
    expect(reason?.message).toContain(`--also-repo ${forge}team/other`);
  });

  it.each([
    ["the address", `${forge}team/other`, true],
    ["a beginning that ends in /", `${forge}team/`, true],
    ["a beginning that does not", `${forge}team`, false],
    ["another address", `${forge}team/others`, false],
  ])("A worker follows an address it names, or a beginning that ends in /: %s, %s", async (_, named, isFollowed) => {
    const world = await elsewhere(`${forge}team/other`);
    const { job } = await claims(world, { also_repos: [named] });
    expect(job !== null).toBe(isFollowed);
    if (isFollowed) expect(job?.repo_url).toBe(`${forge}team/other`);
  });

  it.each([`${forge}team/../evil`, `${forge}team/%2e%2e/evil`])(
    "A task's repository is not followed if it steps out of what the worker named: %s",
    async (address) => {
      const world = await elsewhere(address);
      expect((await claims(world, { also_repos: [`${forge}team/`] })).job).toBeNull();
    },
  );

  it("A task whose repository is the product's is given instead of one that has another", async () => {
    const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
    await updateProduct(world.actor, { product_id: world.product.id, repo_url: `${forge}own` });
    await editTask(world.actor, { task_id: at(world.tasks, 0).id, repo_url: `${forge}other` });
    await editTask(world.actor, { task_id: at(world.tasks, 1).id, repo_url: `${forge}own` });
    await world.start();
    expect((await claims(world)).job?.task_id).toBe(at(world.tasks, 1).id);
    expect((await claims(world, { worker: "worker-2" })).job).toBeNull();
  });

  it("The repositories that a worker names are stored without passwords", async () => {
    const world = await runningSprint();
    await claims(world, { also_repos: ["https://ada:se@cret@forge.example.com/team/"] });
    const rows = await t.query`select also_repos from agent_workers where user_id = ${world.owner.id}`;
    expect(rows).toEqual([{ also_repos: [`${forge}team/`] }]);
  });
});

it.each(
  `file:///etc /srv/api --upload-pack=x ext::sh https://-oX=y/z https://me:word@git.example/a
    https://me%3aword@git.example/a javascript:x`.split(/\s+/),
)("Neither the page nor the database takes %s for a repository to read", async (url) => {
  const { actor, product } = await runningSprint();
  const references = [{ name: "api", url, ref: null }];
  expect(referencesSchema.safeParse(references).success).toBe(false);
  await expect(updateProduct(actor, { product_id: product.id, references })).rejects.toThrow();
});

it("The hosts and repositories that a product may reach and read go with each of its jobs", async () => {
  const world = await runningSprint();
  const may_reach = ["pypi.org:443", "registry.example"];
  const references = [{ name: "api", url: "https://git.example/acme/api.git", ref: null }];
  await updateProduct(world.actor, { product_id: world.product.id, may_reach, references });
  expect((await claims(world)).job).toMatchObject({ may_reach, references, user_id: world.owner.id });
});

it.each(["[::1]:443", "[fe80::1]", "192.0.2.1:8080", "localhost", "xn--80ak6aa92e.com", "a.b-c.de"])(
  "The hosts that a product may reach can include %s",
  async (host) => {
    const { actor, product } = await runningSprint();
    expect(hostsSchema.parse([host])).toEqual([host]);
    await updateProduct(actor, { product_id: product.id, may_reach: [host] });
    expect((await getProduct(actor, { product_id: product.id })).may_reach).toEqual([host]);
  },
);

it.each([
  "pypi org",
  "http://pypi.org",
  "pypi.org:0",
  "pypi.org:65536",
  "*",
  "",
  "[....]",
  "[1.2.3.4]",
  "[::1",
  "[:::]",
  "1",
  "127.1",
  "999.1.1.1",
  "0x7f.1",
  "pypi.org.",
  "pypi.0x10:443",
])("Neither the page nor the database takes %j for a host", (host) => {
  expect(hostsSchema.safeParse([host]).success).toBe(false);
  return expect(t.query`select private.is_host(${host})`).resolves.toEqual([{ is_host: false }]);
});

it.each(["pypi org", "PyPI.org", "999.1.1.1", "[....]"])("An update refuses %j as a host to reach", async (host) => {
  const { actor, product } = await runningSprint();
  await expect(updateProduct(actor, { product_id: product.id, may_reach: [host] })).rejects.toThrow();
});

it("The hosts that a product may reach grow by its owner's answer, and by no one else's", async () => {
  const world = await runningSprint();
  const member = await t.newMember(world.product.id);
  const allow = async (actor: typeof world.actor, reach: string) => {
    const { id } = await askQuestion(actor, {
      kind: "permission",
      task_id: at(world.tasks, 0).id,
      question: "May it?",
      reach,
      options: ["Allow once", "Allow for this product", "Deny"],
    });
    await answerQuestion(actor, { question_id: id, option: 1 });
    return (await getProduct(actor, { product_id: world.product.id })).may_reach;
  };
  expect(await allow(member.actor, "crates.io:443")).toEqual([]);
  expect(await allow(world.actor, "pypi.org:443")).toEqual(["pypi.org:443"]);
  expect(await allow(world.actor, "pypi.org:443")).toEqual(["pypi.org:443"]);
});
