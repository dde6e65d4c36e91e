import { execFile } from "node:child_process";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { print } from "./base/terminal";
import { committer, git } from "./git/git";

const run = promisify(execFile);

const contextSchema = z.object({
  taskCode: z.string().nullable(),
  title: z.string(),
  plan: z.string().nullable(),
  verifyOnly: z.boolean(),
  planning: z.boolean().optional(),
  criteria: z.array(z.object({ id: z.string(), text: z.string() })),
  job: z.object({
    kind: z.string(),
    phase: z.string(),
    attempt: z.number(),
    questions: z.array(z.object({ question: z.string(), effective_answer: z.string().nullable() })),
  }),
});
type Context = z.output<typeof contextSchema>;

/** Duration of a task, so that a person can watch it. `BACKLOOM_DEMO_SECONDS` overrides it; tests use 0. */
const usualSeconds = 9;
const usualSteps = 6;

type Step = (sentence: string) => Promise<void>;

/** Acts like an agent, without a model or a key: commits, proves, asks once if asked to, reports made-up tokens. */
export async function runDemoAgent(environment: Record<string, string | undefined>) {
  const files = z.object({ BACKLOOM_CONTEXT_FILE: z.string(), BACKLOOM_RESULT_FILE: z.string() }).parse(environment);
  const text = await readFile(files.BACKLOOM_CONTEXT_FILE, "utf8");
  const context = contextSchema.parse(JSON.parse(text));
  const mayAsk = environment.BACKLOOM_DEMO_ASK === "1";
  const seconds = z.coerce.number().min(0).max(600).catch(usualSeconds);
  const milliseconds = (1000 * seconds.parse(environment.BACKLOOM_DEMO_SECONDS ?? usualSeconds)) / usualSteps;
  const step: Step = async (sentence) => {
    print(`${sentence}\n`);
    await pause(milliseconds);
  };
  const result = await work(context, mayAsk, step);
  await writeFile(files.BACKLOOM_RESULT_FILE, JSON.stringify(result));
}

async function work(context: Context, mayAsk: boolean, step: Step): Promise<Record<string, unknown>> {
  const { job, title } = context;
  await step(`Reading "${title}"`);
  const usage = { model_id: "demo", input_tokens: 1200, output_tokens: 300 };
  if (job.kind === "PLAN_CHAT") return { summary: `The demo has read "${title}".`, ...usage };
  if (job.phase === "verify") {
    const evidence = context.criteria.map((criterion) => proofOf(context, criterion));
    return { summary: "The demo has looked at each criterion.", evidence, ...usage };
  }
  if (context.planning) {
    const implementation_plan = `1. Write the notes on "${title}"\n2. Commit them`;
    return { summary: "The demo has a plan.", implementation_plan, ...usage };
  }
  if (context.verifyOnly) {
    const evidence = await findProof(context, step);
    const summary = `The demo has looked at "${title}".`;
    return { summary, verify_result: "ALIGNED", evidence, ...usage };
  }
  if (mayAsk && job.questions.length === 0) {
    const options = ["In the task's file", "In a separate file"];
    const question = `Where should the notes for "${title}" go?`;
    return { question: { question, options, recommended_option: 0 }, ...usage };
  }
  await step(context.plan ? "Following the implementation plan" : "No plan: writing a note");
  const files = await commitTask(context, step);
  await step("Checking the acceptance criteria");
  const evidence = await findProof(context, step);
  const parts = files.map((path) => ({ path }));
  const guide = [{ title: `What the task asks for: ${title}`, why: "The plan names it.", parts }];
  const summary = `Wrote ${files.join(", ")}`;
  return { summary, verify_result: "ALIGNED", evidence, guide, ...usage };
}

async function commitTask(context: Context, step: Step): Promise<string[]> {
  const folder = process.cwd();
  const spelled = filesOf(context);
  const files = spelled.map(({ name }) => name);
  for (const { name, text } of spelled) {
    await step(`Writing ${name}, ${text.split("\n").length - 1} lines`);
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  if (files.length === 0) files.push(await noteTask(context, folder));
  await git(folder, "add", "--", ...files);
  const message = [`${context.taskCode}: ${context.title}`, ...answersOf(context)].join("\n\n");
  // A repeated task may find everything unchanged.
  if ((await git(folder, "status", "--porcelain", "--", ...files)) !== "") {
    await git(folder, ...committer, "commit", "--quiet", "--no-verify", "-m", message);
  }
  await step(`Committed ${files.join(", ")}`);
  return files;
}

function answersOf({ job }: Context): string[] {
  return job.questions
    .filter((question) => question.effective_answer !== null)
    .map((question) => `${question.question} ${question.effective_answer}\n`);
}

async function noteTask(context: Context, folder: string): Promise<string> {
  const { title, plan, taskCode } = context;
  const answers = answersOf(context);
  const name = `${(taskCode ?? "task").replace(/[^A-Za-z0-9._-]/g, "_")}.md`;
  await appendFile(join(folder, name), [`# ${title}\n`, plan ?? "", ...answers, ""].join("\n"));
  return name;
}

/** Code blocks of the plan that name a file, as in "```sh greet.sh". */
function filesOf({ plan }: Context): { name: string; text: string }[] {
  return [...(plan ?? "").matchAll(/^```\w+ ([\w./-]+)\n([\s\S]*?)^```/gm)].flatMap(([, name = "", text = ""]) => {
    const path = normalize(name);
    const leadsOut = path.startsWith("..") || path.startsWith("/") || path.startsWith(".git");
    return leadsOut ? [] : [{ name: path, text }];
  });
}

/** Proof of a criterion: the command it names with its output, otherwise that the work is committed. */
function proofOf({ taskCode }: Context, { id, text }: Context["criteria"][number]) {
  const [, command, printed] = /`([^`]+)`(?: prints "([^"`$\\]*)")?/.exec(text) ?? [];
  const committed = `git log --format=%s | grep -F -- '${(taskCode ?? "").replaceAll("'", "")}'`;
  if (command === undefined) return { criterion: id, command: committed };
  return { criterion: id, command: printed === undefined ? command : `${command} | grep -xF -- "${printed}"` };
}

/** Names only proof that has passed. */
async function findProof(context: Context, step: Step): Promise<ReturnType<typeof proofOf>[]> {
  const found: ReturnType<typeof proofOf>[] = [];
  for (const criterion of context.criteria) {
    const proof = proofOf(context, criterion);
    const holds = await run("/bin/sh", ["-c", proof.command], { timeout: 60_000 }).then(
      () => true,
      () => false,
    );
    if (holds) found.push(proof);
    print(`${holds ? "Passed" : "Not yet"}: ${proof.command}\n`);
  }
  await step(`${found.length} of ${context.criteria.length} criteria pass`);
  return found;
}
