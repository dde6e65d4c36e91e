import { EnvironmentError } from "~/env.server";
import { ContractError } from "~/wire/errors";
import { type Command, CommandError, type CommandOutput, UsageError } from "./command";
import { tokenCreate, userCreate, userResetPassword } from "./commands/accounts";
import { doctor } from "./commands/doctor";
import { importFromFormats } from "./commands/import-formats";
import { backup, migrate, restore, secretsRotate } from "./commands/maintenance";
import { exportCommand, importFile, memberAdd, productCreate } from "./commands/products";
import type { Target } from "./target.server";

/** All admin commands. Order matters: a name that starts with another command's name must come first. */
const commands: readonly Command[] = [
  userCreate,
  userResetPassword,
  tokenCreate,
  productCreate,
  memberAdd,
  ...importFromFormats,
  importFile,
  exportCommand,
  backup,
  restore,
  secretsRotate,
  migrate,
  doctor,
];

export interface Ending {
  output: string;
  exitCode: number;
  /** A refusal in words, for standard error. With `--json` programs read it from standard output. */
  isRefusal?: true;
}

/** Runs one command line. Every refusal is one message that says what to do, or an object with `--json`. */
export async function runCommandLine(argv: readonly string[], openTarget: () => Target): Promise<Ending> {
  const asJson = argv.includes("--json");
  const args = argv.filter((arg) => arg !== "--json");
  const command = findCommand(args);
  if (command === undefined) return unknownCommand(args, asJson);
  if (args.includes("--help")) return { output: describeCommand(command), exitCode: 0 };
  const target = openTarget();
  try {
    const rest = args.slice(command.name.split(" ").length);
    return present(await command.run(target, rest), asJson);
  } catch (error) {
    return refuse(error, command, asJson);
  } finally {
    await target.close();
  }
}

function findCommand(args: readonly string[]): Command | undefined {
  return commands.find((command) => command.name.split(" ").every((part, index) => args[index] === part));
}

function present({ json, lines, ok = true }: CommandOutput, asJson: boolean): Ending {
  return { output: asJson ? JSON.stringify(json) : lines.join("\n"), exitCode: ok ? 0 : 1 };
}

/** Formats a refusal or failure as one message. Invalid options also show the usage. */
function refuse(error: unknown, command: Command, asJson: boolean): Ending {
  const isUsage = error instanceof UsageError;
  const message = messageOf(error);
  if (asJson) {
    const isRefused = isUsage || error instanceof CommandError || error instanceof EnvironmentError;
    const body = { error: message, code: isRefused ? 422 : 500 };
    const refusal = error instanceof ContractError ? error.toBody() : body;
    return { output: JSON.stringify(refusal), exitCode: 1 };
  }
  const issues = error instanceof ContractError ? (error.issues ?? []) : [];
  const lines = [message, ...issues.map((issue) => `  ${issue.path}: ${issue.message}`)];
  if (isUsage) lines.push(`Usage: ${command.usage}`);
  return { output: lines.join("\n"), exitCode: isUsage ? 2 : 1, isRefusal: true };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function unknownCommand(args: readonly string[], asJson: boolean): Ending {
  const wantsHelp = args.length === 0 || args.includes("--help") || args[0] === "help";
  if (wantsHelp) return { output: overview(), exitCode: 0 };
  const message = `There is no command "${args.join(" ")}"`;
  if (asJson) return { output: JSON.stringify({ error: message, code: 404 }), exitCode: 2 };
  return { output: `${message}\n\n${overview()}`, exitCode: 2, isRefusal: true };
}

function overview(): string {
  const lines = commands.map((command) => `  ${command.name.padEnd(24)} ${command.summary}`);
  return ["npm run --silent admin -- <command> [options] [--json]", "", ...lines].join("\n");
}

const describeCommand = (command: Command): string => `${command.summary}\n${command.usage}`;
