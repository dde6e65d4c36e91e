import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { committer, git } from "./git";

const contextSchema = z.object({
  taskCode: z.string().nullable(),
  title: z.string(),
  plan: z.string().nullable(),
  verifyOnly: z.boolean(),
  job: z.object({
    kind: z.string(),
    attempt: z.number(),
    questions: z.array(z.object({ question: z.string(), effective_answer: z.string().nullable() })),
  }),
});
type Context = z.output<typeof contextSchema>;

/**
 * The built-in command: works like an agent, without a model and without a key. It commits one file for each task, asks one
 * question when it is told to, and reports made-up tokens, so that the whole loop can be seen.
 */
export async function runDemoAgent(environment: Record<string, string | undefined>) {
  const files = z
    .object({ BACKLOOM_CONTEXT_FILE: z.string(), BACKLOOM_RESULT_FILE: z.string() })
    .parse(environment);
  const text = await readFile(files.BACKLOOM_CONTEXT_FILE, "utf8");
  const context = contextSchema.parse(JSON.parse(text));
  const mayAsk = environment.BACKLOOM_DEMO_ASK === "1";
  const result = await work(context, mayAsk);
  await writeFile(files.BACKLOOM_RESULT_FILE, JSON.stringify(result));
}

async function work(context: Context, mayAsk: boolean): Promise<Record<string, unknown>> {
  const { job, title } = context;
  const usage = { model_id: "demo", input_tokens: 1200, output_tokens: 300 };
  if (job.kind === "PLAN_CHAT") return { summary: `The demo has read "${title}".`, ...usage };
  if (context.verifyOnly) {
    return { summary: `The demo has looked at "${title}".`, verify_result: "ALIGNED", ...usage };
  }
  if (mayAsk && job.questions.length === 0) {
    const options = ["In the file of the task", "In a file of its own"];
    const question = `Where should the notes on "${title}" stand?`;
    return { question: { question, options, recommended_option: 0 }, ...usage };
  }
  await commitTask(context);
  return { summary: `Wrote ${fileOf(context)}`, verify_result: "ALIGNED", ...usage };
}

async function commitTask(context: Context): Promise<void> {
  const { title, plan, job } = context;
  const answers = job.questions
    .filter((question) => question.effective_answer !== null)
    .map((question) => `${question.question} ${question.effective_answer}\n`);
  const folder = process.cwd();
  const body = [`# ${title}\n`, plan ?? "", ...answers, ""].join("\n");
  await appendFile(join(folder, fileOf(context)), body);
  await git(folder, "add", "--", fileOf(context));
  const message = `${context.taskCode}: ${title}`;
  await git(folder, ...committer, "commit", "--quiet", "--no-verify", "-m", message);
  process.stdout.write(`committed ${fileOf(context)}\n`);
}

function fileOf({ taskCode }: Context): string {
  return `${(taskCode ?? "task").replace(/[^A-Za-z0-9._-]/g, "_")}.md`;
}
