import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { driverNamed, drivers } from "../../worker/agents/catalog";
import type { Entry } from "../../worker/base/transcript";
import { lendSession, returnSession } from "../../worker/hand/lend-session";
import { openModel, type ScriptedModel } from "./models/open-model";
import type { Step } from "./models/script";
import { environmentFor, type RealTool, toolsHere, toolsMissing } from "./toolbox";
import { makeStage, takeTurn, type Wish } from "./turn";

const open = makeStage();
const models: ScriptedModel[] = [];
afterAll(async () => {
  await Promise.all(models.map((model) => model.close()));
});

async function openScene(tool: RealTool, script: (place: Place) => Step[]) {
  const { home, folder, git } = open();
  const path = (name: string) => tool.pathIn(folder, name);
  const model = await openModel(tool.dialect, script({ path }));
  models.push(model);
  const environment = environmentFor(tool, home, model);
  const take = (words: string, wish: Partial<Wish> = {}, watch?: (entry: Entry) => void) =>
    takeTurn(
      driverNamed(tool.agent),
      words,
      // opencode tries five times before it gives up, and says nothing of it.
      { folder, environment, silenceSeconds: 180, ...wish },
      watch,
    );
  return { model, folder, git, take, environment, home };
}

function driverNeeds(agent: string) {
  const driver = drivers.find(({ name }) => name === agent);
  if (driver === undefined) throw new Error(`There is no ${agent}`);
  return driver.needs;
}

interface Place {
  path(name: string): string;
}

const write = (path: string, text: string): Step => ({ write: { path, text } });

/** The four counts of all that was told, the way the model counts them. */
function sum(usages: Awaited<ReturnType<typeof takeTurn>>["usages"]) {
  const total = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  for (const usage of usages) {
    total.input += usage.freshInput ?? 0;
    total.output += usage.output ?? 0;
    total.cacheRead += usage.cacheRead ?? 0;
    total.cacheWrite += usage.cacheWrite ?? 0;
  }
  return total;
}

