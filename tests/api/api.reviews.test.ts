import { expect, it } from "vitest";
import type { z } from "zod";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { archiveProduct } from "~/nouns/products/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import type { waitingReviewsSchema } from "~/wire/reviews/contract";
import { openApp } from "../setup/app";
import { at, bearer } from "../setup/world";
import { waitingReviews } from "./waiting-reviews";

const stage = await openApp({ pages: true });
const { t, app } = stage;
const { scene, read } = waitingReviews(stage);
const codes = ({ reviews }: z.infer<typeof waitingReviewsSchema>) => reviews.map(({ task }) => task.code);

it("The queue of reviews begins with what frees most, then the smaller change, for session and token", async () => {
  const { session, token, product, jobs } = await scene();
  const found = await read(session);
  expect(codes(found)).toEqual(["T-3", "T-1", "T-2"]);
  expect(found.reviews[0]).toMatchObject({
    job_id: jobs[2],
    attempt: 1,
    head_sha: "b".repeat(40),
    product: { id: product.id },
    frees: { tasks: 2, jobs: 2 },
    size: { files: 1, additions: 3, deletions: 0 },
    criteria: { proven: 0, total: 2 },
  });
  expect(await read(bearer(token), `?product_id=${product.id}`)).toEqual(found);
});

it("The queue of reviews is read in pages, each row once", async () => {
  const { session } = await scene();
  const first = await read(session, "?limit=2");
  const second = await read(session, `?limit=2&cursor=${first.next_cursor}`);
  expect([...codes(first), ...codes(second)]).toEqual(["T-3", "T-1", "T-2"]);
  expect(second.next_cursor).toBeNull();
  for (const query of ["limit=0", "limit=101", "limit=x", "cursor=2", "cursor="]) {
    const refused = await app.request(`/api/reviews?${query}`, { headers: session });
    expect(refused.status).toBe(422);
  }
});

it("A page of reviews leaves out no row when those before it are judged in between", async () => {
  const { session, actor, jobs } = await scene();
  const first = await read(session, "?limit=1");
  await reviewJob(actor, { job_id: at(jobs, 2), verdict: "approve" });
  const second = await read(session, `?limit=1&cursor=${first.next_cursor}`);
  const third = await read(session, `?limit=1&cursor=${second.next_cursor}`);
  expect([first, second, third].flatMap(codes)).toEqual(["T-3", "T-1", "T-2"]);
  expect(third.next_cursor).toBeNull();
});

it("The queue of reviews leaves out judged work, a viewer's products and archived products", async () => {
  const { session, actor, jobs, product } = await scene();
  await reviewJob(actor, { job_id: at(jobs, 2), verdict: "approve" });
  expect(codes(await read(session))).toEqual(["T-1", "T-2"]);
  const viewer = await t.createMember(product.id, { viewer: true });
  const headers = await t.bearerOf(viewer);
  expect((await read(headers)).reviews).toEqual([]);
  const named = await app.request(`/api/reviews?product_id=${product.id}`, { headers });
  expect(named.status).toBe(403);
  await archiveProduct(actor, { product_id: product.id });
  expect((await read(session)).reviews).toEqual([]);
});

it("A job is first seen when a session opens its changes, and keeps the time of its first verdict", async () => {
  const { session, token, actor, jobs } = await scene();
  const job_id = at(jobs, 0);
  const times = async () => {
    const { first_seen_at, judged_at } = await getAgentJob(actor, { job_id });
    return { first_seen_at, judged_at };
  };
  await app.request(`/api/jobs/${job_id}/diff`, { headers: bearer(token) });
  await app.request(`/jobs/${job_id}`, { headers: session });
  const page = `/jobs/${job_id}/changes`;
  await app.request(page, { headers: session, method: "HEAD", redirect: "follow" });
  await app.request(page, { headers: { ...session, "sec-purpose": "prefetch;prerender" }, redirect: "follow" });
  expect(await times()).toEqual({ first_seen_at: null, judged_at: null });
  await app.request(page, { headers: session, redirect: "follow" });
  const { first_seen_at } = await times();
  expect(first_seen_at).not.toBeNull();
  await app.request(page, { headers: session, redirect: "follow" });
  await reviewJob(actor, { job_id, verdict: "approve" });
  const { judged_at } = await times();
  expect(judged_at).not.toBeNull();
  await reviewJob(actor, { job_id, verdict: "approve" });
  expect(await times()).toEqual({ first_seen_at, judged_at });
});

