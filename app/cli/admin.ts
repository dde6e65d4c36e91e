import { runCommandLine } from "./run-command.server";
import { openTarget } from "./target.server";

const { output, exitCode, isRefusal } = await runCommandLine(process.argv.slice(2), () => openTarget(process.env));
// Everything is closed by now. Exit explicitly, because timers of libraries would keep the process alive.
const stream = isRefusal ? process.stderr : process.stdout;
stream.write(`${output}\n`, () => process.exit(exitCode));
