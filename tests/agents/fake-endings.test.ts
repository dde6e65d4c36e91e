import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { acpCommand } from "../../worker/agents/acp/agent";
import { fakeAgent, isAlive } from "../worker/worker-process";
import { inOne, makeStage, takeTurn, type Wish } from "./turn";

const fake = acpCommand(`exec "${process.execPath}" "${fakeAgent}"`);
const open = makeStage();

function scene(ending: string, environment: Record<string, string> = {}) {
  const { home, folder } = open();
  const own = { PATH: process.env.PATH ?? "", HOME: home, FAKE_ENDING: ending, ...environment };
  return { folder, environment: own };
}

function play(ending: string, wish: Partial<Wish> = {}) {
  return takeTurn(fake, "Do the work", { ...scene(ending), ...wish });
}

it("An agent is heard word by word, edit by edit, and ends with its last words and its usage", async () => {
  const place = scene("done");
  const { entries, usages, sessions, end } = await takeTurn(fake, "Do the work", place);
  expect(inOne(entries)).toEqual([
    { kind: "thought", text: "What is there to do?" },
    { kind: "text", text: "I write the file." },
    { kind: "plan", text: "[x] Write it\n[ ] Test it" },
    { kind: "edit", text: "", title: "Write made.txt", path: "made.txt", status: "running" },
    { kind: "edit", text: "+one\n+two\n+", title: "Write made.txt", path: "made.txt", status: "done" },
    { kind: "command", text: "", title: "echo made", status: "running" },
    { kind: "command", text: "made\n", title: "echo made", status: "done" },
    { kind: "text", text: "All done." },
  ]);
  expect(sessions).toEqual(["fake-1"]);
  expect(usages).toEqual([
    { model: null, freshInput: 300, output: 30, cacheRead: 120, cacheWrite: 7, cost: 0.25, currency: "USD" },
  ]);
  expect(end).toEqual({ kind: "done", words: "All done.", sessionId: "fake-1", denied: [] });
  expect(readFileSync(join(place.folder, "made.txt"), "utf8")).toBe("one\ntwo\n");
});

it("An agent continues its session, and what was said before is not told again", async () => {
  const place = scene("resumed");
  await takeTurn(fake, "First words", place);
  const { entries, end } = await takeTurn(fake, "More words", { ...place, sessionId: "fake-1" });
  expect(end?.words).toBe("I was told 2 times. More words");
  expect(inOne(entries)).toMatchObject([{ text: "I was told 2 times. More words" }]);
  const lost = await play("resumed", { sessionId: "fake-1" });
  expect(lost.end?.words).toBe("I was told 1 times. Do the work");
});

it.each([
  { ending: "costs", known: 0.5, why: "it was told where the session stood" },
  { ending: "costs-told-first", known: undefined, why: "the agent tells where it stands" },
  { ending: "costs-anew", known: 7, why: "its count is below what was known" },
])("A continued session counts only the cost of its new turn: $why", async (is) => {
  const place = scene(is.ending);
  const first = await takeTurn(fake, "First words", place);
  expect(first.usages).toMatchObject([{ cost: 0.5, currency: "USD", freshInput: 300 }]);
  expect(first.cost).toEqual({ amount: 0.5, currency: "USD" });
  const second = await takeTurn(fake, "More words", {
    ...place,
    sessionId: "fake-1",
    sessionCost: is.known === undefined ? undefined : { amount: is.known, currency: "USD" },
  });
  expect(second.usages).toMatchObject([{ cost: 0.5, currency: "USD" }]);
  expect(second.soFar.at(-1)).toMatchObject([{ cost: 0.5 }]);
});

it("An agent asks a person for what is not allowed, and acts on the answer in the same session", async () => {
  const place = { ...scene("permission"), allow: "edit" as const };
  const asking = await takeTurn(fake, "Publish it", place);
  expect(asking.end).toMatchObject({
    kind: "question",
    question: { options: ["Allow", "Deny"] },
    sessionId: "fake-1",
    denied: ["npm publish"],
  });
  expect(asking.usages).toMatchObject([{ freshInput: 300 }]);
  const question = asking.end?.kind === "question" ? asking.end.question.question : "";
  expect(question).toContain("may it run this? npm publish");
  const go = (answer: string) =>
    takeTurn(fake, "Go on", { ...place, sessionId: "fake-1", answers: [{ kind: "permission", question, answer }] });
  expect((await go("Allow")).end).toMatchObject({ kind: "done", words: "Published." });
  expect((await go("Deny")).end).toMatchObject({ kind: "done", words: "", denied: ["npm publish"] });
});