it("A sprint's pages, Insights and /metrics tell how long work waited for its review", async () => {
  const { session, product, sprint, jobs } = await scene();
  const sprintPage = `/products/${product.id}/sprints/${sprint.id}`;
  const pages = [sprintPage, `${sprintPage}/review`, `/insights?product_id=${product.id}`];
  const told = async () => {
    const texts = [];
    for (const page of pages) {
      const html = await (await app.request(page, { headers: session })).text();
      const terms = html.replaceAll("<!-- -->", "").matchAll(/>(Done to [a-z ]+)<.*?<dd[^>]*>(.*?)<\/dd>/gs);
      texts.push(Object.fromEntries([...terms].map(([, term, text]) => [term, text])));
    }
    return texts;
  };
  expect(await told()).toEqual([{}, {}, {}]);
  for (const [place, hours] of [1, 2, 9].entries()) {
    await t.query`update job_attempts set ended_at = ended_at - make_interval(hours => ${hours})
        where job_id = ${at(jobs, place)}`;
  }
  const before = await counts();
  for (const job of jobs) await app.request(`/jobs/${job}/changes`, { headers: session, redirect: "follow" });
  const headers = { ...session, "content-type": "application/json", origin: app.origin };
  for (const verdict of ["request_changes", "approve"]) {
    const body = JSON.stringify({ verdict, summary: "As it is" });
    await app.request(`/api/jobs/${jobs[0]}/review`, { method: "POST", headers, body });
  }
  const wait = "median 2 h 00 min, 90\u00a0% within 7 h 36 min";
  const all = { "Done to first look": wait, "Done to verdict": expect.stringMatching(/^median 1 h 00 min,/) };
  expect(await told()).toEqual([all, all, all]);
  const after = await counts();
  expect(after.map((count, place) => count - (before[place] ?? 0))).toEqual([3, 2, 1, 1]);
});

/** How many first looks /metrics has, those within two hours and a bit, and the same of verdicts. */
async function counts() {
  const text = await (await app.request("/metrics")).text();
  const count = (name: string) => Number(new RegExp(`^backloom_review_${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
  return ["first_look", "verdict"].flatMap((kind) => [
    count(`${kind}_seconds_count`),
    count(`${kind}_seconds_bucket\\{le="14400"\\}`),
  ]);
}

it("The inbox lists reviews in the order of the queue with reasons, and lets no one approve there", async () => {
  const { session, jobs } = await scene([{ path: "db/migrations/1.sql" }]);
  const page = await (await app.request("/inbox?show=reviews", { headers: session })).text();
  const places = ["T-3", "T-1", "T-2"].map((code) => page.indexOf(`>${code}</span>`));
  expect(places.toSorted((one, other) => one - other)).toEqual(places);
  expect(places).not.toContain(-1);
  expect(page).toContain("Approving frees 2 tasks");
  expect(page).toContain("Data changes: check indexes");
  expect(page).not.toMatch(/name="verdict"/);
  // A row leads to its review, on the dashboard too.
  const dashboard = await (await app.request("/dashboard", { headers: session })).text();
  const order = [2, 0, 1].map((place) => `/jobs/${at(jobs, place)}/changes`);
  for (const text of [page, dashboard]) {
    const rows = [...text.matchAll(/<a [^>]*data-row[^>]* href="(\/jobs\/[^"]+)"/g)];
    expect(rows.map(([, to]) => to)).toEqual(order);
  }
});

it("A review and its approval lead to the next one, the last to the first, and the last approval to the inbox", async () => {
  const { session, jobs } = await scene();
  const order = [at(jobs, 2), at(jobs, 0), at(jobs, 1)];
  const pages = await Promise.all(
    order.map((job) => app.request(`/jobs/${job}/changes`, { headers: session, redirect: "follow" })),
  );
  const places = pages.map(({ url }) => url.slice(app.origin.length));
  const texts = await Promise.all(pages.map((page) => page.text()));
  const next = texts.map((text) => /"next":"([^"]+)"/.exec(text)?.[1]);
  expect(next).toEqual([places[1], places[2], places[0]]);
  for (const [n, job] of order.entries()) {
    const body = new URLSearchParams({ intent: "review", verdict: "approve_and_next" });
    const sent = await app.request(`/jobs/${job}/changes`, { method: "POST", headers: session, body });
    expect([sent.status, sent.headers.get("location")]).toEqual([303, places[n + 1] ?? "/inbox?show=reviews"]);
  }
});
