import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { approve, claim, startPairing } from "../pairing/pairing-requests";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const pages = ["_app", "_app.dashboard", "_auth", "_auth.login", "logout"];
const app = await startTestApp(t, { pages });
const second = await startTestApp(t, { pages });
const user = await t.createUser();

/** The cookies of one browser for one host name: ports do not keep them apart. */
function browser() {
  const jar = new Map<string, string>();
  return {
    jar,
    async ask(origin: string, path: string, init: RequestInit = {}) {
      const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
      const answer = await fetch(`${origin}${path}`, {
        redirect: "manual",
        ...init,
        headers: { ...init.headers, cookie },
      });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value) jar.set(name, value);
        else jar.delete(name);
      }
      return answer;
    },
  };
}

const form = { identifier: user.username, password: user.password };
const signIn = { method: "POST", body: new URLSearchParams(form) };

it("Another program on the same host sets the cookie `session`, and no one is signed out", async () => {
  const { jar, ask } = browser();
  expect((await ask(app.origin, "/login", signIn)).status).toBe(303);
  jar.set("session", "eyJ1c2VyIjoxfQ.of.flask");
  expect((await ask(app.origin, "/dashboard")).status).toBe(200);
  await ask(app.origin, "/logout", { method: "POST" });
  expect(jar.get("session")).toBe("eyJ1c2VyIjoxfQ.of.flask");
  expect((await ask(app.origin, "/dashboard")).status).toBe(302);
  expect(jar.get("session")).toBe("eyJ1c2VyIjoxfQ.of.flask");
});

it("Two Backlooms on the same host both keep their people signed in", async () => {
  const { ask } = browser();
  for (const { origin } of [app, second]) await ask(origin, "/login", signIn);
  for (const { origin } of [app, second, app]) {
    expect((await ask(origin, "/dashboard")).status).toBe(200);
  }
});

it("A pairing can still be claimed after a second Backloom on the same host began one", async () => {
  const desktop = await startPairing(app);
  const others = await startPairing(second);
  const twin = desktop.response.headers.getSetCookie()[1]?.split(";")[0];
  await approve(t.actorOf(user), desktop);
  const cookie = `${others.cookie}; ${twin}`;
  expect((await claim(app, { ...desktop, cookie })).status).toBe(200);
});

it("every cookie has a name of ours, except the two that clients know", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" })
    // Each preview has its own host.
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("previews/"))
    .map((file) => ({ file, text: readFileSync(`app/${file}`, "utf8") }))
    .filter(({ text }) => /Max-Age=|serializeCookieHeader\(|\.cookie = /.test(text));
  expect(files.length).toBeGreaterThan(5);
  const own = /ownCookie\(|`backloom_|collapsedColumnsCookie\(/;
  expect(files.filter(({ text }) => !own.test(text)).map(({ file }) => file)).toEqual([]);
});
