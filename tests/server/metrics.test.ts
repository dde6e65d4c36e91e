import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sweep } from "~/nouns/schedules/operations.server";
import { pauseSprintRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { rawGet, rawRequest } from "../setup/raw-request";
import { claim, claimRefusal } from "../setup/world";

const t = await createTestDatabase();

/** What is read now: the answer of the database is kept for some seconds, so each reading is that of a new process. */
async function read(path = "/api/health"): Promise<Map<string, number>> {
  const app = await startTestApp(t);
  await (await app.request(path)).arrayBuffer();
  return parse(await (await app.request("/metrics")).text());
}

/** Every sample by its name and labels; a line that Prometheus could not read fails. */
function parse(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split("\n")) {
    if (/^# (HELP|TYPE) backloom_\w+ \S/.test(line)) continue;
    const [, key = "", value = ""] =
      /^(backloom_[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)+\})?) (\S+)$/.exec(line) ?? [];
    expect(key, line).not.toBe("");
    expect(Number.isFinite(Number(value)), line).toBe(true);
    expect(samples.has(key), line).toBe(false);
    samples.set(key, Number(value));
  }
  return samples;
}

it("Metrics count requests by route and status, in a histogram that adds up", async () => {
  const app = await startTestApp(t);
  const user = await t.createUser();
  const headers = await t.bearerOf(user);
  for (const path of ["/api/products", "/api/products", "/api/nowhere/at/all", "/wp-login.php"]) {
    await (await app.request(path, { headers })).arrayBuffer();
  }
  await (await app.request("/api/products")).arrayBuffer();
  await app.request("/api/products", { method: "POST", headers });
  const response = await app.request("/metrics");
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-store");
  const text = await response.text();
  const samples = parse(text);
  const products = (status: number) =>
    samples.get(`backloom_http_requests_total{method="GET",route="/api/products",status="${status}"}`);
  expect([products(200), products(401)]).toEqual([2, 1]);
  const duration = 'backloom_http_request_duration_seconds_%{method="GET",route="/api/products"';
  const count = samples.get(`${duration.replace("%", "count")}}`);
  expect(count).toBe(3);
  expect(samples.get(`${duration.replace("%", "bucket")},le="+Inf"}`)).toBe(count);
  expect(text).not.toContain("wp-login");
  expect(text).not.toContain("nowhere");
  expect(text).toMatch(/^# TYPE backloom_http_requests_total counter$/m);
});

it("Metrics show the state of the process and the database", async () => {
  const samples = await read();
  expect(samples.get("backloom_database_up")).toBe(1);
  expect(samples.get("backloom_streams_open")).toBe(0);
  for (const name of `jobs_queued runs budget_spent oldest_question_age_seconds review_first_look_seconds_count
    review_verdict_seconds_count`.split(/\s+/)) {
    expect(samples.get(`backloom_${name}`), name).toBe(0);
  }
  for (const name of `backloom_resident_memory_bytes backloom_cpu_seconds_total backloom_database_connections
    backloom_database_connections_limit backloom_database_size_bytes`.split(/\s+/)) {
    expect(samples.get(name), name).toBeGreaterThan(0);
  }
  expect(samples.get('backloom_database_call_duration_seconds_count{operation="get_metrics"}')).toBe(1);
});

it("Metrics count queued jobs by what they wait for, with the codes of why_not_moving", async () => {
  const world = await t.seedSprint({ stories: [3] });
  const app = await startTestApp(t);
  const actor = { database: app.services.database, credential: { user_id: world.owner.id } };
  const run = await startSprintRun(actor, { sprint_id: world.sprint.id });
  const waiting = await read();
  expect(waiting.get('backloom_jobs_queued{reason="no_worker"}')).toBe(1);
  expect(waiting.get('backloom_jobs_queued{reason="order"}')).toBe(2);
  expect(waiting.get('backloom_runs{status="queued"}') ?? waiting.get('backloom_runs{status="running"}')).toBe(1);

  const job = await claim(actor);
  const held = await read();
  expect(held.get("backloom_jobs_held")).toBe(1);
  expect(held.get("backloom_workers_online")).toBe(1);
  const own = parse(await (await app.request("/metrics")).text());
  expect(own.get("backloom_claims_total")).toBe(1);
  await claimRefusal(actor, "worker-2");
  expect(parse(await (await app.request("/metrics")).text()).get("backloom_claims_total")).toBe(1);

  await t.query`update agent_jobs set lease_until = now() - interval '1 second' where id = ${job.id}`;
  await sweep(t.database);
  const lost = await read();
  expect(lost.get("backloom_leases_lost_total")).toBe(1);
  expect(lost.get("backloom_jobs_held")).toBe(0);
  expect(lost.get('backloom_jobs_queued{reason="ready"}')).toBe(1);

  await pauseSprintRun(actor, { sprint_run_id: run.id });
  expect((await read()).get('backloom_jobs_queued{reason="paused"}')).toBe(3);
});

it("Metrics show the age of the outbox, the amount and cost of budgets, and when schedules ran", async () => {
  const world = await t.seedSprint();
  await t.query`insert into notices (kind, product_id, user_id, payload, created_at)
      values ('ping', ${world.product.id}, ${world.owner.id}, '{}', now() - interval '1 hour')`;
  const rows = await t.query`
      insert into budgets (product_id, scope, period, unit, amount, created_by)
      values (${world.product.id}, 'product', 'month', 'USD', 40, ${world.owner.id}) returning id`;
  await t.query`insert into schedule_runs (name, due_at, finished_at)
      values ('backup', now(), to_timestamp(1700000000))`;
  const samples = await read();
  expect(samples.get("backloom_outbox_messages")).toBe(1);
  expect(samples.get("backloom_outbox_age_seconds")).toBeGreaterThanOrEqual(3_600);
  const labels = `{budget="${rows[0].id}",product="${world.product.code}",scope="product",period="month",unit="USD"}`;
  expect(samples.get(`backloom_budget_amount${labels}`)).toBe(40);
  expect(samples.get(`backloom_budget_spent${labels}`)).toBe(0);
  expect(samples.get('backloom_schedule_success_timestamp_seconds{entry="backup"}')).toBe(1_700_000_000);
});

describe("who may read /metrics", () => {
  const token = "a token of monitoring";

  it("Only those with METRICS_TOKEN may read /metrics where it is set", async () => {
    const app = await startTestApp(t, { variables: { METRICS_TOKEN: token } });
    const status = async (headers: Record<string, string>) => (await app.request("/metrics", { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: "Bearer another token" })).toBe(401);
    expect(await status({ authorization: `Basic ${token}` })).toBe(401);
    expect(await status({ authorization: `Bearer ${token}` })).toBe(200);
    const forwarded = { authorization: `Bearer ${token}`, "x-forwarded-for": "203.0.113.9" };
    expect(await status(forwarded)).toBe(200);
  });

  it("Only this machine may read /metrics without METRICS_TOKEN, and no one through a proxy", async () => {
    const app = await startTestApp(t);
    const status = async (...lines: string[]) => (await rawRequest(app.port, rawGet("/metrics", lines))).status;
    expect(await status()).toBe(200);
    for (const mark of [
      "X-Forwarded-For: 127.0.0.1",
      "X-Real-IP: 127.0.0.1",
      "Forwarded: for=127.0.0.1",
      "Via: 1.1 proxy",
    ]) {
      expect(await status(mark), mark).toBe(403);
    }
    // Behind a proxy of this machine that leaves no mark, people open another address.
    const published = await startTestApp(t, { variables: { APP_ORIGIN: "https://backlog.example" } });
    expect((await rawRequest(published.port, rawGet("/metrics"))).status).toBe(403);
  });
});

it("The Grafana board and the page for operators name only metrics that exist", () => {
  const sources = readdirSync("app/metrics").map((file) => readFileSync(`app/metrics/${file}`, "utf8"));
  const written = new Set([...sources.join().matchAll(/"(backloom_[a-z_]+)"/g)].map(([, name]) => name));
  expect(written.size).toBeGreaterThan(25);
  for (const file of ["docs/grafana.json", "docs/operate.md"]) {
    const named = [...readFileSync(file, "utf8").matchAll(/\bbackloom_[a-z_]+\b/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ""),
    );
    expect(named.length, file).toBeGreaterThan(15);
    expect(
      named.filter((name) => !written.has(name)),
      file,
    ).toEqual([]);
  }
});
