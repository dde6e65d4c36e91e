// Stands in for `claude -p` and `codex exec`: speaks their lines, keeps its conversation as they do, and notes how it was called.
// The first word is the name; with a plan asked for it answers with one, else it makes a file. FAKE_MILLISECONDS is how long it
// works after its words. Without -p or exec a person has opened a conversation, and says one thing.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

const [name, ...words] = process.argv.slice(2);
const { HOME: home, BACKLOOM_ATTEMPT: attempt, BACKLOOM_TASK_CODE: task } = process.env;
const { FAKE_MILLISECONDS: milliseconds } = process.env;
const records = {
  claude: (id) => join(home, ".claude/projects/stand-in", `${id}.jsonl`),
  codex: (id) => join(home, ".codex/sessions", `rollout-${id}.jsonl`),
};
const usage = { input_tokens: 30, output_tokens: 3 };

/** Claude Code gets a line of JSON and an open input, Codex the bare prompt. */
async function readPrompt() {
  if (name === "codex") return text(process.stdin);
  for await (const piece of process.stdin) return JSON.parse(piece).message.content[0].text;
}

function say(...lines) {
  for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`);
}

const place = words.findIndex((word) => word === "--resume" || word === "resume");
const id = place === -1 ? `${name}-${attempt}` : words[place + 1];
const record = records[name](id);
if (place !== -1 && !existsSync(record)) {
  console.error(`No conversation found with session ID: ${id}`);
  process.exit(1);
}
if (!words.includes("-p") && !words.includes("exec")) {
  appendFileSync(record, '{"said":"by a person"}\n');
  process.exit(0);
}
const prompt = await readPrompt();
const memory = join(home, "fake-session.json");
const before = place !== -1 && existsSync(memory) ? JSON.parse(readFileSync(memory, "utf8")) : [];
const calls = [...before, { name, words, prompt }];
writeFileSync(memory, JSON.stringify(calls));
mkdirSync(dirname(record), { recursive: true });
appendFileSync(record, "{}\n");

const answer = prompt.startsWith("# Plan ") ? "1. Make it" : "Made as planned.";
if (answer === "Made as planned.") writeFileSync(`${name}-${task}.txt`, "made\n");
if (name === "claude") {
  const message = { id: `m-${attempt}`, model: "claude-x", content: [{ type: "text", text: answer }], usage };
  say({ type: "system", subtype: "init", session_id: id }, { type: "assistant", message });
  await wait(Number(milliseconds ?? 0));
  say({ type: "result", subtype: "success", is_error: false, result: answer });
} else {
  say(
    { type: "thread.started", thread_id: id },
    { type: "item.completed", item: { id: "i", type: "agent_message", text: answer } },
    { type: "turn.completed", usage },
  );
}
