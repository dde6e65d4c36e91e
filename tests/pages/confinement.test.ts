import { expect, it } from "vitest";
import { z } from "zod";
import { claimAgentJob } from "~/nouns/agent-jobs/operations.server";
import { getProduct } from "~/nouns/products/operations.server";
import { editTask } from "~/nouns/tasks/operations.server";
import { connectClient } from "../mcp/clients";
import { openApp } from "../setup/app";
import { at, bearer } from "../setup/world";

const { t, app } = await openApp({ realtime: true, pages: true });

it("The owner can require a sandbox and list the hosts jobs may reach; a list with a mistake is refused", async () => {
  const { actor, owner, product } = await t.seedSprint();
  const visitor = await app.visitorOf(owner);
  const settings = `/products/${product.id}/settings/agents`;
  const read = () => getProduct(actor, { product_id: product.id });
  const typed = "PyPI.org:443\r\nregistry.example, pypi.org:443";
  const saved = await visitor.send(settings, {
    intent: "update",
    requires_sandbox: "on",
    may_reach: typed,
    references: " api  git@git.example:acme/api.git \n\nweb https://git.example/web v1.2",
  });
  expect(saved.status).toBe(303);
  const may_reach = ["pypi.org:443", "registry.example"];
  const references = [
    { name: "api", url: "git@git.example:acme/api.git", ref: null },
    { name: "web", url: "https://git.example/web", ref: "v1.2" },
  ];
  expect(await read()).toMatchObject({ requires_sandbox: true, may_reach, references });
  expect(await visitor.read(settings)).toContain("pypi.org:443\nregistry.example");

  const slip = await visitor.send(settings, {
    intent: "update",
    code: product.code,
    may_reach: "pypi.org\nhttp://evil",
    references: "api file:///etc",
  });
  expect(slip.status).toBe(422);
  const said = await slip.text();
  expect(said).toContain("&quot;http://evil&quot; is not a host");
  expect(said).toContain("Line 1: Must be an https, ssh or git@ address without a password.");
  expect(await read()).toMatchObject({ may_reach });

  await visitor.submit(settings, "update", { may_reach: "crates.io" });
  expect(await read()).toMatchObject({ may_reach: ["crates.io"], requires_sandbox: true });
  await visitor.submit(settings, "update", { may_reach: "" });
  expect(await read()).toMatchObject({ may_reach: [] });
});

it("a job, its attempts and the workers say plainly whether they were confined", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  await world.start();
  const token = await t.createToken(world.owner);
  const client = await connectClient(app, token, "2026-07-28", "/mcp/worker");
  const wish = { worker: "safe", confinement: "bwrap", also_repos: [], wait_seconds: 0 };
  const { result } = await client.call("wait_for_job", wish);
  const { id } = z.object({ id: z.string() }).parse(result.job);
  const { job: open } = await claimAgentJob(world.actor, { worker: "plain" });

  const answer = await app.request(`/api/jobs/${id}`, { headers: bearer(token) });
  expect(await answer.json()).toMatchObject({ attempts: [{ confinement: "bwrap" }] });
  const visitor = await app.visitorOf(world.owner);
  for (const page of ["", "/attempts"]) {
    expect(await visitor.read(`/jobs/${id}${page}`)).toContain("Sandbox: bubblewrap");
    expect(await visitor.read(`/jobs/${open?.id}${page}`)).toContain("No sandbox");
  }
  const references = [
    { name: "api", sha: "1a2b3c4d5e6f" },
    { name: "web", sha: "9" },
  ];
  await client.call("update_job_status", { job_id: id, attempt: 1, status: "running", references });
  expect(await visitor.read(`/jobs/${id}/attempts`)).toContain("api 1a2b3c4d5e, web 9");
  const workers = await visitor.read("/agents/workers");
  expect(workers).toContain("Sandbox: bubblewrap");
  expect(workers).toContain("No sandbox");

  for (const [confinement, words] of [
    ["docker", "Sandbox: Docker<"],
    ["bwrap_open", "Sandbox: bubblewrap, open network"],
  ]) {
    await client.call("worker_heartbeat", { worker: "plain", confinement });
    expect(await visitor.read("/agents/workers")).toContain(words);
  }
});

it("Job and worker pages name the agents, and the workers page how much of their quota is left", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1] });
  await world.start();
  await editTask(world.actor, { task_id: at(world.tasks, 0).id, agent: "codex" });
  const agents = [{ id: "claude" }, { id: "codex", quota_pct: 40 }];
  const { job } = await claimAgentJob(world.actor, { worker: "two-handed", agents });
  const visitor = await app.visitorOf(world.owner);
  expect(await visitor.read(`/jobs/${job?.id}`)).toContain("codex · two-handed");
  expect(await visitor.read(`/jobs/${job?.id}/attempts`)).toContain("codex");
  expect(await visitor.read("/agents/workers")).toContain("claude, codex (40 % left)");
});

it("A task with a repository of its own shows who set it and which worker option it needs", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1] });
  await world.start();
  const writer = await t.newMember(world.product.id);
  const task_id = at(world.tasks, 0).id;
  const repo_url = "https://forge.example.com/theirs";
  await editTask(writer.actor, { task_id, repo_url });
  await claimAgentJob(world.actor, { worker: "worker-1" });
  const visitor = await app.visitorOf(world.owner);
  const page = await visitor.read(`/tasks/${task_id}`);
  expect(page).toContain(`set by ${writer.user.username}`);
  expect(page).toContain(`--also-repo ${repo_url}`);
  await editTask(world.actor, { task_id, repo_url: null });
  expect(await visitor.read(`/tasks/${task_id}`)).not.toContain("set by");
});