it("What a person allowed stays allowed in the next attempt, which has another folder", async () => {
  const allow = "edit" as const;
  const asking = await play("permission-with-paths", { allow });
  const question = asking.end?.kind === "question" ? asking.end.question.question : "";
  expect(question).toContain("may it run this? cd . && npm publish README.md");
  const answers = [{ kind: "permission" as const, question, answer: "Allow" }];
  const elsewhere = { allow, answers };
  expect((await play("permission-with-paths", elsewhere)).end).toMatchObject({ kind: "done", words: "Published." });
});

it("An agent does what is allowed without asking a person", async () => {
  const run = await play("permission", { allow: "commands" });
  expect(run.end).toMatchObject({ kind: "done", words: "Published.", denied: [] });
});

it("An agent asks about files outside of its folder even where commands are allowed, not where all is", async () => {
  expect((await play("denied")).end).toMatchObject({
    kind: "question",
    denied: ["Write outside.txt"],
    question: { question: expect.stringContaining("/etc/outside.txt") },
  });
  expect((await play("denied", { allow: "all" })).end).toMatchObject({ kind: "done", denied: [] });
});

it.each([
  ["git's own file", ".git"],
  ["what git runs", ".git/hooks/post-commit"],
  ["a file below git's own", ".git/config"],
  ["the same in other letters", "inner/.GIT/config"],
  ["a file behind a link of the repository", "link/authorized_keys"],
  ["a link that leads nowhere yet", "dangling"],
  ["a file above it", "../beside.txt"],
  ["no file at all", ""],
])("An agent asks before it edits %s", async (_what, FAKE_PATH) => {
  const place = scene("denied", { FAKE_PATH });
  // As in a worktree.
  if (FAKE_PATH === ".git/config") {
    rmSync(join(place.folder, ".git"), { recursive: true });
    writeFileSync(join(place.folder, ".git"), "gitdir: elsewhere");
  }
  symlinkSync(place.environment.HOME, join(place.folder, "link"));
  symlinkSync(join(place.environment.HOME, "later"), join(place.folder, "dangling"));
  const { end } = await takeTurn(fake, "Do the work", { ...place, allow: "commands" });
  expect(end).toMatchObject({ kind: "question", denied: ["Write outside.txt"] });
});

it("An agent edits a new file of its folder without asking a person", async () => {
  const place = scene("denied", { FAKE_PATH: "new/folder/file.txt" });
  const { end } = await takeTurn(fake, "Do the work", { ...place, allow: "edit" });
  expect(end).toMatchObject({ kind: "done", denied: [] });
});

it("An agent puts its own question to a person with its choices, and takes the answer", async () => {
  const place = scene("question");
  const asking = await takeTurn(fake, "Paint it", place);
  expect(asking.end).toMatchObject({
    kind: "question",
    question: { question: "Which color?", options: ["Red", "Green"] },
  });
  const answers = [{ kind: "question" as const, question: "Which color?", answer: "Green" }];
  const told = await takeTurn(fake, "Go on", { ...place, answers, sessionId: "fake-1" });
  expect(told.end).toMatchObject({ kind: "done", words: "It is g." });
});

it.each([
  ["limit", "Rate limit reached"],
  ["limit-in-words", "hit your usage limit"],
  ["limit-with-a-smile", "429 Too Many Requests"],
])("An agent waits out a limit that shows as %s", async (ending, words) => {
  const before = Date.now();
  const { end } = await play(ending);
  expect(end).toMatchObject({ kind: "limit", reason: expect.stringContaining(words) });
  if (ending !== "limit") return;
  const resetsAt = end?.kind === "limit" ? Date.parse(end.resetsAt ?? "") : Number.NaN;
  expect(resetsAt).toBeGreaterThan(before + 89_000);
  expect(resetsAt).toBeLessThan(Date.now() + 91_000);
});

