import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { enterPreview, getPreviewAccess, syncPreviews } from "~/nouns/previews/operations.server";
import { startRun } from "~/nouns/sprint-runs/operations.server";
import { workerHeartbeat } from "~/nouns/workers/operations.server";
import { openApp } from "../setup/app";
import { bearer, claim, type TestUser } from "../setup/world";

const { t, app } = await openApp({ realtime: true, pages: ["previews.$id"] });
const head = "a".repeat(40);

/** A job that is handed in, and its worker with room for one preview. */
async function scene() {
  const owner = await t.createUser();
  const actor = t.actorOf(owner);
  const { product, task } = await t.seedBacklog(owner);
  await t.query`update public.tasks set implementation_plan = 'Do it' where id = ${task.id}`;
  await startRun(actor, { task_ids: [task.id] });
  const job = await claim(actor);
  await reportAgentJob(actor, {
    job_id: job.id,
    attempt: job.attempt,
    status: "done",
    verify_result: "ALIGNED",
    head_sha: head,
  });
  const worker = String(
    (
      await t.query`select w.name from agent_workers w join job_attempts a on a.worker_id = w.id where a.job_id = ${job.id}`
    )[0]?.name,
  );
  const call = async (method: string, path: string, user: TestUser = owner, body?: object) => {
    const answer = await app.send(method, path, body, bearer(await t.createToken(user)));
    return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
  };
  const preview = (method: string, user?: TestUser) => call(method, `/api/jobs/${job.id}/preview`, user);
  const hear = (given: object = {}) =>
    call("PUT", "/api/workers/previews", owner, { worker, room: 1, previews: [], ...given });
  const member = async (role: "MEMBER" | "VIEWER") => {
    const user = await t.createUser();
    await t.query`insert into product_members (product_id, user_id, role) values (${product.id}, ${user.id}, ${role})`;
    return user;
  };
  return { owner, actor, product, job, worker, call, preview, hear, member };
}

it("A late report of previews does not bring back a worker that signed off, and one that starts again does", async () => {
  const { owner, actor, worker, hear } = await scene();
  await hear();
  await workerHeartbeat(actor, { worker, stopped: true });
  const isStopped = async () =>
    (await t.query`select stopped_at from agent_workers where name = ${worker} and user_id = ${owner.id}`)[0]
      ?.stopped_at !== null;
  await hear();
  expect(await isStopped()).toBe(true);
  await hear({ restarted: true });
  expect(await isStopped()).toBe(false);
});

it("A member starts a preview, its worker says that it is ready, and it leads to an origin of its own", async () => {
  const { owner, job, preview, hear } = await scene();
  expect(await preview("GET")).toMatchObject({ status: 404 });
  expect(await preview("POST")).toMatchObject({ status: 409, body: { error: expect.stringContaining("No worker") } });
  expect((await hear()).body).toEqual({ previews: [] });
  const started = await preview("POST");
  expect(started).toEqual({
    status: 202,
    body: {
      preview: {
        id: expect.any(String),
        state: "starting",
        head_sha: head,
        is_old: false,
        url: null,
        log: [],
        stopped_by: null,
      },
    },
  });
  const { id } = started.body.preview;
  expect((await preview("POST")).body).toEqual(started.body);
  expect((await hear()).body.previews).toMatchObject([
    { id, job_id: job.id, head_sha: head, origin: `http://${id}.localhost:${app.port}` },
  ]);
  await hear({ previews: [{ id, state: "ready", log: ["listening"], branch_sha: head }] });
  expect((await preview("GET")).body.preview).toMatchObject({
    state: "ready",
    url: `/previews/${id}`,
    is_old: false,
    log: ["listening"],
  });
  const cookie = await app.signIn(owner);
  const way = await app.request(`/previews/${id}`, { headers: { cookie } });
  expect(way.headers.get("location")).toMatch(
    new RegExp(`^http://${id}\\.localhost:${app.port}/\\.backloom/enter\\?ticket=`),
  );
  await hear({ previews: [{ id, state: "ready", branch_sha: "b".repeat(40) }] });
  expect((await preview("GET")).body.preview).toMatchObject({ is_old: true });
  expect(await preview("DELETE")).toMatchObject({ status: 204 });
  expect((await preview("GET")).body.preview).toMatchObject({ state: "stopped", stopped_by: "person", url: null });
  expect((await hear({ previews: [{ id, state: "ready" }] })).body).toEqual({ previews: [] });
});

it("A waiting worker hears of a preview at once", async () => {
  const { preview, hear } = await scene();
  await hear();
  const waiting = hear({ wait_seconds: 50 });
  const { id } = (await preview("POST")).body.preview;
  expect((await waiting).body.previews).toMatchObject([{ id }]);
});

