import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { getAgentJob, getJobOutput } from "~/nouns/agent-jobs/operations.server";
import { answerQuestion } from "~/nouns/questions/operations.server";
import { addJobComment } from "~/nouns/reviews/job-comments.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { listAgentWorkers } from "~/nouns/workers/operations.server";
import { installedAgents, setups } from "../../app/routes/_app.connect/setups";
import { inOne } from "../agents/turn";
import { openStage, startRun } from "./fixture";
import { flags } from "./flags";
import { endingAgent, fakeAgent, startWorker } from "./worker-process";

const { t, app, ada, actor, token, home, repo, git, serve, serveOnce } = await openStage("--heartbeat", "0.3");

const workOnce = (product: string, ...words: string[]) => serveOnce(product, words);

it("An agent does the task: branch, last words, tokens, and all of its output to be read afterwards", async () => {
  const run = await startRun(t, ada, { code: "AGENT" });
  await workOnce("AGENT", "--agent", endingAgent(home, "AGENT", "done"));
  const [job] = (await run.read()).jobs;
  expect(job).toMatchObject({
    status: "done",
    verify_result: "PARTIAL",
    summary: "All done.",
    input_tokens: 300,
    output_tokens: 30,
    cache_read_tokens: 120,
    cache_write_tokens: 7,
  });
  expect(git("show", `${job?.branch}:made.txt`)).toBe("one\ntwo");
  const detail = await getAgentJob(actor, { job_id: String(job?.id) });
  expect(detail.attempts).toMatchObject([
    { outcome: "done", session_id: expect.any(String), usage: { input_tokens: 300 } },
  ]);
  const { entries } = await getJobOutput(actor, { job_id: String(job?.id) });
  expect(inOne(entries).map(({ kind, title, text }) => [kind, title ?? text])).toEqual([
    ["thought", "What is there to do?"],
    ["text", "I write the file."],
    ["plan", "[x] Write it\n[ ] Test it"],
    ["edit", "Write made.txt"],
    ["edit", "Write made.txt"],
    ["command", "echo made"],
    ["command", "echo made"],
    ["text", "All done."],
  ]);
});

it("An agent asks for what is not allowed, and continues in the same session with the answer", async () => {
  const run = await startRun(t, ada, { code: "ASKS" });
  const words = ["--agent", endingAgent(home, "ASKS", "permission"), "--allow", "edit"];
  expect(await workOnce("ASKS", ...words)).toMatch(/Asked: .* npm publish/);
  const [parked] = (await run.read()).jobs;
  expect(parked).toMatchObject({ status: "queued", retry_count: 0, input_tokens: 300 });
  await answerQuestion(actor, { question_id: String(parked?.parked_question_id), option: 0 });
  await workOnce("ASKS", ...words);
  const [job] = (await run.read()).jobs;
  expect(job).toMatchObject({ status: "done", summary: "Published.", input_tokens: 600 });
  expect(git("show", `${job?.branch}:published.txt`)).toBe("1.0.0");
});

it("An agent does what is not allowed only on the word of its worker's owner", async () => {
  const run = await startRun(t, ada, { code: "STRANGER" });
  const words = ["--agent", endingAgent(home, "STRANGER", "permission"), "--allow", "edit"];
  const stranger = await t.createMember(run.productId);
  const theirs = t.actorOf(stranger);
  await workOnce("STRANGER", ...words);
  const asked = String((await run.read()).jobs[0]?.parked_question_id);
  await expect(answerQuestion(theirs, { question_id: asked, option: 0 })).rejects.toThrow("Only ada can answer this");
  expect((await run.read()).jobs[0]).toMatchObject({ status: "queued", attempt: 1 });

  // Whatever the service says: an Allow that someone else has given is none, nor is one to a question in the same words.
  for (const change of ["answered_by = $2", "answered_by = $3, kind = 'question', reader_id = null"]) {
    await t.sql.query(
      `update agent_questions set status = 'ANSWERED', answer = 'Allow', answered_at = now(), ${change} where id = $1
         and ($2::uuid, $3::uuid) is not null`,
      [(await run.read()).jobs[0]?.parked_question_id, stranger.id, ada.id],
    );
    expect(await workOnce("STRANGER", ...words)).toMatch(/Asked: .* npm publish/);
  }
  expect((await run.read()).jobs[0]).toMatchObject({ status: "queued", attempt: 3 });
});

