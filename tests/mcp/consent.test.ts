import { expect, it } from "vitest";
import { dataApi } from "../setup/data-api";
import { connectBoth, createProduct, idOf, ok, openStage, startRun } from "./stage";

const stage = await openStage({ pages: true });
const { t, app, ada } = stage;
const bob = await t.createUser({ username: "bob" });
const { agent } = await connectBoth(stage);
const bobs = await connectBoth({ app, token: await t.createToken(bob) });
const { worker } = bobs;
const visitor = await app.visitorOf(bob);
const wish = { worker: "bob's machine", wait_seconds: 0 };

async function lure(code: string): Promise<string> {
  await createProduct(stage, code);
  const run = await startRun(agent, code);
  const rows = await t.query`select id from public.products where code = ${code}`;
  expect(run.status).toBe("queued");
  await t.addMember(rows[0].id, bob);
  return rows[0].id;
}

it("A worker of a member who was only added takes no job of the product, and is told its name", async () => {
  const id = await lure("LURE");
  expect(ok(await worker.call("wait_for_job", wish))).toMatchObject({
    job: null,
    reason: {
      code: "consent",
      message: expect.stringContaining("LURE"),
      products: [{ id, code: "LURE", name: "LURE" }],
    },
  });
  expect(ok(await bobs.agent.call("check_queue_empty", {}))).toMatchObject({
    claimable: false,
    reason: { code: "consent" },
  });
  const why = { kind: "task", id: "T-1", product_id: "LURE" };
  expect(ok(await agent.call("why_not_moving", why))).toMatchObject({
    reasons: [{ code: "consent", message: expect.stringContaining("bob") }],
  });
});

it("A member who was added is asked on the dashboard, and can allow their workers and take it back", async () => {
  const id = await lure("ASKED");
  const page = await visitor.read("/dashboard");
  expect(page).toContain("ada<!-- --> added you to");
  const members = `/products/${id}/members`;
  await visitor.submit(members, "allow-workers", { allowed: "yes" });
  expect(await visitor.read("/dashboard")).not.toContain(`action="${members}"`);
  const { job } = ok(await worker.call("wait_for_job", wish));
  expect(job).toMatchObject({ product: { code: "ASKED" } });
  ok(await worker.call("wait_for_job", { ...wish, restarted: true }));

  await visitor.submit(members, "allow-workers", { allowed: "no" });
  ok(await worker.call("wait_for_job", { ...wish, restarted: true }));
  expect(ok(await worker.call("wait_for_job", wish))).toMatchObject({ job: null, reason: { code: "consent" } });
});

it("A claim that names the product gets a job without further consent", async () => {
  await lure("NAMED");
  const named = ok(await worker.call("wait_for_job", { ...wish, product_id: "NAMED" }));
  expect(named.job).toMatchObject({ product: { code: "NAMED" } });
});

it("An owner's worker needs no consent for their own product, and the owner cannot switch it off", async () => {
  const id = await lure("OWNED");
  const { worker: own } = await connectBoth(stage);
  const { job } = ok(await own.call("wait_for_job", { worker: "ada's", wait_seconds: 0 }));
  expect(job).not.toBeNull();
  const answer = await (await app.visitorOf(ada)).send(`/products/${id}/members`, {
    intent: "allow-workers",
    allowed: "no",
  });
  expect(answer.status).toBe(409);
});

it("Consent to workers cannot be written over the Data API, by the owner or the member", async () => {
  const id = await lure("FORGED");
  const owner = await dataApi(t, ada);
  const forged = await owner.from("product_members").update({ workers_allowed: true }).eq("product_id", id).select();
  expect(forged.error?.code).toBe("42501");
  const mine = await dataApi(t, bob);
  const own = await mine.from("product_members").update({ workers_allowed: true }).select();
  expect(own.error?.code).toBe("42501");
});

it("The answer about a private idea is shown to no other member, in any way", async () => {
  await createProduct(stage, "TALK");
  const rows = await t.query`select id from public.products where code = 'TALK'`;
  await t.addMember(rows[0].id, bob);
  const idea = ok(await agent.call("create_idea", { product_id: "TALK", title: "Secret plan" }));
  await t.database.callAs({ user_id: ada.id }, "ask_about_idea", { p_idea_id: idea.id, p_question: "How long?" });
  const { worker: own } = await connectBoth(stage);
  const claim = { worker: "talker", product_id: "TALK", kinds: ["PLAN_CHAT"] };
  const job_id = idOf(ok(await own.call("wait_for_job", claim)).job);
  const report = { job_id, attempt: 1, status: "done", summary: "Three secret weeks" };
  ok(await own.call("update_job_status", report));

  const seen = async (cookie: string) => (await app.request("/agents?state=all", { headers: { cookie } })).text();
  expect(await seen(await app.signIn(bob))).not.toContain("secret weeks");
  const jobs = await t.query`select private.job_json(j) as shown from public.agent_jobs j where j.id = ${job_id}`;
  expect(jobs[0].shown).toMatchObject({ summary: null, idea_code: null });
  const direct = await (await dataApi(t, bob)).from("agent_jobs").select("summary").eq("id", job_id);
  expect(direct.data).toEqual([]);
  const others = await t.database.callAs({ user_id: bob.id }, "get_agent_job", { p_job_id: job_id });
  expect(JSON.stringify(others)).not.toContain("secret");
  const mine = await t.database.callAs({ user_id: ada.id }, "get_agent_job", { p_job_id: job_id });
  expect(JSON.stringify(mine)).toContain("Three secret weeks");
});