const limits: Record<RealTool["dialect"], Record<string, Step>> = {
  anthropic: {
    429: failing(429, "rate_limit_error", "Rate limit reached. Please try again in 2s."),
    529: failing(529, "overloaded_error", "Overloaded"),
    limit: failing(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
  },
  responses: {
    429: failing(429, "rate_limit_exceeded", "Rate limit reached. Please try again in 2s."),
    529: failing(503, "server_is_overloaded", "Overloaded"),
    limit: failing(429, "usage_limit_reached", "The usage limit has been reached"),
  },
  gemini: {
    429: failing(429, "RESOURCE_EXHAUSTED", "Rate limit reached. Please try again in 2s."),
    529: failing(503, "UNAVAILABLE", "The model is overloaded"),
    limit: failing(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan"),
  },
  chat: {
    429: failing(429, "rate_limit_exceeded", "Rate limit reached. Please try again in 2s."),
    529: failing(503, "overloaded_error", "Overloaded"),
    limit: failing(429, "insufficient_quota", "You exceeded your current quota"),
  },
};

function failing(status: number, type: string, message: string): Step {
  return { fail: { status, type, message } };
}

it("A test run says which real tools it ran, and which are not in the cache", () => {
  const names = (tools: readonly RealTool[]) => tools.map(({ way }) => way).join(", ") || "none";
  console.log(`Real agents run: ${names(toolsHere)}; not installed: ${names(toolsMissing)}`);
});

for (const tool of toolsHere) {
  describe(`${tool.way} itself, with a scripted model`, { timeout: 240_000 }, () => {
    it("A real agent does a task: file, command, commit, last words, tokens as its model counted them", async () => {
      const { model, folder, git, take } = await openScene(tool, ({ path }) => [
        write(path("made.txt"), "one\ntwo\n"),
        // Codex does not tell of a command that ends within its first moments.
        { run: "sleep 1; cat made.txt && git add made.txt && git commit -qm Made && echo committed" },
        { say: "The file is made." },
      ]);
      const { end, entries, usages, sessions } = await take("Make a file.");
      expect(end).toMatchObject({ kind: "done", words: "The file is made." });
      expect(readFileSync(join(folder, "made.txt"), "utf8")).toContain("one\ntwo");
      if (tool.mayCommit) expect(git("log", "-1", "--format=%s")).toBe("Made");
      expect(entries).toContainEqual(expect.objectContaining({ kind: "edit", path: "made.txt", status: "done" }));
      expect(entries).toContainEqual(
        expect.objectContaining({
          kind: "command",
          title: expect.stringContaining("git commit -qm Made"),
          status: tool.mayCommit ? "done" : "failed",
        }),
      );
      expect(sessions).toHaveLength(1);
      expect(sum(usages)).toEqual(model.said);
      expect(usages.every(({ model: name }) => name !== null)).toBe(true);
      expect(usages.some(({ cost }) => cost !== null && cost > 0)).toBe(tool.tellsCost);
    });

    it("A real agent continues its session: its model hears both turns, and the tokens of each count once", async () => {
      const { model, take } = await openScene(tool, () => [{ say: "Which color shall it be?" }]);
      const first = await take("Paint the fence, and ask me for the color.");
      expect(sum(first.usages)).toEqual(model.said);
      const before = { ...model.said };
      model.goOnWith([{ say: "It is green now." }]);
      const sessionId = first.end?.sessionId ?? undefined;
      const second = await take("Green, please.", { sessionId });
      expect(second.end).toMatchObject({ kind: "done", words: "It is green now.", sessionId });
      const heard = JSON.stringify(model.asked.at(-1));
      for (const words of ["Paint the fence", "Which color", "Green, please."]) {
        expect(heard).toContain(words);
      }
      const both = sum([...first.usages, ...second.usages]);
      expect(both).toEqual(model.said);
      expect(model.said.input).toBe(before.input * 2);
      const told = second.entries.map(({ text }) => text).join("");
      expect(told).toContain("It is green now.");
      expect(told).not.toContain("Which color");
    });

    it("A real agent's session continues in the home of a person who takes over, and returns with their words", async () => {
      const { sessions: kept, home: place } = driverNeeds(tool.agent);
      if (kept === undefined || tool.agent === "gemini") return;
      const { model, take, environment, home } = await openScene(tool, () => [{ say: "Red." }]);
      const sessionId = (await take("Which color?")).end?.sessionId ?? "";
      // What was the home of the tool is now that of a job in a sandbox, and the person has another.
      const job = { id: "job" };
      const worker = join(home, "..", `worker-${tool.way.replaceAll(" ", "-")}`);
      const inside = join(worker, "homes", job.id, kept.folder);
      cpSync(join(home, kept.folder), inside, { recursive: true });
      rmSync(join(home, kept.folder), { recursive: true });
      for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
      expect(place.moved && environment[place.moved.variable]).toBeUndefined();
      const held = { agent: tool.agent, sessionId, home: worker, job };
      const lent = await lendSession(held);
      expect(lent).toHaveLength(1);
      model.goOnWith([{ say: "Green." }]);
      expect((await take("And now?", { sessionId })).end).toMatchObject({ words: "Green." });
      expect(JSON.stringify(model.asked.at(-1))).toContain("Which color?");
      await returnSession(held, lent ?? []);
      vi.unstubAllEnvs();
      expect(readFileSync(join(inside, lent?.[0] ?? ""), "utf8")).toContain("Green.");
      expect(existsSync(join(home, kept.folder, lent?.[0] ?? ""))).toBe(false);
    });

    it.each(["429", "529", "limit"])("A real agent takes a %s in the middle of its work for a pause", async (name) => {
      const stop = limits[tool.dialect][name];
      if (stop === undefined) throw new Error(`There is no ${name}`);
      const { model, folder, take } = await openScene(tool, ({ path }) => [write(path("half.txt"), "half\n"), stop]);
      const { end, usages } = await take("Make two files.");
      expect(end).toMatchObject({ kind: "limit" });
      expect(existsSync(join(folder, "half.txt"))).toBe(true);
      expect(sum(usages)).toEqual(model.said);
    });

    it("A real agent ends within seconds when it is cancelled", async () => {
      const { model, take } = await openScene(tool, ({ path }) => [write(path("half.txt"), "half\n"), { hang: true }]);
      const stop = new AbortController();
      let cancelledAt = 0;
      void model.hung.then(() => {
        cancelledAt = Date.now();
        stop.abort(new Error("cancelled"));
      });
      const { thrown, usages } = await take("Make two files.", { signal: stop.signal });
      const tookSeconds = (Date.now() - cancelledAt) / 1000;
      expect(thrown).toMatchObject({ message: "cancelled" });
      expect(tookSeconds).toBeLessThan(tool.agent === "opencode" ? 20 : 5);
      expect(sum(usages)).toEqual(model.said);
    });
  });
}
