import { expect, it } from "vitest";
import { createPbi } from "~/nouns/pbis/operations.server";
import { openApp } from "../setup/app";
import { createVisitor } from "../setup/page-forms";
import { routesFromSources } from "../setup/route-build";

const { t, app } = await openApp({ pages: true });
const user = await t.createUser();
const cookie = await app.signIn(user);

it.each([
  ["/questions", "/inbox?show=questions"],
  ["/questions?state=answered", "/inbox?show=questions&state=answered"],
  ["/questions?question=1&show=all", "/inbox?show=questions&question=1&show=all"],
  ["/invitations", "/inbox?show=invitations"],
  ["/jobs", "/agents"],
  ["/jobs?state=all&why=1", "/agents?state=all&why=1"],
  ["/workers", "/agents/workers"],
  ["/products/1-2/runs", "/agents/runs?product=1-2"],
  ["/products/1-2/runs?after=3", "/agents/runs?product=1-2&after=3"],
])("the old address %s leads to %s", async (from, to) => {
  const answer = await app.request(from, { headers: { cookie }, redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([302, to]);
});

it.each(["/questions/1", "/invitationsx", "//questions"])("The address %s is still not found", async (path) => {
  expect((await app.request(path, { headers: { cookie }, redirect: "manual" })).status).toBe(404);
});

/** What may be in an address for a parameter, or as its query. */
const odd = ["%F0%9F%92%A9", "%0d%0aX", "%2e%2e", "a".repeat(2_000)];
const queries = ["?q=%FF", "?%C3%28=1", "?show=%0d%0a&q[]=1"];
const { routes } = await routesFromSources({ pages: true });
const pathOf = (route: (typeof routes)[string] | undefined): string =>
  route ? `${pathOf(routes[route.parentId ?? ""])}${route.path ? `/${route.path}` : ""}` : "";
const reads = Object.values(routes).filter(
  ({ module: { default: page, loader } }) => (page ?? loader) && !(loader && "methods" in loader),
);
const old = ["/questions", "/invitations", "/jobs", "/workers", "/products/:id/runs"];
const places = [...new Set([...reads.map(pathOf), ...old])].filter((path) => !path.includes("*"));

it.each(places.map((path) => path || "/"))("Page %s answers below 500 with anything in its address", async (path) => {
  const asked = odd.map((value) => path.replaceAll(/:\w+\??/g, value));
  for (const address of [...new Set(asked), ...queries.map((query) => asked[0] + query)]) {
    for (const headers of [{ cookie }, undefined]) {
      const answer = await app.request(address, { ...(headers && { headers }), redirect: "manual" });
      expect(answer.status, address.slice(0, 80)).toBeLessThan(500);
      await answer.body?.cancel();
    }
  }
});

it("the inbox marks the tab that its address names, and lists what belongs there", async () => {
  const visitor = createVisitor(app, cookie);
  await t.seedProduct(user);
  for (const [show, label, words] of [
    ["questions", "Questions", "No open questions"],
    ["questions&state=expired", "Questions", "Closed questions appear here."],
    ["invitations", "Other", "Nothing else"],
    ["constructor", "All", "Your inbox is empty"],
  ] as const) {
    const page = await visitor.read(`/inbox?show=${show}`);
    expect(page).toMatch(new RegExp(`aria-current="page" class="tab"[^>]*>${label}`));
    expect(page).toContain(words);
  }
});

it("the page of agents has a tab for jobs, runs and workers, and runs are those of one product", async () => {
  const visitor = createVisitor(app, cookie);
  for (const [path, label, words] of [
    ["/agents", "Jobs", "The queue is empty"],
    ["/agents?state=all", "Jobs", "No jobs yet"],
    ["/agents/runs", "Runs", "No runs yet"],
    ["/agents/workers", "Workers", "No workers yet"],
  ] as const) {
    const page = await visitor.read(path);
    expect(page).toMatch(new RegExp(`aria-current="page" class="tab"[^>]*>${label}`));
    expect(page).toContain(words);
  }
  const nobody = await app.visitorOf(await t.createUser());
  expect(await nobody.read("/agents/runs")).not.toContain("<select");
  const stranger = await t.seedProduct(await t.createUser());
  const theirs = `/agents/runs?product=${stranger.id}`;
  expect((await app.request(theirs, { headers: { cookie } })).status).toBe(403);
});

it("The branch of a task or story is given to everyone in its product, and to no one else", async () => {
  const owner = await t.createUser();
  const member = await t.createUser();
  const stranger = await t.createUser();
  const { product, story, task } = await t.seedBacklog(owner);
  await t.addMember(product.id, member);
  const ask = async (user: typeof owner, query: string) =>
    app.request(`/branch?${query}`, { headers: { cookie: await app.signIn(user) } });
  for (const user of [owner, member]) {
    for (const query of [`kind=task&id=${task.id}`, `kind=story&id=${story.id}`]) {
      const answer = await ask(user, query);
      expect([answer.status, await answer.json()]).toEqual([200, { branch: `backloom/${story.code}` }]);
    }
  }
  expect((await ask(stranger, `kind=task&id=${task.id}`)).status).toBe(403);
  expect((await ask(owner, `kind=pbi&id=${task.id}`)).status).toBe(422);
});

it("A search is cut after 200 characters, and never inside one", async () => {
  const { actor, owner, product } = await t.seedWorld(0);
  await createPbi(actor, { product_id: product.id, title: "Zebra" });
  const cookie = await app.signIn(owner);
  const padded = (end: string) => encodeURIComponent(`zebra${" ".repeat(194)}${end}`);
  for (const end of ["x", "🦓", " nothing has this", "🦓 nothing has this"]) {
    for (const place of ["/search?q=", `/products/${product.id}/backlog?q=`]) {
      const answer = await app.request(`${place}${padded(end)}`, { headers: { cookie } });
      expect([answer.status, place, end]).toEqual([200, place, end]);
      expect(await answer.text()).not.toContain("\ufffd");
    }
  }
  const found = await app.request(`/search?q=${padded("  nothing has this")}`, { headers: { cookie } });
  expect(await found.text()).toContain("Zebra");
});
