import { runCommandLine } from "./run-command.server";
import { openTarget } from "./target.server";

/** Entry of `npm run admin`: one command, then the process ends by itself. */
const { output, exitCode } = await runCommandLine(process.argv.slice(2), () =>
  openTarget(process.env),
);
process.stdout.write(`${output}\n`);
process.exitCode = exitCode;