it("An agent that was denied its tools and changed nothing fails with a reason that names them", async () => {
  const run = await startRun(t, ada, { code: "DENIED" });
  const words = ["--agent", endingAgent(home, "DENIED", "permission"), "--allow", "edit"];
  await workOnce("DENIED", ...words);
  const [parked] = (await run.read()).jobs;
  await answerQuestion(actor, { question_id: String(parked?.parked_question_id), option: 1 });
  await workOnce("DENIED", ...words);
  const [job] = (await run.read()).jobs;
  expect(job).toMatchObject({ status: "failed", failure_class: "agent_error" });
  expect(job?.failure_reason).toContain("not allowed to use its tools: npm publish");
});

it("An agent at its limit waits with its tokens counted, and continues in its session", async () => {
  const run = await startRun(t, ada, { code: "LIMIT" });
  await workOnce("LIMIT", "--agent", endingAgent(home, "LIMIT", "limit-with-a-smile"));
  const [waiting] = (await run.read()).jobs;
  expect(waiting).toMatchObject({ status: "queued", retry_count: 0, input_tokens: 300 });
  expect((await run.read()).status).toBe("running");
  await t.query`update agent_jobs set not_before = now() where id = ${waiting?.id}`;
  await workOnce("LIMIT", "--agent", endingAgent(home, "LIMIT", "resumed"));
  const [job] = (await run.read()).jobs;
  expect(job?.summary).toContain("I was told 2 times");
  expect(job?.summary).toContain("You began this work in this conversation");
});

it("An agent whose conversation is lost says so, and continues by what was said in it", async () => {
  const run = await startRun(t, ada, { code: "LOSES" });
  await workOnce("LOSES", "--agent", endingAgent(home, "LOSES", "question-after-words"));
  const [parked] = (await run.read()).jobs;
  await answerQuestion(actor, { question_id: String(parked?.parked_question_id), option: 1 });
  const job_id = String(parked?.id);
  await workOnce("LOSES", "--agent", endingAgent(home, "LOSES", "forgetful"));
  const [job] = (await run.read()).jobs;
  expect(job?.summary).toContain("I was told 1 times");
  expect(job?.summary).toContain("What was said before");
  expect(job?.summary).toContain("I chose the oak table.");
  expect(job?.summary).toContain("Green");
  const { entries } = await getJobOutput(actor, { job_id });
  expect(entries.filter(({ kind }) => kind === "note").map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /could not resume its earlier conversation \(No previous sessions found for this project\)\. It starts a new one, which is told what was said before\.$/,
    ),
  ]);
});

