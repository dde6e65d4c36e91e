import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { PersonMessage } from "~/wire/comments/contract";
import { acpCommand } from "../../worker/agents/acp/agent";
import { driverNamed } from "../../worker/agents/catalog";
import { openMessages } from "../../worker/job/turn/messages";
import { openModel, type ScriptedModel } from "./models/open-model";
import { environmentFor, toolsHere } from "./toolbox";
import { makeStage, takeTurn } from "./turn";

const open = makeStage();
const program = fileURLToPath(new URL("fake-agent.mjs", import.meta.url));
const fake = acpCommand(`exec "${process.execPath}" "${program}"`);
const models: ScriptedModel[] = [];
afterAll(async () => {
  await Promise.all(models.map((model) => model.close()));
});

const message: PersonMessage = {
  id: "6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b",
  about: "T-1",
  author: "ada",
  text: "Use tabs, not spaces.",
  sent_at: "2026-11-23T12:00:00.000Z",
};

it("An agent is stopped and told in the same session what a person writes", async () => {
  const { home, folder } = open();
  const messages = openMessages();
  const told: string[] = [];
  messages.onSeen = () => told.push(...messages.toConfirm());
  const environment = { PATH: process.env.PATH ?? "", HOME: home, FAKE_ENDING: "steered" };
  const { end, usages, sessions } = await takeTurn(
    fake,
    "Do the work",
    { folder, environment, messages },
    ({ kind }) => kind === "command" && messages.arrive([message]),
  );
  expect(end).toMatchObject({ kind: "done", words: expect.stringContaining("Done as told.") });
  const words = readFileSync(join(folder, "told.txt"), "utf8");
  expect(words).toContain("ada, about T-1:\n\n> Use tabs, not spaces.");
  expect(words).not.toContain("Do the work");
  expect(sessions).toEqual(["fake-1"]);
  expect(usages).toMatchObject([{ freshInput: 600, output: 60 }]);
  expect(told).toEqual([message.id]);
});

it("An agent is not stopped for a message from before it began, and hears a message once", async () => {
  const { home, folder } = open();
  const messages = openMessages();
  messages.arrive([message]);
  const environment = { PATH: process.env.PATH ?? "", HOME: home, FAKE_ENDING: "steered" };
  await takeTurn(fake, "Do the work", { folder, environment, messages }, () => messages.arrive([message]));
  const words = readFileSync(join(folder, "told.txt"), "utf8");
  expect(words).toMatch(/^Do the work\n\n/);
  expect(words.match(/Use tabs/g)).toHaveLength(1);
  expect(messages.toConfirm()).toEqual([message.id]);
  expect(messages.hasWaiting()).toBe(false);
});

for (const tool of toolsHere) {
  describe(`${tool.way} itself, with a scripted model`, { timeout: 240_000 }, () => {
    it("A real agent hears what a person writes during a command, or leaves it for the next turn", async () => {
      const { home, folder } = open();
      const go = join(folder, "go");
      const model = await openModel(tool.dialect, [
        { run: `touch begun; while [ ! -e '${go}' ]; do sleep 0.1; done; echo ran` },
        { write: { path: tool.pathIn(folder, "steered.txt"), text: "tabs\n" } },
        { say: "Done as told." },
      ]);
      models.push(model);
      const messages = openMessages();
      const wish = {
        folder,
        environment: environmentFor(tool, home, model),
        silenceSeconds: 180,
        allow: "all" as const,
        messages,
      };
      const { end } = await takeTurn(driverNamed(tool.agent), "Make a file.", wish, ({ kind }) => {
        if (kind !== "command" || existsSync(go)) return;
        messages.arrive([message]);
        writeFileSync(go, "");
      });
      expect(end).toMatchObject({ kind: "done", words: "Done as told." });
      const asked = JSON.stringify(model.asked);
      if (tool.way === "codex exec") {
        expect(messages.takeWaiting()).toEqual([message]);
        expect(asked).not.toContain(message.text);
        return;
      }
      expect(asked).toContain(message.text);
      expect(readFileSync(join(folder, "steered.txt"), "utf8")).toContain("tabs");
      expect(messages.hasWaiting()).toBe(false);
      expect(messages.toConfirm()).toEqual([message.id]);
    });
  });
}
