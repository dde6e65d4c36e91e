import { access, readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { knownAgents } from "~/wire/workers/known-agents";
import { findProgram } from "../../base/find-program";
import { quotaOfAnswer, runAcpTurn } from "../acp/agent";
import { type AgentTurn, inFolder, type KnownDriver, type ToolNeeds, type TurnOutput, type Usage } from "../driver";
import { jsonOf } from "../line-turn";
import { linesOfSession } from "../session-records";
import { disjoint, sumByModel } from "../usage";

const { title, signIn } = knownAgents.gemini;

const geminiNeeds: ToolNeeds = {
  home: {
    moved: { variable: "GEMINI_CLI_HOME", folder: "" },
    settings: inFolder(".gemini", [
      "settings.json",
      "GEMINI.md",
      ".env",
      "extensions",
      "commands",
      "policies",
      "skills",
      "agents",
      "trustedFolders.json",
    ]),
    login: [".gemini/oauth_creds.json"],
    copied: [".gemini/google_accounts.json", ".gemini/installation_id"],
  },
  programs: ["gemini"],
  variables: () => [/^((GEMINI|GOOGLE|CODE_ASSIST)_\w+|CLOUD_ML_REGION)$/],
  hosts: [
    "generativelanguage.googleapis.com",
    "cloudcode-pa.googleapis.com",
    "oauth2.googleapis.com",
    "aiplatform.googleapis.com",
  ],
  ownLookups: ["play.googleapis.com"],
  sessions: { folder: ".gemini/tmp", endOf: (id) => `-${id.slice(0, 8)}.jsonl` },
};

export const gemini: KnownDriver = {
  ...knownAgents.gemini,
  program: "gemini",
  needs: geminiNeeds,
  async find(environment) {
    const program = await findProgram("gemini", environment);
    if (program === null) return null;
    return {
      way: "gemini --acp",
      program,
      recorded: ({ environment: own }, sessionId, since) => readGeminiRecord(homeOf(own), sessionId, since),
      async run(turn, output) {
        await passFirstMinute(turn, output, homeOf(turn.environment));
        return runAcpTurn(
          {
            title,
            program,
            args: [
              "--acp",
              ...(turn.model === undefined ? [] : ["--model", turn.model]),
              // Without it, no path outside of the folder is read. That nothing is written is up to the file system.
              ...(turn.reads ?? []).flatMap((folder) => ["--include-directories", folder]),
            ],
            coverage: { commandsAreEscapes: false },
            modeFor: ({ allow }) => (allow === "all" ? "yolo" : "autoEdit"),
            // Worktrees are new folders that the user has never been asked to trust.
            environment: () => ({ GEMINI_CLI_TRUST_WORKSPACE: "true" }),
            usageOf: (answer, { model }) => quotaOfAnswer(answer, model),
            signIn,
          },
          { ...turn, model: undefined },
          output,
        );
      },
    };
  },
  async isSignedIn(environment) {
    const { GEMINI_API_KEY, GOOGLE_API_KEY, GOOGLE_GENAI_USE_VERTEXAI } = environment;
    if (GEMINI_API_KEY || GOOGLE_API_KEY || GOOGLE_GENAI_USE_VERTEXAI) return true;
    const home = homeOf(environment);
    const settings = await readFile(join(home, "settings.json"), "utf8").catch(() => "");
    if (!settingsSchema.safeParse(jsonOf(settings)).success) return false;
    return access(join(home, "oauth_creds.json")).then(
      () => true,
      // Newer releases store the account in the system's keychain, which cannot be checked here.
      () => null,
    );
  },
};

const settingsSchema = z.looseObject({
  security: z.looseObject({ auth: z.looseObject({ selectedType: z.string() }) }),
});

function homeOf(environment: Record<string, string>): string {
  return join(environment.GEMINI_CLI_HOME ?? environment.HOME ?? homedir(), ".gemini");
}

const geminiLine = z.looseObject({
  id: z.string(),
  timestamp: z.string(),
  model: z.string().optional(),
  tokens: z.looseObject({
    input: z.number(),
    output: z.number(),
    cached: z.number().nullish(),
    thoughts: z.number().nullish(),
  }),
});

/** Gemini CLI may write an answer several times, each more complete; the last one counts. */
async function readGeminiRecord(home: string, sessionId: string, since: Date): Promise<Usage[] | null> {
  const lines = await linesOfSession(join(home, "tmp"), sessionId.slice(0, 8));
  if (lines === null) return null;
  const answers = new Map<string, Usage>();
  for (const line of lines) {
    const answer = geminiLine.safeParse(line).data;
    if (answer === undefined || new Date(answer.timestamp) < since) continue;
    const { input, output, cached, thoughts } = answer.tokens;
    const counts = { input, output: output + (thoughts ?? 0), cacheRead: cached ?? null, cacheWrite: null };
    answers.set(answer.id, disjoint(answer.model ?? null, counts));
  }
  return sumByModel(answers.values());
}

/** Gemini CLI 0.61 names a session's record by its minute and overwrites it if it is loaded within that minute. */
async function passFirstMinute(turn: AgentTurn, output: TurnOutput, home: string) {
  if (turn.resume === undefined) return;
  const short = turn.resume.sessionId.slice(0, 8);
  const isNew = async (): Promise<boolean> => {
    const minute = new Date().toISOString().slice(0, 16).replace(":", "-");
    const files = await readdir(join(home, "tmp"), { recursive: true }).catch(() => []);
    return files.some((file) => file.includes(`session-${minute}-${short}`));
  };
  while (await isNew()) {
    await wait(1_000, undefined, { signal: turn.signal });
    output.alive();
  }
}
