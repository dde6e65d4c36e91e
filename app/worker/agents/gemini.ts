import { access, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { runAcpTurn } from "./acp-session";
import { quotaOfAnswer } from "./acp-usage";
import type { Driver } from "./driver";
import { findProgram } from "./find-program";
import { jsonOf } from "./line-turn";
import { readGeminiRecord } from "./session-records";

const title = "Gemini CLI";
const signIn = "start gemini once and sign in";

/** Gemini CLI speaks the protocol by itself. */
export const gemini: Driver = {
  name: "gemini",
  title,
  signIn,
  program: "gemini",
  install: "npm install -g @google/gemini-cli",
  reports: {
    "gemini --acp": {
      entries: "text, thoughts, commands without their output, edits with their lines, plan",
      tokens: "at the end",
      cost: "no: the price list",
      resume: "yes",
      questions: "permissions; else by the result file",
      limits: "yes",
    },
  },
  async find(environment) {
    const program = await findProgram("gemini", environment);
    if (program === null) return null;
    return {
      way: "gemini --acp",
      program,
      recorded: ({ environment: own }, sessionId, since) =>
        readGeminiRecord(homeOf(own), sessionId, since),
      run: (turn, output) =>
        runAcpTurn(
          {
            title,
            program,
            words: ["--acp", ...(turn.model === undefined ? [] : ["--model", turn.model])],
            coverage: { commandsAreEscapes: false },
            modeFor: ({ allow }) => (allow === "all" ? "yolo" : "autoEdit"),
            // A worktree of ours is a folder that nobody has ever been asked about.
            environment: () => ({ GEMINI_CLI_TRUST_WORKSPACE: "true" }),
            usageOf: (answer, { model }) => quotaOfAnswer(answer, model),
            signIn,
          },
          { ...turn, model: undefined },
          output,
        ),
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
      // Newer releases keep the account in the system's key chain, where nobody else looks.
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