it("An agent takes up a review with every comment in the session in which it did the work", async () => {
  const run = await startRun(t, ada, { code: "JUDGED", tasks: 2 });
  await workOnce("JUDGED", "--agent", endingAgent(home, "JUDGED", "done"));
  const job_id = String((await run.read()).jobs[0]?.id);
  await addJobComment(actor, { job_id, path: "made.txt", line: 2, side: "new", body: "Say three instead" });
  await reviewJob(actor, { job_id, verdict: "request_changes", summary: "Nearly." });
  await workOnce("JUDGED", "--agent", endingAgent(home, "JUDGED", "resumed"));
  const job = await getAgentJob(actor, { job_id });
  expect(job.attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(new Set(job.attempts.map(({ session_id }) => session_id)).size).toBe(1);
  for (const words of ["I was told 2 times", "someone has reviewed it", "Nearly.", "made.txt", "Say three instead"]) {
    expect(job.summary).toContain(words);
  }
  expect(git("show", `${job.branch}:made.txt`)).toBe("one\ntwo");
});

it("What --secret names is hidden from everyone", async () => {
  const run = await startRun(t, ada, { code: "HUSH" });
  const secrets = join(home, "secrets.json");
  writeFileSync(secrets, JSON.stringify(["the moon is made of cheese", token]));
  const command = endingAgent(home, "HUSH", "secrets").replace("acp:", `acp:FAKE_SECRETS="$(cat ${secrets})" `);
  vi.stubEnv("HUSH_SECRET", "the moon is made of cheese");
  await workOnce("HUSH", "--agent", command, "--secret", "HUSH_SECRET");
  const [job] = (await run.read()).jobs;
  const { entries } = await getJobOutput(actor, { job_id: String(job?.id) });
  const everything = JSON.stringify([job, entries]);
  expect(everything).toContain("•••");
  expect(everything).not.toContain("moon is made");
  expect(everything).not.toContain(token);
  rmSync(secrets);
});

it("The repository names the agent where the person leaves it open, and allows no more than the person", async () => {
  const bin = join(home, "bin");
  mkdirSync(bin);
  for (const name of ["gemini", "opencode"]) {
    const speak = `exec "${process.execPath}" "${fakeAgent}"`;
    // Asked for anything but the protocol they say nothing.
    const script = `#!/bin/sh\ncase "$*" in *acp*) echo $OPENCODE_PERMISSION > ${home}/${name}-ran; ${speak};; esac\n`;
    writeFileSync(join(bin, name), script, { mode: 0o755 });
  }
  const place = join(home, "AUTO");
  mkdirSync(place);
  writeFileSync(join(place, "ending"), "done");
  const own = { HOME: place, PATH: `${bin}:${process.env.PATH}`, GEMINI_API_KEY: "of-nobody" };
  const rule = (text: string) => {
    writeFileSync(join(repo, ".backloom.yml"), text);
    git("add", ".backloom.yml");
    git("commit", "--quiet", "-m", "Rules");
  };
  const workFor = async (code: string, ...words: string[]) => {
    const run = await startRun(t, ada, { code });
    const said = await serveOnce(code, ["--agent", ...words], own);
    const [job] = (await run.read()).jobs;
    expect(job).toMatchObject({ status: "done" });
    const { attempts } = await getAgentJob(actor, { job_id: String(job?.id) });
    // Not the first one of those that are installed.
    expect(attempts).toMatchObject([{ agent: "opencode" }]);
    return said;
  };
  const permission = () => JSON.parse(readFileSync(join(home, "opencode-ran"), "utf8"));
  rule("agent: opencode\nallow: edit\n");
  expect(await workFor("AUTO", "auto")).toContain("Using opencode");
  expect(permission()).toMatchObject({ edit: "allow", bash: "ask" });
  rule("agent: gemini\nallow: all\n");
  await workFor("WIDER", "opencode", "--allow", "commands");
  expect(permission()).toMatchObject({ bash: "allow", external_directory: "ask" });
  rule("agent: acp:rm\n");
  const run = await startRun(t, ada, { code: "OTHERS" });
  await serve("OTHERS", ["--agent", "auto", "--once"], own).ended;
  const [job] = (await run.read()).jobs;
  expect(job?.failure_reason).toContain(".backloom.yml is not as documented");
  git("rm", "--quiet", ".backloom.yml");
  git("commit", "--quiet", "-m", "No rules");
});

it("An agent that a worker found on its machine is offered first on Connect", async () => {
  const bin = join(home, "found");
  mkdirSync(bin);
  writeFileSync(join(bin, "gemini"), "#!/bin/sh\necho 0.61.0\n", { mode: 0o755 });
  const worker = startWorker(
    [
      ...flags({ url: app.origin, token, "work-dir": join(home, "work"), exec: "true", name: "finder" }),
      ...flags({ kinds: "PLAN_CHAT" }),
    ],
    { PATH: `${bin}:${process.env.PATH}`, GEMINI_API_KEY: "of-nobody" },
  );
  const found = async () => {
    const { workers } = await listAgentWorkers(actor, {});
    return workers.find(({ name }) => name === "finder")?.agents;
  };
  await expect.poll(found).toEqual(["gemini 0.61.0, signed in"]);
  await worker.end("SIGTERM");
  const sentences = installedAgents(await listAgentWorkers(actor, {}), ada.id);
  expect(sentences.gemini).toMatch(/^Your worker finder on .+ found Gemini CLI 0\.61\.0, signed in\.$/);
  const place = { origin: app.origin, token, product: null, installed: sentences };
  const [first] = setups(place);
  expect(first).toMatchObject({ name: "Run sprints with Gemini CLI" });
  expect(first?.blocks[0]?.text).toContain("--agent gemini");
  const stranger = await t.createUser();
  expect(installedAgents(await listAgentWorkers(actor, {}), stranger.id)).toEqual({});
});

it("A job's output shows what the worker itself runs, setup and test, without secrets", async () => {
  writeFileSync(join(repo, ".backloom.yml"), "setup: echo set up with $HUSH_SETUP\n");
  git("add", ".backloom.yml");
  git("commit", "--quiet", "-m", "Rules");
  const run = await startRun(t, ada, { code: "SHOWN" });
  vi.stubEnv("HUSH_SETUP", "the sea is boiling hot");
  const test = "echo $HUSH_SETUP; echo 2 failed; exit 1";
  await workOnce("SHOWN", "--exec", "echo x > x", "--secret", "HUSH_SETUP", "--test", test);
  const [job] = (await run.read()).jobs;
  const { entries } = await getJobOutput(actor, { job_id: String(job?.id) });
  const setup = [
    ["command", "Setup: echo set up with $HUSH_SETUP", "", "running"],
    ["command", "Setup: echo set up with $HUSH_SETUP", "set up with •••", "done"],
  ];
  expect(entries.map(({ kind, title, text, status }) => [kind, title, text, status])).toEqual([
    ...setup,
    // Once more on a clean checkout of the work.
    ...setup,
    ["test", test, "", "running"],
    ["test", test, "•••\n2 failed", "failed"],
  ]);
  expect(job?.failure_reason).toContain("•••\n2 failed");
  git("rm", "--quiet", ".backloom.yml");
  git("commit", "--quiet", "-m", "No rules");
});

it("A worker with an unknown agent says so and ends before it takes a job", async () => {
  const words = ["--url", app.origin, "--token", token, "--work-dir", join(home, "work")];
  const worker = startWorker([...words, "--agent", "hal9000"]);
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toContain('There is no agent "hal9000": use claude, codex, gemini');
});

it("A command with Claude Code's output reports its words, tokens and limits", async () => {
  const lines = (...given: unknown[]) => given.map((line) => JSON.stringify(line)).join("\n");
  const said = join(home, "claude.jsonl");
  const usage = { inputTokens: 5, outputTokens: 6, cacheReadInputTokens: 7, cacheCreationInputTokens: 8, costUSD: 0.5 };
  writeFileSync(
    said,
    lines(
      { type: "system", subtype: "init", session_id: "s-1" },
      { type: "assistant", message: { id: "m", model: "claude-x", content: [{ type: "text", text: "It is there." }] } },
      {
        type: "result",
        subtype: "success",
        is_error: false,
        result: "It is there.",
        modelUsage: { "claude-x[1m]": usage },
        permission_denials: [],
      },
    ),
  );
  const run = await startRun(t, ada, { code: "LINES" });
  await workOnce("LINES", "--exec", `echo x > x; cat ${said}`, "--output", "claude-stream-json");
  expect((await run.read()).jobs).toMatchObject([
    {
      status: "done",
      summary: "It is there.",
      model_id: "claude-x",
      input_tokens: 5,
      output_tokens: 6,
      cache_read_tokens: 7,
      cache_write_tokens: 8,
      costs: [{ currency: "USD", cost: 0.5 }],
    },
  ]);
  const [job] = (await run.read()).jobs;
  const { attempts } = await getAgentJob(actor, { job_id: String(job?.id) });
  expect(attempts).toMatchObject([{ session_id: "s-1" }]);
});

it("A job's output shows the standard error of a command, marked and without secrets", async () => {
  const run = await startRun(t, ada, { code: "COMPLAINS" });
  vi.stubEnv("HUSH_STDERR", "the sky is made of glass");
  const command = "echo said; echo $HUSH_STDERR: 3 warnings >&2; echo x > x";
  await workOnce("COMPLAINS", "--exec", command, "--secret", "HUSH_STDERR");
  const [job] = (await run.read()).jobs;
  const { entries } = await getJobOutput(actor, { job_id: String(job?.id) });
  const shown = entries.map(({ kind, title, text }) => ({ kind, title, text }));
  expect(shown).toContainEqual({ kind: "note", title: "stderr", text: "•••: 3 warnings\n" });
  expect(shown).toContainEqual({ kind: "text", title: null, text: "said\n" });
  expect(job?.summary ?? "").not.toContain("warnings");
});

it("A limit in a command's Codex output pauses the job without a retry", async () => {
  const said = join(home, "codex.jsonl");
  const message = "You’ve hit your usage limit. Try again in 5 minutes.";
  writeFileSync(said, JSON.stringify({ type: "turn.failed", error: { message } }));
  const run = await startRun(t, ada, { code: "PAUSE" });
  await workOnce("PAUSE", "--exec", `cat ${said}; exit 1`, "--output", "codex-jsonl");
  expect((await run.read()).jobs).toMatchObject([{ status: "queued", retry_count: 0 }]);
});
