import { describe, expect, it } from "vitest";
import { archiveProduct, removeProductMember } from "~/nouns/products/operations.server";
import { openApp } from "../setup/app";
import type { TestUser } from "../setup/world";

const { t, app } = await openApp({ pages: true });
const owner = await t.createUser();

function post(path: string, body: string, cookie = ""): Promise<Response> {
  const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
  return app.request(path, { method: "POST", headers, body });
}

const failures = () => app.logLines.filter((line) => line.includes('"level":50'));

it("A form field whose name asks for a list of billions is refused without an error", async () => {
  expect((await post("/register", "a%5B4294967294%5D=1")).status).toBe(422);
  expect((await post("/register", `${"a.".repeat(20_000)}a=1`)).status).toBe(422);
  expect(failures()).toEqual([]);
});

it.each(["constructor", "toString", "__proto__", "no-such-button"])(
  "A form that names a button %s, which no page has, is refused without an error",
  async (intent) => {
    const cookie = await app.signIn(owner);
    const answer = await post("/settings/devices?_data=routes%2F_app.settings.devices", `intent=${intent}`, cookie);
    expect(answer.status).toBe(422);
    expect(failures()).toEqual([]);
  },
);

it("A sprint is not created from stories whose ids are not ids", async () => {
  const { product } = await t.seedBacklog(owner);
  const cookie = await app.signIn(owner);
  const form = "sprint_goal=Goal&story_ids=first";
  expect((await post(`/products/${product.id}/sprints`, form, cookie)).status).toBe(422);
  expect(failures()).toEqual([]);
});

it("A visit is answered with any Origin header", async () => {
  for (const origin of ["null", "nonsense", "https://evil.example"]) {
    expect((await app.request("/login", { headers: { origin } })).status).toBe(200);
  }
  expect(failures()).toEqual([]);
});

it.each(["/%09/evil.example", "%2F%E2%82%AC", "/%0D%0ASet-Cookie:a=b", "//evil.example"])(
  "The theme switch sent with from=%s redirects to the start page",
  async (from) => {
    const answer = await post("/theme", `theme=dark&from=${from}`);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/");
  },
);

it("A page requested too often says when to come back, with and without script", async () => {
  for (let tries = 0; tries < 10; tries += 1) await post("/login", "identifier=no one");
  for (const path of ["/login", "/login?_data=routes%2F_auth.login"]) {
    const answer = await post(path, "identifier=no one");
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
});

it("An upload refused before it reaches its page gives the page's form a reason to show", async () => {
  const cookie = await app.signIn(owner);
  const send = () => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ intent: "preview", name: "A" })) body.set(name, value);
    const headers = { cookie, origin: app.origin };
    const address = "/import?_data=routes%2F_app.import";
    return app.request(address, { method: "POST", headers, body });
  };
  for (let tries = 0; tries < 10; tries += 1) expect((await send()).status).toBe(422);
  const refused = await send();
  expect([refused.status, refused.headers.get("x-remix-response")]).toEqual([429, "yes"]);
  expect(await refused.json()).toMatchObject({ error: expect.stringMatching(/^Too many/) });
});

describe("POST /password", () => {
  const change = (user: TestUser) =>
    `current_password=${encodeURIComponent(user.password)}&new_password=another+long+one`;
  const hashOf = async ({ id }: TestUser) => {
    const sql = "select encrypted_password as hash from auth.users where id = $1";
    return (await t.sql.query(sql, [id])).rows[0]?.hash;
  };

  it.each([true, false])("A demo account cannot change its password (asked to: %s)", async (asked) => {
    const demo = await t.createUser({ demo: true, mustResetPassword: asked });
    const before = await hashOf(demo);
    const cookie = await app.signIn(demo);
    const action = "/password?_data=routes%2F_auth.password";
    expect((await post(action, change(demo), cookie)).status).toBe(403);
    expect(await hashOf(demo)).toBe(before);
    const visit = await app.request("/dashboard", { headers: { cookie } });
    expect(visit.status).toBe(200);
  });

  it("POST /password changes the password only of those who were asked to change it", async () => {
    const cookie = await app.signIn(owner);
    const before = await hashOf(owner);
    const answer = await post("/password", change(owner), cookie);
    expect(answer.headers.get("location")).toBe("/settings");
    expect(await hashOf(owner)).toBe(before);
  });
});

describe("an active product that is lost", () => {
  async function memberAtWork() {
    const { product } = await t.seedBacklog(owner);
    const member = await t.createMember(product.id);
    const choose = "update public.users set active_product_id = $1 where id = $2";
    await t.sql.query(choose, [product.id, member.id]);
    const session = await app.signIn(member);
    return { product, member, cookie: await visited(session) };
  }

  async function visited(cookie: string): Promise<string> {
    const answer = await app.request("/dashboard", { headers: { cookie } });
    const set = answer.headers.getSetCookie().map((line) => line.split(";")[0]);
    return [cookie, ...set].join("; ");
  }

  const lost = "/dashboard?notice=product-gone";
  const visit = async (path: string, cookie: string) => {
    const answer = await app.request(path, { headers: { cookie } });
    return answer.headers.get("location") ?? answer.headers.get("x-remix-redirect");
  };

  it("A member removed from their active product is led to the dashboard, which says so once", async () => {
    const { product, member, cookie } = await memberAtWork();
    await removeProductMember(t.actorOf(owner), { product_id: product.id, user_id: member.id });
    const board = `/products/${product.id}/backlog`;
    expect(await visit(board, cookie)).toBe(lost);
    expect(await visit("/dashboard", cookie)).toBe(lost);
    const data = "?_data=routes%2F_app.products.%24productId.backlog";
    expect(await visit(`${board}${data}`, cookie)).toBe(lost);

    const [session = ""] = cookie.split(";");
    const told = await app.request(lost, { headers: { cookie: session } });
    expect(await told.text()).toContain("no longer have access");
    expect(await visit("/dashboard", session)).toBeNull();
  });

  it("Members whose active product is archived are led to the dashboard", async () => {
    const { product, cookie } = await memberAtWork();
    await archiveProduct(t.actorOf(owner), { product_id: product.id });
    expect(await visit(`/products/${product.id}/backlog`, cookie)).toBe(lost);
  });

  it("A product put aside, or active for another account, is not reported as lost", async () => {
    const { member, cookie } = await memberAtWork();
    await t.query`update public.users set active_product_id = null where id = ${member.id}`;
    expect(await visit("/dashboard", cookie)).toBeNull();

    const other = await app.signIn(await t.createUser());
    const kept = cookie.split("; ").find((pair) => pair.startsWith("backloom_active_product_"));
    expect(kept).toBeDefined();
    expect(await visit("/dashboard", `${other}; ${kept}`)).toBeNull();
  });
});
