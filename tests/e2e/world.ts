import { randomInt } from "node:crypto";
import { type Browser, type BrowserContext, type BrowserContextOptions, expect } from "@playwright/test";
import { admin } from "./commands";

export const password = "a long enough password";
export const unique = () => `${Date.now().toString(36)}${randomInt(1e6).toString(36)}`;
const somebodysAddress = () => `10.${randomInt(250)}.${randomInt(250)}.${randomInt(250)}`;

export type Person = { name: string; context: BrowserContext };

/** A registered person with their own browser; each comes from an address of its own. */
export async function newPerson(
  browser: Browser,
  options: BrowserContextOptions = {},
  name = `p-${unique()}`,
): Promise<Person> {
  const context = await browser.newContext({ ...options, extraHTTPHeaders: { "x-forwarded-for": somebodysAddress() } });
  await post(context, "/register", { username: name, email: `${name}@example.com`, password });
  return { name, context };
}

/** Another browser of the same person, for example their phone. */
export async function signedIn(
  browser: Browser,
  name: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ ...options, extraHTTPHeaders: { "x-forwarded-for": somebodysAddress() } });
  await post(context, "/login", { identifier: name, password });
  return context;
}

/** A demo account; only the operator can make one. */
export const newDemo = () => newAccount("d", "--demo");

/** Someone whom the operator made administrator; registration never does. */
export const newAdministrator = () => newAccount("a", "--role", "ADMIN");

async function newAccount(prefix: string, ...options: string[]): Promise<string> {
  const name = `${prefix}-${unique()}`;
  const account = ["--username", name, "--email", `${name}@example.com`, "--password", password];
  await admin("user", "create", ...account, ...options);
  return name;
}

export interface World {
  productId: string;
  product: string;
  storyId: string;
  taskIds: string[];
  sprintId: string;
  sprint: string;
  pbiId: string;
}

export async function post(context: BrowserContext, path: string, form: Record<string, string>): Promise<string> {
  const answer = await context.request.post(path, { form, maxRedirects: 0 });
  expect([302, 303], await answer.text()).toContain(answer.status());
  return answer.headers().location ?? "";
}

/** Invites someone who has an account into the product, and accepts for them. */
export async function letIn(owner: Person, product: string, person: Person): Promise<void> {
  await post(owner.context, `${product}/members`, { intent: "add", identifier: person.name });
  await accept(person);
}

/** Presses Accept on the person's one invitation. */
export async function accept({ context }: Person): Promise<void> {
  const page = await (await context.request.get("/inbox?show=invitations")).text();
  const [, invitation_id = ""] = /name="invitation_id" value="([^"]+)"/.exec(page) ?? [];
  await post(context, "/inbox?show=invitations", { intent: "accept", invitation_id });
}

export const lastId = (location: string) => /([0-9a-f-]{36})(?:\?[^?]*)?$/.exec(location)?.[1] ?? "";

/** A product with one PBI, one story, three planned tasks and an active sprint, made through the application's own forms. */
export async function newWorld(context: BrowserContext): Promise<World> {
  const backlog = await post(context, "/products/new", { name: `Loom ${unique()}` });
  const productId = /products\/([^/]+)/.exec(backlog)?.[1] ?? "";
  const product = `/products/${productId}`;
  const pbiId = lastId(await post(context, backlog, { intent: "create-pbi", title: "Greet visitors" }));
  const storyId = lastId(
    await post(context, backlog, {
      intent: "create-story",
      pbi_id: pbiId,
      title: "See a greeting",
      description: "It names **me**.",
      acceptance_criteria: "- it names me",
    }),
  );
  const taskIds: string[] = [];
  for (const title of ["Write the greeting", "Show the greeting", "Check the greeting"]) {
    const made = await post(context, backlog, {
      intent: "create-task",
      story_id: storyId,
      title,
      implementation_plan: "1. Do it\n2. Test it",
    });
    taskIds.push(lastId(made));
  }
  const sprint = await post(context, `${product}/sprints`, { sprint_goal: "Say hello" });
  const sprintId = lastId(sprint);
  await post(context, sprint, { intent: "add-story", sprint_id: sprintId, story_id: storyId });
  await post(context, sprint, { intent: "start-sprint" });
  return { productId, product, storyId, taskIds, sprintId, sprint, pbiId };
}

export async function newToken(context: BrowserContext): Promise<string> {
  const answer = await context.request.post("/connect", { form: { label: "journey" } });
  const token = /blm_[A-Za-z0-9_-]{43}/.exec(await answer.text())?.[0];
  expect(token).toBeDefined();
  return token ?? "";
}

export async function callTool(
  context: BrowserContext,
  token: string,
  name: string,
  input: Record<string, unknown>,
): Promise<unknown> {
  const answer = await context.request.post("/mcp", {
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    },
    data: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } },
  });
  const text = await answer.text();
  expect(answer.ok(), text).toBe(true);
  return text;
}
