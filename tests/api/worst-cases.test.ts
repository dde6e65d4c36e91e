import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bearer, createToken, signIn, startTestApp } from "../setup/app";
import { seedBacklog } from "../setup/backlog";
import { createTestDatabase } from "../setup/database";
import { routesFromSources } from "../setup/route-build";
import { createUser } from "../setup/users";

/** What the service promises for its health, whatever else is sent (milliseconds). */
const promised = 250;
const size = 1_000_000;

const t = await createTestDatabase();
const app = await startTestApp(t, { pages: true });
const owner = await createUser(t, { role: "ADMIN" });
const backlog = await seedBacklog(t, owner);
const cookie = await signIn(t, app, owner);
const token = await createToken(t, owner);
const { routes } = await routesFromSources({ pages: true });
type Route = (typeof routes)[string];

const repeat = (text: string) => text.repeat(Math.floor(size / text.length));
const json: Record<string, string> = {
  "zeros in a number": `{"status":"done","a":0.1${repeat("0")}1}`,
  digits: `{"a":${repeat("1")}}`,
  lists: "[".repeat(size / 2) + "]".repeat(size / 2),
  objects: `${repeat('{"a":')}`,
  values: `[${repeat("0,")}0]`,
  quotes: `{"a":"${repeat('\\"')}"}`,
  "a long text": JSON.stringify({ content: repeat("*a_"), type: "IMPLEMENTATION_PLAN" }),
};
const form: Record<string, string> = {
  "a list of billions": "a%5B4294967294%5D=1",
  "nested names": `${repeat("a.")}a=1`,
  "nested lists": `${repeat("a%5B0%5D")}=1`,
  fields: repeat("a&"),
  "a long text": `intent=edit&title=${repeat("*a_")}`,
  percents: `identifier=${repeat("%41")}&email=${repeat("%41")}`.slice(0, size),
};

const own: Record<string, string> = {
  ":productId": backlog.product.id,
  ":sprintId": backlog.sprint.id,
  ":storyId": backlog.story.id,
  ":taskId": backlog.task.id,
};
const anyId = "00000000-0000-4000-8000-000000000000";

function pathOf(route: Route | undefined): string {
  if (!route) return "";
  const parts = (route.path ?? "").split("/").filter((part) => part !== "");
  const parent = pathOf(routes[route.parentId ?? ""]);
  return parent + parts.map((part) => `/${own[part] ?? part.replace(/^:.*/, anyId)}`).join("");
}

const doors = Object.values(routes)
  .filter(({ module }) => module.action !== undefined)
  .map((route) => ({ path: pathOf(route) || "/", isApi: /^routes\/(api|mcp)\b/.test(route.id) }))
  .filter(({ path }) => !path.includes("*"));
const pages = [...new Set(doors.filter(({ isApi }) => !isApi).map(({ path }) => path))];
const endpoints = [...new Set(doors.filter(({ isApi }) => isApi).map(({ path }) => path))];

/**
 * The time that this thread, which is the service's, has worked. What other programs take from a busy machine is not
 * counted; where the system does not tell, the clock's time is.
 */
function busyMilliseconds(): number {
  try {
    const statistics = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8");
    return Number(statistics.split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** The longest answer of `/api/health` while something else is answered. */
async function healthBeside(work: Promise<Response>): Promise<number> {
  let isDone = false;
  const done = work
    .then((answer) => {
      expect(answer.status).toBeLessThan(500);
      return answer.arrayBuffer();
    })
    .finally(() => {
      isDone = true;
    });
  let longest = 0;
  do {
    const before = busyMilliseconds();
    await (await app.request("/api/health")).arrayBuffer();
    longest = Math.max(longest, busyMilliseconds() - before);
  } while (!isDone);
  await done;
  return longest;
}

const send = (path: string, type: string, body: string, method = "POST") =>
  app.request(path, {
    method,
    headers: { "content-type": type, ...(type.includes("form") ? { cookie } : bearer(token)) },
    body,
  });

describe("the worst of every kind at full size", () => {
  it("has many doors", () => {
    expect(pages.length).toBeGreaterThan(25);
    expect(endpoints.length).toBeGreaterThan(10);
  });

  it.each(pages)("holds nobody up at the form of %s", async (path) => {
    for (const [kind, body] of Object.entries(form)) {
      const work = send(path, "application/x-www-form-urlencoded", body);
      const longest = await healthBeside(work);
      expect(longest, kind).toBeLessThan(promised);
    }
  });

  it.each(endpoints)("holds nobody up at %s", async (path) => {
    for (const [kind, body] of Object.entries(json)) {
      for (const method of ["POST", "PATCH"]) {
        const longest = await healthBeside(send(path, "application/json", body, method));
        expect(longest, kind).toBeLessThan(promised);
      }
    }
  });

  it("holds nobody up where a stranger sends it", async () => {
    const path = `/api/tasks/${backlog.task.id}`;
    for (const [kind, body] of Object.entries(json)) {
      const headers = { ...bearer("x"), "content-type": "application/json" };
      const work = app.request(path, { method: "PATCH", headers, body });
      const longest = await healthBeside(work);
      expect((await work).status).toBe(401);
      expect(longest, kind).toBeLessThan(promised);
    }
  });

  it.each(["*a_".repeat(33_000), ">".repeat(1_000), "- a\n".repeat(25_000)])(
    "holds nobody up as the description of a story",
    async (description) => {
      const { story } = backlog;
      await t.sql.query("update public.stories set description = $1 where id = $2", [
        description,
        story.id,
      ]);
      const longest = await healthBeside(
        app.request(`/stories/${story.id}`, { headers: { cookie } }),
      );
      expect(longest).toBeLessThan(promised);
    },
  );
});
