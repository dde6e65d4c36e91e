import { access, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { knownAgents } from "~/nouns/workers/known-agents";
import { findProgram } from "../../base/find-program";
import { runAcpTurn } from "../acp/turn";
import { quotaOfAnswer } from "../acp/usage";
import type { KnownDriver } from "../driver";
import { jsonOf } from "../line-turn";
import { geminiNeeds } from "./needs";
import { passFirstMinute, readGeminiRecord } from "./record";

const { title, signIn } = knownAgents.gemini;

/** Gemini CLI, which speaks ACP itself. */
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
      recorded: ({ environment: own }, sessionId, since) =>
        readGeminiRecord(homeOf(own), sessionId, since),
      async run(turn, output) {
        await passFirstMinute(turn, output, homeOf(turn.environment));
        return runAcpTurn(
          {
            title,
            program,
            words: ["--acp", ...(turn.model === undefined ? [] : ["--model", turn.model])],
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