it.each([
  ["refusal", "refusal", "refused"],
  ["error", "error", "The model does not exist"],
  ["crash", "killed", "SIGKILL in the middle of its work.\nout of memory"],
  ["gone", "killed", "ended with 3"],
  ["child-killed", "killed", "process exited unexpectedly"],
  ["server-killed", "killed", "was killed by SIGKILL"],
  ["signed-out", "sign-in", "is not signed in on this machine"],
])("An agent that fails says why: %s", async (ending, cause, words) => {
  const { end } = await play(ending);
  expect(end).toMatchObject({ kind: "failed", cause, reason: expect.stringContaining(words) });
});

it("An agent whose program does not exist fails as missing", async () => {
  const missing = acpCommand("no-such-agent-anywhere");
  const { end } = await takeTurn(missing, "Do it", scene("done"));
  expect(end).toMatchObject({ kind: "failed", cause: "missing" });
});

it("An agent that says nothing for too long is stopped", async () => {
  // Longer than the agent takes to begin on a busy machine: until then it says nothing either.
  const { end, entries } = await play("silence", { silenceSeconds: 8 });
  expect(end).toMatchObject({
    kind: "failed",
    cause: "silence",
    reason: "The agent said nothing for 8 seconds and was stopped",
  });
  expect(entries.map(({ text }) => text).join("")).toBe("Let me think.");
});

it("A cancelled agent ends at once with all that it started, and its usage is told", async () => {
  const place = scene("cancel");
  const stop = new AbortController();
  const run = await takeTurn(fake, "Begin", { ...place, signal: stop.signal }, ({ title }) => {
    if (title === "sleep 300") stop.abort(new Error("cancelled"));
  });
  expect(run.thrown).toMatchObject({ message: "cancelled" });
  expect(run.usages).toMatchObject([{ freshInput: 300 }]);
  // What is killed next to the agent dies a moment later on a busy machine; its own end is five minutes away.
  const child = Number(readFileSync(join(place.folder, "child.pid"), "utf8"));
  await vi.waitFor(() => expect(isAlive(child)).toBe(false), { timeout: 60_000 });
});

it("An agent may say as much as it likes: entries stay small, and its end is heard", async () => {
  const { entries, end } = await play("huge");
  expect(end).toMatchObject({ kind: "done" });
  expect(end?.words.endsWith("The end.")).toBe(true);
  expect(Math.max(...entries.map(({ text }) => text.length))).toBeLessThanOrEqual(16_100);
  const [big] = entries.filter(({ status }) => status === "done");
  expect(big?.text).toContain("characters left out");
  const said = entries.filter(({ kind }) => kind === "text").map(({ text }) => text.length);
  expect(said.reduce((sum, length) => sum + length, 0)).toBe(2_000 * 1_000 + "The end.".length);
});

it("An agent is understood although it prints other things and sends messages that no one knows", async () => {
  const { entries, end, usages } = await play("chatter");
  expect(end).toMatchObject({ kind: "done", words: "Still here." });
  expect(inOne(entries)).toMatchObject([{ text: "Still here." }]);
  expect(usages).toEqual([]);
});

it("Secrets leave the worker nowhere: not in words, pieces, titles, edits or reasons", async () => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEow".repeat(12)}\n${"AbCd12".repeat(12)}\n-----END RSA PRIVATE KEY-----`;
  const secrets = [
    "blm_0123456789abcdefghijklmnop",
    "sk-ant-api03-0123456789abcdef",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "github_pat_0123456789abcdefghij",
    "correct horse battery staple",
    key,
  ];
  const place = scene("secrets", { FAKE_SECRETS: JSON.stringify(secrets) });
  const named = ["correct horse battery staple"];
  const heard = await takeTurn(fake, "Tell me", { ...place, secrets: named });
  const everything = JSON.stringify([heard.entries, heard.end]);
  for (const secret of [...secrets, ..."MIIEowMIIEow AbCd12AbCd12 battery".split(" ")]) {
    expect(everything).not.toContain(secret);
  }
  expect(everything).toContain("before ••• after");
  expect(heard.end).toMatchObject({ kind: "failed", reason: expect.stringContaining("•••") });
});
