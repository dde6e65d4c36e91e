// An agent that speaks the Agent Client Protocol and ends in the way that FAKE_ENDING names, or the file `ending` of its home. It needs no model.
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { agent, ndJsonStream, RequestError } from "@agentclientprotocol/sdk/unstable";

const ending = process.env.FAKE_ENDING ?? readFileSync(join(process.env.HOME, "ending"), "utf8");
const memory = join(process.env.HOME, "fake-session.json");
const usage = { inputTokens: 300, outputTokens: 30, cachedReadTokens: 120, cachedWriteTokens: 7, totalTokens: 457 };
const author = ["-c", "user.name=Fake", "-c", "user.email=fake@example.com"];
const cancelled = new AbortController();
let stopPrompt = () => undefined;
let calls = 0;

const app = agent({ name: "fake" })
  .onRequest("initialize", () => ({
    protocolVersion: 1,
    agentInfo: { name: "fake", version: "1" },
    agentCapabilities: { loadSession: true },
    authMethods: [],
  }))
  .onRequest("session/new", ({ params }) => {
    if (ending === "signed-out") throw RequestError.authRequired();
    remember({ cwd: params.cwd, words: [] });
    return { sessionId: "fake-1", modes };
  })
  .onRequest("session/load", async ({ params, client }) => {
    // As Gemini CLI 0.61 says it.
    if (ending === "forgetful")
      throw RequestError.internalError({ details: "No previous sessions found for this project." });
    if (!existsSync(memory)) throw RequestError.sessionNotFound(params.sessionId);
    for (const text of recall().words) await tell(client, "agent_message_chunk", text);
    if (ending === "costs-told-first") await tellCost(client, recall().words.length);
    return { modes };
  })
  .onRequest("session/set_mode", () => ({}))
  .onNotification("session/cancel", () => {
    cancelled.abort();
    stopPrompt();
  })
  .onRequest("session/prompt", async ({ params, client }) => {
    const words = params.prompt.map((block) => block.text ?? "").join("\n");
    remember({ ...recall(), words: [...recall().words, words] });
    return await act(client, words);
  });
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

const modes = { currentModeId: "default", availableModes: [{ id: "default", name: "Default" }] };