it("A ticket works once, for its preview and 30 seconds, while its session lasts", async () => {
  const { owner, product, preview, hear, member } = await scene();
  await hear();
  const { id } = (await preview("POST")).body.preview;
  const viewer = await member("VIEWER");
  const cookie = await app.signIn(viewer);
  const open = async () =>
    (await app.request(`/previews/${id}`, { headers: { cookie } })).headers.get("location") ?? "";
  expect(await open()).toMatch(/^\/jobs\//);
  await hear({ previews: [{ id, state: "ready" }] });
  const hashOf = (way: string) =>
    createHash("sha256")
      .update(new URL(way).searchParams.get("ticket") ?? "")
      .digest("hex");
  const ticket_hash = hashOf(await open());
  const { entered } = await enterPreview(t.database, { preview_id: id, ticket_hash });
  expect(entered).toMatchObject({ user_id: viewer.id });
  expect(await enterPreview(t.database, { preview_id: id, ticket_hash })).toEqual({ entered: null });
  const late = hashOf(await open());
  await t.query`update preview_tickets set expires_at = now() - interval '1 s'`;
  expect(await enterPreview(t.database, { preview_id: id, ticket_hash: late })).toEqual({ entered: null });
  const other = hashOf(await open());
  expect(await enterPreview(t.database, { preview_id: "0".repeat(32), ticket_hash: other })).toEqual({ entered: null });

  const { session_id } = entered ?? { session_id: "" };
  const access = async (user: TestUser) =>
    (await getPreviewAccess(t.database, { preview_id: id, user_id: user.id, session_id })).access;
  expect(await access(viewer)).toMatchObject({ may_see: true, state: "ready", worker: { user_id: owner.id } });
  expect(await access(owner)).toMatchObject({ may_see: false });
  await t.query`update user_sessions set revoked_at = now() where id = ${session_id}`;
  expect(await access(viewer)).toMatchObject({ may_see: false });
  await t.query`update user_sessions set revoked_at = null where id = ${session_id}`;
  await t.query`delete from product_members where product_id = ${product.id} and user_id = ${viewer.id}`;
  expect(await access(viewer)).toMatchObject({ may_see: false });
  const gone = await app.request(`/previews/${id}`, { headers: { cookie } });
  const unknown = await app.request(`/previews/${"1".repeat(32)}`, { headers: { cookie } });
  expect([gone.status, unknown.status]).toEqual([404, 404]);
});

it("A viewer sees a preview and starts and ends none, and a stranger sees none", async () => {
  const { preview, hear, member } = await scene();
  await hear();
  const viewer = await member("VIEWER");
  expect(await preview("POST", viewer)).toMatchObject({ status: 403 });
  await preview("POST", await member("MEMBER"));
  expect(await preview("GET", viewer)).toMatchObject({ status: 200 });
  expect(await preview("DELETE", viewer)).toMatchObject({ status: 403 });
  expect(await preview("GET", await t.createUser())).toMatchObject({ status: 403 });
});

it("What a worker no longer names has ended, and so has what ran before it restarted or was merged", async () => {
  const { actor, job, worker, preview, hear } = await scene();
  await hear();
  const begin = async () => {
    const { id } = (await preview("POST")).body.preview;
    await hear();
    await hear({ previews: [{ id, state: "ready" }] });
    return id;
  };
  const state = async () => (await preview("GET")).body.preview;
  const first = await begin();
  await t.query`update previews set heard_at = now() - interval '46 s' where id = ${first}`;
  expect(await state()).toMatchObject({ state: "stopped", stopped_by: "worker", url: null });
  const second = await begin();
  expect(second).not.toBe(first);
  expect(await syncPreviews(actor, { worker, room: 1, previews: [], restarted: true })).toEqual({ previews: [] });
  expect(await state()).toMatchObject({ id: second, state: "stopped", stopped_by: "worker" });
  const third = await begin();
  await t.query`update agent_jobs set merged_at = now() where id = ${job.id}`;
  expect((await hear({ previews: [{ id: third, state: "ready" }] })).body).toEqual({ previews: [] });
  expect(await state()).toMatchObject({ state: "stopped", stopped_by: "review" });
  expect(await preview("POST")).toMatchObject({ status: 409 });
});

it("No preview starts without room, where the repository wants none, or where the service has no origin", async () => {
  const { job, preview, hear } = await scene();
  const refused = async (words: string) => {
    expect(await preview("POST")).toMatchObject({ status: 409, body: { error: expect.stringContaining(words) } });
  };
  await hear({ room: 0 });
  await refused("No worker");
  await hear();
  await t.query`update agent_jobs set evidence = '{"preview": "none"}' where id = ${job.id}`;
  await refused("`preview: none`");
  await t.query`update agent_jobs set evidence = '{"preview": "unset"}' where id = ${job.id}`;
  await refused(".claude/launch.json");
  const far = await openApp({ variables: { APP_ORIGIN: "https://backlog.example.org" } });
  const owner = await far.t.createUser();
  const answer = await far.app.send(
    "POST",
    `/api/jobs/${job.id}/preview`,
    undefined,
    bearer(await far.t.createToken(owner)),
  );
  expect([answer.status, (await answer.json()).error]).toEqual([409, expect.stringContaining("PREVIEW_ORIGIN")]);
});
