import { expect, it } from "vitest";
import { acceptStory } from "~/nouns/stories/operations.server";
import { openBacklog } from "../setup/app";
import { createVisitor } from "../setup/page-forms";

const {
  t,
  app,
  owner,
  backlog: { product, pbi },
} = await openBacklog({ pages: true });
const member = await t.createMember(product.id);
const cookie = await app.signIn(owner);
const visitor = createVisitor(app, cookie);
const other = await app.visitorOf(member);
const settings = `/products/${product.id}/settings/integrations`;
const triage = `/products/${product.id}/triage`;

async function address(): Promise<string | undefined> {
  const html = await visitor.read(settings);
  return /http:\/\/[^\s"<]*(\/hooks\/in\/[\w-]{43})/.exec(html)?.[1];
}

async function bring(title: string, url = "https://alerts.example/1") {
  const item = { title, url, external_id: title, text: "**Bold** <b>no</b>" };
  const answer = await app.send("POST", (await address()) ?? "", item);
  expect(answer.status).toBe(201);
  return answer.json();
}

it("The owner can create, renew and revoke the intake address in the settings, hidden from members", async () => {
  expect(await address()).toBeUndefined();
  await visitor.submit(settings, "set-intake");
  const first = await address();
  expect(first).toBeDefined();
  await visitor.submit(settings, "set-intake");
  expect(await address()).not.toBe(first);
  expect(await other.read(settings)).not.toContain("/hooks/in/");
  await visitor.submit(settings, "revoke-intake");
  expect(await address()).toBeUndefined();
  await visitor.submit(settings, "set-intake");
});

it("Intake items appear on the triage page with their link and no raw HTML, and count in the inbox", async () => {
  await bring("Disk full");
  await bring("Login slow", "https://alerts.example/2");
  const html = await visitor.read(triage);
  expect(html).toContain('href="https://alerts.example/2"');
  expect(html).toContain(">Hook<");
  expect(html).toContain("<strong>Bold</strong>");
  expect(html).not.toContain("<b>no</b>");
  const inbox = await other.read(`/inbox?item=triage:${product.id}`);
  expect(inbox).toContain("2 in Triage");
  expect(inbox).toContain("Login slow");
  expect(inbox).toContain(`href="${triage}"`);
});

it("Intake marked as done leaves the inbox and returns with the next item", async () => {
  await other.submit("/inbox", "mark", { mark: "done", kind: "triage" });
  expect(await other.read("/inbox")).not.toContain("in Triage");
  await bring("Third");
  expect(await other.read("/inbox")).toContain("3 in Triage");
});

it("An intake item can be accepted, and accepting it can be undone", async () => {
  const { id } = await bring("Undone");
  const state = async () => (await t.query`select status, pbi_id from stories where id = ${id}`)[0];
  await visitor.submit(triage, "accept", { story_id: id, pbi_id: pbi.id });
  expect(await state()).toEqual({ status: "OPEN", pbi_id: pbi.id });
  const undo = await visitor.send("/undo", [["intent", "undo"]]);
  expect(undo.status).toBeLessThan(400);
  expect(await state()).toMatchObject({ status: "TRIAGE" });
  await acceptStory(t.actorOf(owner), { story_id: id });
});