async function act(client, words) {
  switch (ending) {
    case "done": {
      await tell(client, "agent_thought_chunk", "What is there to do?");
      await tell(client, "agent_message_chunk", "I write ");
      await tell(client, "agent_message_chunk", "the file.");
      await plan(client);
      await edit(client, "made.txt", "one\ntwo\n");
      await command(client, "echo made", "made\n");
      await tell(client, "agent_message_chunk", "All done.");
      await news(client, { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.25, currency: "USD" } });
      return { stopReason: "end_turn", usage };
    }
    case "plans": {
      if (/^# Plan /.test(words)) {
        await tell(client, "agent_message_chunk", "1. Make it");
        return { stopReason: "end_turn", usage };
      }
      writeFileSync(join(recall().cwd, "planned.txt"), "made");
      await tell(client, "agent_message_chunk", "Made as planned.");
      return { stopReason: "end_turn", usage };
    }
    case "steered": {
      // Works until someone says stop, and then does what it is told.
      await command(client, "npm test");
      if (recall().words.length === 1 && !/Use tabs/.test(words)) {
        await new Promise((resolve) => cancelled.signal.addEventListener("abort", resolve));
        return { stopReason: "cancelled", usage };
      }
      await edit(client, "told.txt", words);
      await tell(client, "agent_message_chunk", "Done as told.");
      return { stopReason: "end_turn", usage };
    }
    case "patient": {
      // Notes what it is told, works for a while, and stops whenever it is asked to.
      const { BACKLOOM_ATTEMPT: attempt, FAKE_HEARD, FAKE_MILLISECONDS } = process.env;
      appendFileSync(FAKE_HEARD, `${JSON.stringify({ attempt, words })}\n`);
      await command(client, "make");
      const reason = await new Promise((resolve) => {
        const end = setTimeout(() => resolve("end_turn"), Number(FAKE_MILLISECONDS));
        stopPrompt = () => {
          clearTimeout(end);
          resolve("cancelled");
        };
      });
      await edit(client, `made-${attempt}.txt`, "made\n");
      if (reason === "end_turn") await tell(client, "agent_message_chunk", "Made.");
      return { stopReason: reason, usage };
    }
    case "resumed":
    case "forgetful":
      await tell(client, "agent_message_chunk", `I was told ${recall().words.length} times. ${words}`);
      return { stopReason: "end_turn", usage };
    case "permission": {
      const outcome = await permission(client, process.env.FAKE_COMMAND ?? "npm publish");
      if (outcome !== "allow") return { stopReason: cancelled.signal.aborted ? "cancelled" : "end_turn", usage };
      await command(client, "npm publish", "published\n");
      await edit(client, "published.txt", "1.0.0\n");
      await tell(client, "agent_message_chunk", "Published.");
      return { stopReason: "end_turn", usage };
    }
    case "permission-with-paths": {
      // As Claude Code asks: with the folder in the command, and where it stands beside it.
      const { cwd } = recall();
      const title = `cd ${cwd} && npm publish ${cwd}/README.md`;
      const outcome = await permission(client, title, "execute", `${cwd}/README.md`);
      if (outcome !== "allow") return { stopReason: "cancelled", usage };
      await edit(client, "published.txt", "1.0.0\n");
      await tell(client, "agent_message_chunk", "Published.");
      return { stopReason: "end_turn", usage };
    }
    case "question-after-words":
    case "question": {
      if (ending === "question-after-words") await tell(client, "agent_message_chunk", "I chose the oak table.");
      const answer = await client.request("elicitation/create", {
        mode: "form",
        sessionId: "fake-1",
        message: "Which color?",
        requestedSchema: {
          type: "object",
          properties: {
            color: {
              type: "string",
              oneOf: [
                { const: "r", title: "Red" },
                { const: "g", title: "Green" },
              ],
            },
          },
        },
      });
      if (answer.action !== "accept") return { stopReason: "cancelled", usage };
      await tell(client, "agent_message_chunk", `It is ${answer.content.color}.`);
      return { stopReason: "end_turn", usage };
    }
    case "denied":
      await permission(client, "Write outside.txt", "edit", process.env.FAKE_PATH ?? "/etc/outside.txt");
      await tell(client, "agent_message_chunk", "I may not.");
      return { stopReason: "end_turn", usage };
    case "limit":
      await edit(client, "half.txt", "half\n");
      throw new RequestError(429, "Rate limit reached. Please try again in 90s.");
    case "limit-in-words":
      throw new RequestError(-32603, "Internal error", {
        message: "You’ve hit your usage limit. Try again later.",
        codexErrorInfo: "usageLimitExceeded",
      });
    case "limit-with-a-smile":
      await news(client, {
        sessionUpdate: "session_info_update",
        _meta: {
          codex: {
            error: {
              message: "Reconnecting... 1/1",
              additionalDetails: "exceeded retry limit, last status: 429 Too Many Requests",
            },
          },
        },
      });
      await news(client, {
        sessionUpdate: "session_info_update",
        _meta: { codex: { threadStatus: { type: "systemError" } } },
      });
      return { stopReason: "end_turn", usage };
    case "refusal":
      return { stopReason: "refusal", usage };
    case "error":
      throw new RequestError(-32603, "The model does not exist");
    case "child-killed":
      throw new RequestError(
        -32603,
        "Internal error: The Claude Agent process exited unexpectedly. Please start a new session.",
      );
    case "server-killed":
      throw new RequestError(
        -32603,
        "The Codex app-server was killed by SIGKILL, which usually means it ran out of memory.",
      );
    case "crash":
      await edit(client, "half.txt", "half\n");
      process.stderr.write("out of memory\n");
      process.kill(process.pid, "SIGKILL");
      return never();
    case "gone":
      process.exit(3);
      return never();
    case "silence":
      await tell(client, "agent_message_chunk", "Let me think.");
      spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
      return never();
    case "cancel": {
      await tell(client, "agent_message_chunk", "I begin.");
      const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
      writeFileSync(join(recall().cwd, "child.pid"), String(child.pid));
      await command(client, "sleep 300");
      await new Promise((resolve) => cancelled.signal.addEventListener("abort", resolve));
      return { stopReason: "cancelled", usage };
    }
    case "huge": {
      const line = `${"x".repeat(999)}\n`;
      await command(client, "cat big", line.repeat(20_000));
      for (let index = 0; index < 2_000; index += 1) await tell(client, "agent_message_chunk", line);
      await tell(client, "agent_message_chunk", "The end.");
      return { stopReason: "end_turn", usage };
    }
    case "spends": {
      // Again and again half a dollar, until someone says that it is enough; told twice, it finishes.
      if (recall().words.length > 1) {
        await edit(client, "finished.txt", "finished\n");
        await tell(client, "agent_message_chunk", "Finished at last.");
        return { stopReason: "end_turn", usage };
      }
      await edit(client, "begun.txt", "begun\n");
      for (let amount = 0.5; !cancelled.signal.aborted; amount += 0.5) {
        const cost = { amount, currency: "USD" };
        await news(client, { sessionUpdate: "usage_update", used: 1, size: 2, cost });
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
      return { stopReason: "cancelled", usage };
    }
    case "commits": {
      // A commit, then a wait until someone says go on, then another one.
      for (const step of ["first", "second"]) {
        await edit(client, `${step}.txt`, `${step}\n`);
        execFileSync("git", ["add", "-A"], { cwd: recall().cwd });
        execFileSync("git", [...author, "commit", "--quiet", "-m", step], { cwd: recall().cwd });
        await news(client, {
          sessionUpdate: "usage_update",
          used: 1,
          size: 2,
          cost: { amount: step === "first" ? 0.25 : 0.5, currency: "USD" },
        });
        await tell(client, "agent_message_chunk", `I have made the ${step} file.\n`);
        while (step === "first" && !existsSync(join(process.env.HOME, "go-on"))) {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
      return { stopReason: "end_turn", usage };
    }
    case "costs":
    case "costs-told-first": {
      // As the protocol has it: what the whole session has cost, each turn half a dollar.
      const turns = recall().words.length;
      const { FAKE_NAME = "turn", FAKE_MILLISECONDS = "0", HOME } = process.env;
      await edit(client, `${FAKE_NAME}-${turns}.txt`, "more\n");
      await tellCost(client, turns - 0.5);
      await new Promise((resolve) => setTimeout(resolve, Number(FAKE_MILLISECONDS)));
      await tellCost(client, turns);
      // Empty: the first turn is at a limit of a second. With a number of seconds: every turn is.
      const limit = join(HOME, "limit-first");
      const seconds = existsSync(limit) ? readFileSync(limit, "utf8") : null;
      if (seconds || (seconds === "" && turns === 1))
        throw new RequestError(429, `Rate limit reached. Please try again in ${seconds || 1}s.`);
      return { stopReason: "end_turn", usage };
    }
    case "costs-anew":
      await tellCost(client, 1);
      return { stopReason: "end_turn", usage };
    case "chatter":
      process.stdout.write("this is no JSON\n");
      await news(client, { sessionUpdate: "something_of_tomorrow", value: 1 });
      await tell(client, "agent_message_chunk", "Still here.");
      return { stopReason: "end_turn" };
    case "secrets": {
      const secrets = JSON.parse(process.env.FAKE_SECRETS);
      for (const secret of secrets) {
        const text = `before ${secret} after\n`;
        // In pieces, as models speak.
        for (const piece of text.match(/[\s\S]{1,3}/g)) await tell(client, "agent_message_chunk", piece);
        await command(client, `echo ${secret}`, `${secret}\n`);
        await edit(client, "secret.txt", `key: ${secret}\n`);
      }
      throw new RequestError(-32603, `It failed with ${secrets.join(" ")}`);
    }
    default:
      throw new Error(`There is no ending ${ending}`);
  }
}

function news(client, update) {
  return client.notify("session/update", { sessionId: "fake-1", update });
}

/** So many turns, each at half a dollar unless FAKE_PRICE says otherwise. */
function tellCost(client, turns) {
  const cost = { amount: turns * Number(process.env.FAKE_PRICE ?? 0.5), currency: "USD" };
  return news(client, { sessionUpdate: "usage_update", used: 1, size: 2, cost });
}

function tell(client, sessionUpdate, text) {
  return news(client, { sessionUpdate, content: { type: "text", text } });
}

function plan(client) {
  const entries = [
    { content: "Write it", priority: "high", status: "completed" },
    { content: "Test it", priority: "high", status: "pending" },
  ];
  return news(client, { sessionUpdate: "plan", entries });
}

async function edit(client, path, newText) {
  calls += 1;
  const full = join(recall().cwd, path);
  const call = { toolCallId: `call-${calls}`, title: `Write ${path}`, kind: "edit", locations: [{ path: full }] };
  await news(client, { sessionUpdate: "tool_call", ...call, status: "pending" });
  writeFileSync(full, newText);
  const content = [{ type: "diff", path: full, oldText: null, newText }];
  await news(client, { sessionUpdate: "tool_call_update", ...call, status: "completed", content });
}

async function command(client, title, output) {
  calls += 1;
  const call = { toolCallId: `call-${calls}`, title, kind: "execute", rawInput: { command: title } };
  await news(client, { sessionUpdate: "tool_call", ...call, status: "in_progress" });
  if (output === undefined) return;
  const content = [{ type: "content", content: { type: "text", text: output } }];
  await news(client, { sessionUpdate: "tool_call_update", ...call, status: "completed", content });
}

async function permission(client, title, kind = "execute", path = undefined) {
  const answer = await client.request("session/request_permission", {
    sessionId: "fake-1",
    toolCall: { toolCallId: "call-p", title, kind, locations: path ? [{ path }] : [] },
    options: [
      { optionId: "allow", name: "Yes", kind: "allow_once" },
      { optionId: "reject", name: "No", kind: "reject_once" },
    ],
  });
  return answer.outcome.outcome === "selected" ? answer.outcome.optionId : "cancelled";
}

function remember(state) {
  writeFileSync(memory, JSON.stringify(state));
}

function recall() {
  return JSON.parse(readFileSync(memory, "utf8"));
}

function never() {
  setInterval(() => undefined, 60_000);
  return new Promise(() => undefined);
}
