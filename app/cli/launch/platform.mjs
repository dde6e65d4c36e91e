// Runs on its own before `exec`, which only a POSIX shell knows, and in every command.
import { fail } from "./problem.mjs";

if (process.platform === "win32") {
  fail("Backloom runs on Linux and macOS. On Windows, install WSL (wsl --install) and run this in its shell.");
}
